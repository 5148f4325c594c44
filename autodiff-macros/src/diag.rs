//! Collects every mistake of a declaration, so that one compile reports them all.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// The mistakes found so far, in the order of finding.
#[derive(Debug, Default)]
pub struct Mistakes {
    errors: Vec<syn::Error>,
}

impl Mistakes {
    /// Reports a mistake that covers all of `tokens`.
    pub fn on(&mut self, tokens: impl ToTokens, message: impl std::fmt::Display) {
        self.errors.push(syn::Error::new_spanned(tokens, message));
    }

    /// Reports a mistake at one span.
    pub fn at(&mut self, span: Span, message: impl std::fmt::Display) {
        self.errors.push(syn::Error::new(span, message));
    }

    /// Reports what a parser refused.
    pub fn parse(&mut self, error: syn::Error) {
        self.errors.push(error);
    }

    /// Whether the declaration is right so far.
    pub fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// One `compile_error!` per mistake, each at its own span.
    pub fn into_compile_errors(self) -> TokenStream {
        self.errors
            .into_iter()
            .flatten()
            .map(syn::Error::into_compile_error)
            .collect()
    }
}
