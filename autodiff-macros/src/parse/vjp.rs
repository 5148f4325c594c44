//! The `#[vjp]` functions: which operands they serve, and what they read.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{FnArg, Pat, ReturnType, Type};

use super::body::{Nested, is_named};
use super::operands::operands;
use super::saved;
use super::signature::{plain_function, plain_name, tensor_text};
use super::types::{
    argument_of, bare, is_bool_array, is_element_tensor, is_name, literal_length, referent,
};
use crate::diag::Mistakes;
use crate::model::{Body, Outputs, ParameterKind, Signature, Vjp, VjpParameter};
use crate::text;

/// Reads one reverse map; its body stays as it is.
pub fn vjp(nested: Nested, signature: &Signature, body: &Body, mistakes: &mut Mistakes) -> Vjp {
    let Nested {
        attribute,
        function,
    } = nested;
    let operands = operands(&attribute, signature, mistakes);
    let mut vjp = Vjp {
        words: words(&function, signature),
        function,
        operands,
        takes_upstream: false,
        parameters: Vec::new(),
    };
    plain_function(&vjp.function, mistakes);
    let generics = &vjp.function.sig.generics;
    if !generics.params.is_empty() || generics.where_clause.is_some() {
        mistakes.on(
            generics,
            "a reverse map shares the generics of its rule: remove these, the element type is in scope",
        );
    }
    parameters(&mut vjp, signature, body, mistakes);
    returned(&vjp, signature, mistakes);
    vjp
}

/// The rule in words: the function's own doc comment, else the `# VJP` section of the operation's.
fn words(function: &syn::ItemFn, signature: &Signature) -> String {
    let own = text::docs(&function.attrs);
    if own.is_empty() {
        text::section(&text::docs(&signature.attributes), "# VJP")
    } else {
        own
    }
}

fn parameters(vjp: &mut Vjp, signature: &Signature, body: &Body, mistakes: &mut Mistakes) {
    let inputs = vjp.function.sig.inputs.clone();
    let mut inputs = inputs.iter();
    let mut seen: Vec<Ident> = upstream(vjp, inputs.next(), signature, mistakes)
        .into_iter()
        .collect();
    for input in inputs {
        let FnArg::Typed(typed) = input else { continue };
        for attribute in &typed.attrs {
            // A stray `#[constant]` has been reported.
            let is_known = ["allow", "expect", "constant"]
                .iter()
                .any(|name| is_named(attribute, name));
            if !is_known {
                mistakes.on(
                    attribute,
                    "no attribute stands on a parameter of a reverse map",
                );
            }
        }
        // A `mut` in front of a name is the reverse map's own affair.
        let pattern = match &*typed.pat {
            Pat::Ident(name) if name.mutability.is_some() => {
                let mut name = name.clone();
                name.mutability = None;
                Pat::Ident(name)
            }
            other => other.clone(),
        };
        let Some(ident) = plain_name(&pattern, mistakes) else {
            continue;
        };
        if ident == "upstream" && seen.is_empty() {
            // That it is not the first has been reported.
            continue;
        }
        let name = saved::named(&ident, signature, body);
        if seen.contains(&name) {
            mistakes.on(&ident, format!("`{ident}` is named twice"));
            continue;
        }
        seen.push(name);
        if let Some(parameter) = parameter(vjp, &ident, &typed.ty, signature, body, mistakes) {
            vjp.parameters.push(parameter);
        }
    }
    if vjp.is_joint() && !seen.iter().any(|ident| ident == "wanted") {
        mistakes.on(
            &vjp.function.sig.ident,
            format!(
                "a joint rule is told which contributions are wanted: add `wanted: [bool; {}]`",
                vjp.operands.len()
            ),
        );
    }
}

