//! What the parts of a declaration demand of each other.

use syn::Item;

use crate::diag::Mistakes;
use crate::model::{Declaration, ParameterKind};
use crate::parse::early_returns;

/// Reports every contradiction between the parts.
pub fn check(declaration: &Declaration, mistakes: &mut Mistakes) {
    reserved_names(declaration, mistakes);
    own_name(declaration, mistakes);
    coverage(declaration, mistakes);
    saved_locals(declaration, mistakes);
}

/// A parameter must not take a name that means something else in a reverse map.
fn reserved_names(declaration: &Declaration, mistakes: &mut Mistakes) {
    let signature = &declaration.signature;
    let has_variadic = signature
        .parameters
        .iter()
        .any(|p| p.kind == ParameterKind::Variadic);
    let has_joint = declaration.vjps.iter().any(|vjp| vjp.is_joint());
    for parameter in &signature.parameters {
        let meaning = match parameter.ident.to_string().as_str() {
            "upstream" => "the cotangent",
            "output" => "the output",
            "wanted" if has_joint => "the wanted contributions",
            "index" if has_variadic => "the entry of the variadic operand",
            "output_index" if signature.outputs.are_several() => "the position of the output",
            _ => continue,
        };
        mistakes.on(
            &parameter.ident,
            format!(
                "in a reverse map `{}` means {meaning}: give this parameter another name",
                parameter.ident
            ),
        );
    }
}

/// Functions in the body stand beside the operation's own call, so they need other names.
fn own_name(declaration: &Declaration, mistakes: &mut Mistakes) {
    let operation = &declaration.signature.ident;
    let maps = declaration.vjps.iter().map(|vjp| &vjp.function.sig.ident);
    let helpers = declaration.body.items.iter().filter_map(|item| match item {
        Item::Fn(function) => Some(&function.sig.ident),
        _ => None,
    });
    for ident in maps.chain(helpers).filter(|ident| *ident == operation) {
        mistakes.on(
            ident,
            format!("`{operation}` is the operation: give this function another name"),
        );
    }
}

/// Every operand has exactly one reverse map.
fn coverage(declaration: &Declaration, mistakes: &mut Mistakes) {
    // An unreadable list may have named any operand.
    let some_list_is_empty = declaration.vjps.iter().any(|vjp| vjp.operands.is_empty());
    for (position, parameter) in declaration.signature.parameters.iter().enumerate() {
        if !parameter.kind.is_differentiable() {
            continue;
        }
        let ident = &parameter.ident;
        let maps: Vec<_> = declaration
            .vjps
            .iter()
            .filter(|vjp| vjp.operands.contains(&position))
            .collect();
        if maps.is_empty() && !some_list_is_empty {
            mistakes.on(
                ident,
                format!(
                    "`{ident}` has no reverse map: write `#[vjp({ident})] fn {ident}_vjp(upstream: ..)` in the body, or \
                     `#[constant]` here if it is never differentiated"
                ),
            );
        }
        for extra in maps.iter().skip(1) {
            mistakes.on(
                &extra.function.sig.ident,
                format!(
                    "`{ident}` already has a reverse map, `{}`: remove one",
                    maps[0].function.sig.ident
                ),
            );
        }
    }
}

/// A saved local exists only where the body runs to its end.
fn saved_locals(declaration: &Declaration, mistakes: &mut Mistakes) {
    if !declaration.vjps.iter().any(|vjp| vjp.saves_a_local()) {
        return;
    }
    for early in early_returns(&declaration.body.block) {
        mistakes.on(
            early,
            "a local is saved, so the body must reach its end: return early only by `return Err(..)`, and choose \
             the value in the last expression",
        );
    }
    if declaration.body.split().is_none() {
        mistakes.on(
            &declaration.signature.ident,
            "a local is saved, so the body must end with its value: write `Ok(..)` as the last expression",
        );
    }
}
