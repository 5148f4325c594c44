//! `#[vjp_rule]`: the attribute that turns one annotated function into an operation.
//!
//! The function's body is the forward computation on plain tensors; each nested `#[vjp(operand)]`
//! function is the reverse map of one operand. Parse reads a declaration, check compares its parts,
//! expand emits the operation; every mistake is collected, and a faulty declaration leaves a stub.

mod check;
mod diag;
mod expand;
mod fallback;
#[cfg(test)]
mod golden;
mod model;
mod parse;
mod text;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{FnArg, Item, ItemFn};

use diag::Mistakes;

/// Declares a differentiable operation.
///
/// Options: `name = ".."` is what people see, `crate = path` names a renamed core crate.
/// Below the attribute stand one or more `#[gradcheck(..)]` cases.
#[proc_macro_attribute]
pub fn vjp_rule(
    options: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    rule(options.into(), item.into()).into()
}

/// The expansion as a plain function, so that tests can call it.
fn rule(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut mistakes = Mistakes::default();
    let function = match syn::parse2::<ItemFn>(item.clone()) {
        Ok(function) => function,
        Err(_) => return not_a_function(item, mistakes),
    };
    let has_receiver = function
        .sig
        .inputs
        .iter()
        .any(|input| matches!(input, FnArg::Receiver(_)));
    let method = has_receiver.then(|| fallback::method_stub(&function));
    let declaration = parse::declaration(options, function, &mut mistakes);
    check::check(&declaration, &mut mistakes);
    if mistakes.is_empty() {
        return expand::expand(&declaration);
    }
    let stub = method.unwrap_or_else(|| fallback::stub(&declaration));
    let errors = mistakes.into_compile_errors();
    quote!(#errors #stub)
}

fn not_a_function(item: TokenStream, mut mistakes: Mistakes) -> TokenStream {
    mistakes.at(
        Span::call_site(),
        "`#[vjp_rule]` stands on a free function: write \
         `fn name<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> { .. }`",
    );
    let errors = mistakes.into_compile_errors();
    let item = match syn::parse2::<Item>(item.clone()) {
        Ok(item) => without_cases(item).into_token_stream(),
        Err(_) => item,
    };
    quote!(#errors #item)
}

/// The item without the attributes that only a rule can have.
fn without_cases(mut item: Item) -> Item {
    let attributes = match &mut item {
        Item::Const(item) => &mut item.attrs,
        Item::Enum(item) => &mut item.attrs,
        Item::Impl(item) => &mut item.attrs,
        Item::Mod(item) => &mut item.attrs,
        Item::Static(item) => &mut item.attrs,
        Item::Struct(item) => &mut item.attrs,
        Item::Trait(item) => &mut item.attrs,
        Item::Type(item) => &mut item.attrs,
        _ => return item,
    };
    attributes.retain(|attribute| !parse::is_named(attribute, "gradcheck"));
    item
}
