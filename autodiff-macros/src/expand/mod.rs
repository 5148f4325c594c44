//! Emits what a declaration stands for. Expansion cannot fail: `check` has seen everything before.
//!
//! Invariant: emitted paths are absolute, locals are hygienic, and emitted items that could meet the
//! user's are prefixed, so nothing that the user has in scope changes what is generated.

mod attributes;
mod cases;
mod forward;
mod public;
mod record;
mod reverse;
mod saved;
mod tape;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::{GenericParam, Token, WhereClause};

pub use attributes::Attributes;
pub use public::{method, public};

use crate::model::{Declaration, ElementType};

/// The parts that every emitted item needs.
#[derive(Debug)]
pub struct Context<'a> {
    /// The declaration itself.
    pub declaration: &'a Declaration,
    /// The span of emitted code: locals cannot meet the user's.
    pub site: Span,
    /// The module of the core crate that everything is named through.
    pub core: TokenStream,
    /// `T`, or `f64`.
    pub element: TokenStream,
    /// `<T: Element>`, or nothing.
    pub generics: TokenStream,
    /// `<T>`, or nothing.
    pub arguments: TokenStream,
    /// The user's where-clause.
    pub bounds: Option<&'a WhereClause>,
}

impl<'a> Context<'a> {
    /// Prepares the expansion of `declaration`.
    pub fn new(declaration: &'a Declaration) -> Self {
        let signature = &declaration.signature;
        let krate = &declaration.options.krate;
        let site = Span::mixed_site();
        let (element, generics, arguments) = match &signature.element {
            ElementType::Generic(ident) => {
                let own: Punctuated<&GenericParam, Token![,]> =
                    signature.generics.params.iter().collect();
                (quote!(#ident), quote!(<#own>), quote!(<#ident>))
            }
            ElementType::F64 => {
                let element = quote_spanned!(site=> ::core::primitive::f64);
                (element, TokenStream::new(), TokenStream::new())
            }
        };
        Self {
            declaration,
            site,
            core: quote_spanned!(site=> #krate::__private),
            element,
            generics,
            arguments,
            bounds: signature.generics.where_clause.as_ref(),
        }
    }

    /// A local that nothing of the user's can meet, whatever its name.
    pub fn local(&self, name: &str) -> Ident {
        Ident::new(name, self.site)
    }

    /// Such a local for something of the user's that is called `name`.
    pub fn local_for(&self, name: &Ident) -> Ident {
        format_ident!("own_{}", name.unraw(), span = self.site)
    }

    /// Silences the lints on signatures that the grammar demands, so that the user could not heed them.
    pub fn demanded_signature(&self) -> TokenStream {
        quote_spanned! {self.site=>
            #[allow(
                clippy::fn_params_excessive_bools,
                clippy::missing_const_for_fn,
                clippy::needless_pass_by_value,
                clippy::ref_option,
                clippy::too_many_arguments,
                clippy::trivially_copy_pass_by_ref,
                clippy::type_complexity,
                clippy::unnecessary_wraps
            )]
        }
    }

    /// The names of the operation's parameters.
    pub fn parameters(&self) -> impl Iterator<Item = &'a Ident> {
        self.declaration
            .signature
            .parameters
            .iter()
            .map(|parameter| &parameter.ident)
    }
}

/// The whole expansion of a declaration without mistakes.
pub fn expand(declaration: &Declaration) -> TokenStream {
    let context = Context::new(declaration);
    let attributes = Attributes::of(&declaration.signature.attributes);
    let (cfg, lints) = (&attributes.cfg, &attributes.lints);
    let public = public(&context, &attributes);
    let test = record::test(&context, &attributes);
    let items = &declaration.body.items;
    let identity = record::identity(&context);
    let saved = saved::structs(&context);
    let maps = reverse::maps(&context);
    let forward = forward::forward(&context, &attributes);
    let reverse = reverse::dispatch(&context);
    let plain = tape::plain(&context);
    let taped = tape::taped(&context);
    let cases = cases::builders(&context);
    let call = record::call(&context);
    let submit = record::submit(&context);
    quote_spanned! {context.site=>
        #public
        #test
        #(#cfg)*
        #(#lints)*
        const _: () = {
            #(#items)*
            #identity
            #saved
            #maps
            #forward
            #reverse
            #plain
            #taped
            #cases
            #call
            #submit
        };
    }
}
