//! What a reverse map saves: where each value comes from, and how it is stored.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::Type;

use super::parameter::{is_optional, is_variadic};
use super::signature::tensor_text;
use super::types::{
    TensorOf, argument_of, bare, is_name, mentions, referent, slice_element, tensor,
};
use crate::diag::Mistakes;
use crate::model::{Body, ElementType, Form, Outputs, ParameterKind, Saved, Signature, Source};
use crate::text;

/// Resolves one saved name: the output, then a parameter of the operation, then a top-level local.
pub fn saved(
    ident: &Ident,
    ty: &Type,
    signature: &Signature,
    body: &Body,
    mistakes: &mut Mistakes,
) -> Option<Saved> {
    let ident = &named(ident, signature, body);
    let source = source(ident, signature, body, mistakes)?;
    if mentions(ty, "TensorValue") {
        mistakes.on(
            ty,
            "a saved context never holds a handle to the tape: save the plain tensor",
        );
        return None;
    }
    if is_mutable(ty) {
        mistakes.on(
            ty,
            "saved values are shared by later passes: take `&` and clone what has to change",
        );
        return None;
    }
    if matches!(bare(ty), Type::ImplTrait(_) | Type::Infer(_)) {
        mistakes.on(
            ty,
            "the type is that of a field of the saved context: write it out",
        );
        return None;
    }
    if let Some(expected) = mismatch(&source, ty, signature) {
        mistakes.on(
            ty,
            format!("`{ident}` is saved as what it is: write `{ident}: {expected}`"),
        );
        return None;
    }
    Some(Saved {
        ident: ident.clone(),
        ty: ty.clone(),
        source,
        form: form(ty),
    })
}

/// What is saved under `ident`: `_axis` is an `axis` that a trace shows and the map does not read.
pub fn named(ident: &Ident, signature: &Signature, body: &Body) -> Ident {
    let is_known = |name: &Ident| {
        name == "output"
            || signature.parameters.iter().any(|p| p.ident == *name)
            || body.locals.contains(name)
    };
    let stripped = ident.to_string().strip_prefix('_').and_then(|name| {
        syn::parse_str::<Ident>(name).ok().map(|mut name| {
            name.set_span(ident.span());
            name
        })
    });
    match stripped {
        Some(stripped) if !is_known(ident) && is_known(&stripped) => stripped,
        _ => ident.clone(),
    }
}

fn source(
    ident: &Ident,
    signature: &Signature,
    body: &Body,
    mistakes: &mut Mistakes,
) -> Option<Source> {
    if ident == "output" {
        return Some(Source::Output);
    }
    let parameter = signature.parameters.iter().position(|p| p.ident == *ident);
    let local = body.locals.iter().find(|local| *local == ident);
    match (parameter, local) {
        (Some(_), Some(local)) => {
            mistakes.on(
                ident,
                format!("`{local}` is a parameter and a local of the body: rename the local, so that it is clear which is saved"),
            );
            None
        }
        (Some(position), None) => Some(Source::Parameter(position)),
        (None, Some(local)) => Some(Source::Local(local.clone())),
        (None, None) => {
            mistakes.on(ident, unknown(ident, signature, body));
            None
        }
    }
}

fn unknown(ident: &Ident, signature: &Signature, body: &Body) -> String {
    match ident.to_string().as_str() {
        "index" => {
            return "`index` is for the map of a variadic operand `&[&Tensor<T>]`: remove it"
                .to_owned();
        }
        "output_index" => {
            return "`output_index` is for operations with several outputs: remove it".to_owned();
        }
        _ => {}
    }
    let mut known = vec!["`output`".to_owned()];
    known.extend(
        signature
            .parameters
            .iter()
            .map(|p| format!("`{}`", p.ident)),
    );
    known.extend(body.locals.iter().map(|local| format!("`{local}`")));
    format!(
        "nothing to save is named `{ident}`: write one of {}, or bind it by a `let` at the top level of the body",
        known.join(", ")
    )
}

fn is_mutable(ty: &Type) -> bool {
    match bare(ty) {
        Type::Reference(reference) => reference.mutability.is_some() || is_mutable(&reference.elem),
        other => argument_of(other, "Option").is_some_and(is_mutable),
    }
}

/// The type to write where a tensor is saved as something else; other types are left to rustc.
fn mismatch(source: &Source, ty: &Type, signature: &Signature) -> Option<String> {
    let element: &ElementType = &signature.element;
    let own = tensor_text(element);
    let one = |wanted: TensorOf| {
        tensor(ty, element) == Some(wanted)
            || referent(ty).and_then(|target| tensor(target, element)) == Some(wanted)
    };
    let kind = match source {
        Source::Local(_) => return None,
        Source::Output if signature.outputs == Outputs::Unknown => return None,
        Source::Output => ParameterKind::Operand,
        Source::Parameter(position) => signature.parameters.get(*position)?.kind,
    };
    let (fits, expected) = match kind {
        ParameterKind::Operand | ParameterKind::Constant => {
            (one(TensorOf::Element), format!("&{own}"))
        }
        ParameterKind::Indices => (one(TensorOf::Indices), "&Tensor<usize>".to_owned()),
        ParameterKind::Mask => (one(TensorOf::Mask), "&Tensor<bool>".to_owned()),
        ParameterKind::Variadic => (is_variadic(ty, element), format!("&[&{own}]")),
        ParameterKind::Optional => (is_optional(ty, element), format!("Option<&{own}>")),
        ParameterKind::Argument => argument_fits(ty, source, signature)?,
        ParameterKind::Unknown => return None,
    };
    if fits { None } else { Some(expected) }
}

/// Whether an argument is saved as its own type or a reference to it, and that type.
fn argument_fits(ty: &Type, source: &Source, signature: &Signature) -> Option<(bool, String)> {
    let Source::Parameter(position) = source else {
        return None;
    };
    let written = |ty: &Type| text::tidy(&bare(ty).to_token_stream());
    let own = written(&signature.parameters.get(*position)?.ty);
    let fits = written(ty) == own || referent(ty).is_some_and(|target| written(target) == own);
    Some((fits, own))
}

fn form(ty: &Type) -> Form {
    let list = |target: &Type| slice_element(target).cloned();
    if let Some(target) = referent(ty) {
        if let Some(entry) = slice_element(target).and_then(referent) {
            return Form::References(entry.clone());
        }
        if is_name(target, "str") {
            return Form::Text;
        }
        return list(target).map_or_else(|| Form::Borrowed(target.clone()), Form::Slice);
    }
    match argument_of(ty, "Option").and_then(referent) {
        Some(target) if is_name(target, "str") => Form::OptionText,
        Some(target) => {
            list(target).map_or_else(|| Form::OptionBorrowed(target.clone()), Form::OptionSlice)
        }
        None => Form::Owned,
    }
}
