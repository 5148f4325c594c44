//! Reads an annotated function into a [`Declaration`], reporting whatever does not fit the grammar.

mod body;
mod case;
mod input;
mod operands;
mod options;
mod parameter;
mod saved;
mod signature;
mod symbols;
mod types;
mod vjp;

use proc_macro2::TokenStream;
use syn::{Attribute, ItemFn};

pub use body::{early_returns, is_named};
pub use types::{bare, mentions};

use crate::diag::Mistakes;
use crate::model::Declaration;

/// Reads the whole declaration. It is complete, and fit for expansion, if no mistake was reported.
pub fn declaration(options: TokenStream, function: ItemFn, mistakes: &mut Mistakes) -> Declaration {
    let options = options::options(options, mistakes);
    let (gradchecks, attributes): (Vec<Attribute>, Vec<Attribute>) = function
        .attrs
        .iter()
        .cloned()
        .partition(|attribute| is_named(attribute, "gradcheck"));
    let signature = signature::signature(&function, attributes, mistakes);
    let (body, nested) = body::body(*function.block, mistakes);
    let vjps = nested
        .into_iter()
        .map(|nested| vjp::vjp(nested, &signature, &body, mistakes))
        .collect();
    let cases = case::cases(&gradchecks, &signature, mistakes);
    Declaration {
        options,
        signature,
        body,
        vjps,
        cases,
    }
}
