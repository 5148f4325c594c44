//! The list of a `#[vjp(..)]` attribute: which operands a reverse map serves.

use proc_macro2::Ident;
use syn::Token;
use syn::parse::Parser;
use syn::punctuated::Punctuated;

use super::body::list_tokens;
use crate::diag::Mistakes;
use crate::model::{ParameterKind, Signature};

/// The operands as positions among the parameters; what is wrong is reported and left out.
pub fn operands(
    attribute: &syn::Attribute,
    signature: &Signature,
    mistakes: &mut Mistakes,
) -> Vec<usize> {
    let known: Vec<String> = signature
        .parameters
        .iter()
        .filter(|parameter| parameter.kind.is_differentiable())
        .map(|parameter| format!("`{}`", parameter.ident))
        .collect();
    let known = known.join(", ");
    let advice =
        format!("which operand does this map serve? write `#[vjp(operand)]` with one of {known}");
    let Some(tokens) = list_tokens(attribute, &advice, mistakes) else {
        return Vec::new();
    };
    let names = match Punctuated::<Ident, Token![,]>::parse_terminated.parse2(tokens) {
        Ok(names) => names,
        Err(error) => {
            mistakes.at(
                error.span(),
                "expected names of operands: write `#[vjp(lhs)]` or `#[vjp(lhs, rhs)]`",
            );
            return Vec::new();
        }
    };
    let mut operands = Vec::new();
    for name in names {
        let Some(position) = signature.parameters.iter().position(|p| p.ident == name) else {
            mistakes.on(
                &name,
                format!("no operand is named `{name}`: write one of {known}"),
            );
            continue;
        };
        match signature.parameters[position].kind {
            kind if kind.is_differentiable() => {
                if operands.contains(&position) {
                    mistakes.on(&name, format!("`{name}` is named twice in one list"));
                } else {
                    operands.push(position);
                }
            }
            ParameterKind::Argument => mistakes.on(
                &name,
                format!(
                    "`{name}` is a plain argument, so nothing flows back to it: remove it here"
                ),
            ),
            ParameterKind::Unknown => {}
            _ => mistakes.on(
                &name,
                format!("`{name}` is a `#[constant]`, so nothing flows back to it: remove it here"),
            ),
        }
    }
    let variadic = operands
        .iter()
        .copied()
        .find(|&position| signature.parameters[position].kind == ParameterKind::Variadic);
    if let (Some(position), 2..) = (variadic, operands.len()) {
        mistakes.on(
            attribute,
            format!(
                "`{}` has any number of entries, so it cannot share a joint rule: give it a `#[vjp]` function of its own",
                signature.parameters[position].ident
            ),
        );
    }
    operands
}