/// Reads the cotangent, and gives its name if it is there.
fn upstream(
    vjp: &mut Vjp,
    first: Option<&FnArg>,
    signature: &Signature,
    mistakes: &mut Mistakes,
) -> Option<Ident> {
    let tensor = tensor_text(&signature.element);
    let advice = format!("a reverse map reads the cotangent first: write `upstream: &{tensor}`");
    let typed = match first {
        Some(FnArg::Typed(typed)) => typed,
        Some(FnArg::Receiver(receiver)) => {
            mistakes.on(receiver, advice);
            return None;
        }
        None => {
            mistakes.on(&vjp.function.sig.ident, advice);
            return None;
        }
    };
    let name = match &*typed.pat {
        Pat::Ident(name) if name.ident == "upstream" => name.ident.clone(),
        other => {
            mistakes.on(other, advice);
            return None;
        }
    };
    vjp.takes_upstream = is_element_tensor(&typed.ty, &signature.element);
    let is_borrowed =
        referent(&typed.ty).is_some_and(|ty| is_element_tensor(ty, &signature.element));
    if !vjp.takes_upstream && !is_borrowed {
        mistakes.on(
            &typed.ty,
            format!("`upstream` is a tensor: write `&{tensor}`, or `{tensor}` to reuse its buffer"),
        );
    }
    Some(name)
}

fn parameter(
    vjp: &Vjp,
    ident: &Ident,
    ty: &Type,
    signature: &Signature,
    body: &Body,
    mistakes: &mut Mistakes,
) -> Option<VjpParameter> {
    let count = vjp.operands.len();
    let serves_variadic = vjp
        .operands
        .iter()
        .any(|&position| signature.parameters[position].kind == ParameterKind::Variadic);
    match ident.to_string().as_str() {
        "wanted" if vjp.is_joint() => {
            if !is_bool_array(ty, count) {
                mistakes.on(
                    ty,
                    format!("one entry per operand of the list: write `wanted: [bool; {count}]`"),
                );
            }
            Some(VjpParameter::Wanted)
        }
        "wanted" => {
            // With no operand at all, the list has been reported already.
            if count == 1 {
                mistakes.on(ident, "`wanted` is for joint rules: this map serves one operand and runs only where it is wanted");
            }
            None
        }
        "index" if serves_variadic => {
            if !is_name(ty, "usize") {
                mistakes.on(ty, "the entry of a variadic operand: write `index: usize`");
            }
            Some(VjpParameter::Index)
        }
        "output_index" if signature.outputs.are_several() => {
            if !is_name(ty, "usize") {
                mistakes.on(
                    ty,
                    "which output the upstream belongs to: write `output_index: usize`",
                );
            }
            Some(VjpParameter::OutputIndex)
        }
        _ => saved::saved(ident, ty, signature, body, mistakes)
            .map(|saved| VjpParameter::Saved(Box::new(saved))),
    }
}

fn returned(vjp: &Vjp, signature: &Signature, mistakes: &mut Mistakes) {
    let tensor = tensor_text(&signature.element);
    let count = vjp.operands.len();
    let expected = if vjp.is_joint() {
        format!("Result<[Option<{tensor}>; {count}]>")
    } else {
        format!("Result<{tensor}>")
    };
    let ReturnType::Type(_, ty) = &vjp.function.sig.output else {
        mistakes.on(
            &vjp.function.sig.ident,
            format!("a reverse map returns its contribution: write `-> {expected}`"),
        );
        return;
    };
    if vjp.operands.is_empty() || signature.outputs == Outputs::Unknown {
        return;
    }
    let is_right = argument_of(ty, "Result").is_some_and(|value| {
        if !vjp.is_joint() {
            return is_element_tensor(value, &signature.element);
        }
        match bare(value) {
            Type::Array(array) => {
                literal_length(&array.len) == Some(count)
                    && argument_of(&array.elem, "Option")
                        .is_some_and(|entry| is_element_tensor(entry, &signature.element))
            }
            _ => false,
        }
    });
    if !is_right {
        let names = vjp
            .operands
            .iter()
            .filter_map(|&position| signature.parameters.get(position));
        let names: Vec<String> = names
            .map(|parameter| format!("`{}`", parameter.ident))
            .collect();
        mistakes.on(
            ty,
            format!(
                "`{}` serves {}: expected `{expected}`, got `{}`",
                vjp.function.sig.ident,
                names.join(", "),
                text::tidy(&ty.to_token_stream())
            ),
        );
    }
}
