//! The gradient-check cases: what every parameter gets, and which extents are drawn.

use proc_macro2::{Ident, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, LitStr, Token};

use super::body::list_tokens;
use super::input::{Written, input};
use super::symbols::symbols;
use crate::diag::Mistakes;
use crate::model::{Case, CaseKind, Input, Parameter, ParameterKind, Signature};
use crate::text;

const REASON: &str = "every report gives the reason: write `skip = \"reason\"`";

/// Reads every case, and reports a rule without one.
pub fn cases(
    attributes: &[Attribute],
    signature: &Signature,
    mistakes: &mut Mistakes,
) -> Vec<Case> {
    let example = example(signature);
    let advice = format!("write `#[gradcheck({example})]` or `#[gradcheck(skip = \"reason\")]`");
    if attributes.is_empty() {
        mistakes.on(
            &signature.ident,
            format!("no rule goes unchecked: below `#[vjp_rule]`, {advice}"),
        );
    }
    let advice = format!("what does the check draw? {advice}");
    let mut cases = Vec::new();
    for attribute in attributes {
        let Some(tokens) = list_tokens(attribute, &advice, mistakes) else {
            continue;
        };
        let text = text::tidy(&tokens);
        if let Some(kind) = case(attribute, tokens, signature, mistakes) {
            let is_skip = matches!(kind, CaseKind::Skipped(_));
            if is_skip && attributes.len() > 1 {
                mistakes.on(
                    attribute,
                    "a rule is checked or skipped, not both: remove `skip`, or all other cases",
                );
            }
            cases.push(Case { text, kind });
        }
    }
    cases
}

/// A case of this signature, for advice.
fn example(signature: &Signature) -> String {
    let entries: Vec<String> = signature
        .parameters
        .iter()
        .filter_map(|Parameter { ident, kind, .. }| match kind {
            ParameterKind::Variadic => Some(format!("{ident}: [[m, n], [m, n]]")),
            ParameterKind::Indices => Some(format!("{ident}: [m, n] in 0..n")),
            ParameterKind::Argument => Some(format!("{ident} = ..")),
            ParameterKind::Unknown => None,
            _ => Some(format!("{ident}: [m, n]")),
        })
        .collect();
    entries.join(", ")
}

/// One `key: value` or `key = value`.
#[derive(Debug)]
struct Entry {
    key: Ident,
    is_argument: bool,
    value: TokenStream,
}

fn case(
    attribute: &Attribute,
    tokens: TokenStream,
    signature: &Signature,
    mistakes: &mut Mistakes,
) -> Option<CaseKind> {
    let entries = match entries.parse2(tokens) {
        Ok(entries) => entries,
        Err(error) => {
            mistakes.parse(error);
            return None;
        }
    };
    if let Some(skip) = entries
        .iter()
        .find(|entry| entry.key == "skip" && entry.is_argument)
    {
        let names_a_parameter = signature.parameters.iter().any(|p| p.ident == "skip");
        if !names_a_parameter {
            return skipped(skip, entries.len(), attribute, mistakes);
        }
    }
    let mut inputs: Vec<Option<Input>> = signature.parameters.iter().map(|_| None).collect();
    // A rejected entry counts as given, so that one mistake is one report.
    let mut given = vec![false; inputs.len()];
    for Entry {
        key,
        is_argument,
        value,
    } in entries
    {
        let Some(position) = signature.parameters.iter().position(|p| p.ident == key) else {
            let known: Vec<String> = signature
                .parameters
                .iter()
                .map(|parameter| format!("`{}`", parameter.ident))
                .collect();
            mistakes.on(
                &key,
                format!(
                    "no parameter is named `{key}`: write one of {}",
                    known.join(", ")
                ),
            );
            continue;
        };
        if given[position] {
            mistakes.on(&key, format!("`{key}` is given twice in one case"));
            continue;
        }
        given[position] = true;
        let written = Written {
            key: &key,
            is_argument,
            value,
        };
        inputs[position] = input(&signature.parameters[position], written, mistakes);
    }
    let missing: Vec<String> = signature
        .parameters
        .iter()
        .zip(&given)
        .filter(|(parameter, given)| !**given && parameter.kind != ParameterKind::Unknown)
        .map(|(parameter, _)| format!("`{}`", parameter.ident))
        .collect();
    if !missing.is_empty() {
        mistakes.on(
            attribute,
            format!(
                "every parameter is part of every case: add {}",
                missing.join(", ")
            ),
        );
    }
    let inputs: Vec<Input> = inputs.into_iter().collect::<Option<_>>()?;
    let symbols = symbols(&inputs);
    Some(CaseKind::Drawn { symbols, inputs })
}

fn skipped(
    entry: &Entry,
    entries: usize,
    attribute: &Attribute,
    mistakes: &mut Mistakes,
) -> Option<CaseKind> {
    if entries > 1 {
        mistakes.on(
            attribute,
            "a rule is checked or skipped, not both: remove `skip`, or all the rest",
        );
    }
    let Ok(reason) = syn::parse2::<LitStr>(entry.value.clone()) else {
        mistakes.on(&entry.key, REASON);
        return None;
    };
    if reason.value().trim().is_empty() {
        mistakes.on(
            &reason,
            "every report gives the reason: write why this rule cannot be checked",
        );
        return None;
    }
    Some(CaseKind::Skipped(reason))
}

fn entries(input: ParseStream<'_>) -> syn::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    while !input.is_empty() {
        let key = Ident::parse_any(input).map_err(|error| {
            syn::Error::new(
                error.span(),
                "expected a parameter: write `operand: [m, n]` or `argument = value`",
            )
        })?;
        let is_argument = input.peek(Token![=]);
        if !is_argument && !input.peek(Token![:]) {
            if key == "skip" {
                return Err(syn::Error::new_spanned(&key, REASON));
            }
            return Err(syn::Error::new_spanned(
                &key,
                format!(
                    "`{key}` needs a value: write `{key}: [m, n]` for a tensor, `{key} = value` for an argument"
                ),
            ));
        }
        input.parse::<TokenTree>()?;
        let mut value = TokenStream::new();
        while !input.is_empty() && !input.peek(Token![,]) {
            input.parse::<TokenTree>()?.to_tokens(&mut value);
        }
        if value.is_empty() {
            return Err(syn::Error::new_spanned(
                &key,
                format!("nothing is given for `{key}`"),
            ));
        }
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
        entries.push(Entry {
            key,
            is_argument,
            value,
        });
    }
    Ok(entries)
}

/// Splits at every single `|`.
pub fn alternatives(tokens: TokenStream) -> Vec<TokenStream> {
    let mut parts = vec![TokenStream::new()];
    let mut is_double = false;
    for token in tokens {
        let bar = match &token {
            TokenTree::Punct(punct) if punct.as_char() == '|' => Some(punct.spacing()),
            _ => None,
        };
        let splits = bar == Some(Spacing::Alone) && !is_double;
        is_double = bar == Some(Spacing::Joint);
        if splits {
            parts.push(TokenStream::new());
        } else if let Some(part) = parts.last_mut() {
            token.to_tokens(part);
        }
    }
    parts
}
