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

/// Declares a differentiable operation by one function.
///
/// The function's body is the operation on plain tensors.
/// Each nested `#[vjp(operand)]` function is the reverse map of one operand; its doc comment is the rule in words, and
/// without one the `# VJP` section of the operation's docs is.
/// Below the attribute stand the cases that the gradient check draws.
/// Generated are: a function and a trait of the same name, so that the operation is called as `op(&x)` and `x.op()`
/// on plain and on taped tensors; the saved contexts; the record in the registry; a test, `gradcheck_op`.
///
/// ```text
/// #[vjp_rule(name = "multiply")]
/// #[gradcheck(lhs: [m, n], rhs: [m, n])]
/// #[gradcheck(lhs: [m, 1], rhs: [n] in -2.0..-0.1 | 0.1..2.0)]
/// pub fn mul<T: Element>(lhs: &Tensor<T>, rhs: &Tensor<T>) -> Result<Tensor<T>> {
///     /// upstream times the other operand, summed back to the operand's shape
///     #[vjp(lhs)]
///     fn lhs_vjp(upstream: &Tensor<T>, rhs: &Tensor<T>, lhs_fit: &Projection) -> Result<Tensor<T>> { .. }
///     ..
///     let (product, lhs_fit, rhs_fit) = lhs.zip_broadcast(rhs, |l, r| l * r)?;
///     Ok(product)
/// }
/// ```
///
/// # Options
/// `name = ".."` is what people see, and need not be unique; `crate = path` names a renamed core crate.
///
/// # Parameters
/// - Operands: `&Tensor<T>`; any number, `&[&Tensor<T>]`; one that may be absent, `Option<&Tensor<T>>`.
/// - `#[constant]` tensors of `T`, `usize` or `bool`: never differentiated, plain on the tape too.
/// - Arguments: `usize`, `isize`, `bool`, `f64`, `&[usize]`, `&[isize]`, `&[f64]`, `&str`, or an `Option` of these.
///
/// Without a type parameter, the tensors are `Tensor<f64>` and the rule is registered for `f64` alone.
/// The result is `Result<Tensor<T>>`, or `Result` of `Vec<Tensor<T>>`, `[Tensor<T>; 2]` or `(Tensor<T>, Tensor<T>)`,
/// where each output is a node of its own. The error type is any that converts into the core's.
///
/// # Reverse maps
/// `upstream: &Tensor<T>`, or `Tensor<T>` to reuse its buffer, comes first. Every other parameter names what an edge
/// saves: a parameter of the operation, `output`, or a top-level `let` of the body; its type gives the field's.
/// `&U` saves a `U`, `&[U]` a `Vec<U>`, `&str` a `String`. `_axis` saves an `axis` that a trace shows and the map
/// does not read. Not saved, but given: `index`, the entry of a variadic operand; `output_index`, the position of
/// the output. A joint map, `#[vjp(q, k, v)]`, takes `wanted: [bool; 3]` and returns `Result<[Option<Tensor<T>>; 3]>`.
/// Where a local is saved, the body reaches its end, and returns early only by `return Err(..)`.
/// Other items of the body, such as functions and `use`s, are there for the reverse maps too.
///
/// # Cases
/// Every case gives every parameter. `x: [m, 2 * n]` has extents that are drawn; a capital is a constant in scope.
/// One `..` among the extents stands for any number of axes, the same in the whole case.
/// `in a..b | c..d` bounds the values, from -2.0 to 2.0 without it; indices need it: `ids: [k] in 0..n`.
/// `parts: [[m, a], [m, b]]` gives a variadic operand, `bias: none` an absent one.
/// `axis = 0 | 1` lists alternatives, which may use the extents.
/// `#[gradcheck(skip = "reason")]` is the only way not to be checked.
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
