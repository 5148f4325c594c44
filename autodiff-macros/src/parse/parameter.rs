//! The parameters of an annotated function.

use quote::format_ident;
use syn::spanned::Spanned;
use syn::{Meta, PatType, Type};

use super::signature::{plain_name, tensor_text};
use super::types::{
    TensorOf, argument_of, bare, is_argument, is_element_tensor, is_name, referent, slice_element,
    tensor,
};
use crate::diag::Mistakes;
use crate::model::{ElementType, Parameter, ParameterKind};

/// Reads one parameter; one that is not understood is reported and kept, so that calls still fit.
pub fn parameter(
    typed: &PatType,
    position: usize,
    element: &ElementType,
    mistakes: &mut Mistakes,
) -> Parameter {
    let constant = has_constant(typed, mistakes);
    let Some(ident) = plain_name(&typed.pat, mistakes) else {
        return unknown(typed, position);
    };
    let ty = typed.ty.as_ref().clone();
    let kind = match kind(&ty, constant, element) {
        Ok(kind) => kind,
        Err(advice) => {
            mistakes.on(&ty, advice);
            ParameterKind::Unknown
        }
    };
    Parameter { ident, kind, ty }
}

/// The parameter of a stub, whose name nobody reads.
pub fn unknown(typed: &PatType, position: usize) -> Parameter {
    Parameter {
        ident: format_ident!("argument_{position}", span = typed.span()),
        kind: ParameterKind::Unknown,
        ty: typed.ty.as_ref().clone(),
    }
}

fn has_constant(typed: &PatType, mistakes: &mut Mistakes) -> bool {
    let mut constant = false;
    for attribute in &typed.attrs {
        if !attribute.path().is_ident("constant") {
            mistakes.on(
                attribute,
                "only `#[constant]` can stand on a parameter of a rule",
            );
        } else if !matches!(attribute.meta, Meta::Path(_)) {
            mistakes.on(attribute, "`#[constant]` takes no arguments");
            constant = true;
        } else if constant {
            mistakes.on(attribute, "`#[constant]` is given twice");
        } else {
            constant = true;
        }
    }
    constant
}

fn kind(ty: &Type, constant: bool, element: &ElementType) -> Result<ParameterKind, String> {
    let own = tensor_text(element);
    let kind = if let Some(content) = referent(ty).and_then(|target| tensor(target, element)) {
        match content {
            TensorOf::Element if constant => ParameterKind::Constant,
            TensorOf::Indices if constant => ParameterKind::Indices,
            TensorOf::Mask if constant => ParameterKind::Mask,
            TensorOf::Element => ParameterKind::Operand,
            TensorOf::Indices => {
                return Err(
                    "indices are never differentiated: write `#[constant]` before the name"
                        .to_owned(),
                );
            }
            TensorOf::Mask => {
                return Err(
                    "conditions are never differentiated: write `#[constant]` before the name"
                        .to_owned(),
                );
            }
            TensorOf::Other if constant => {
                return Err(format!(
                    "a constant is `&{own}`, `&Tensor<usize>` or `&Tensor<bool>`"
                ));
            }
            TensorOf::Other => {
                return Err(format!(
                    "an operand has the element type of the rule: write `&{own}`"
                ));
            }
        }
    } else if is_variadic(ty, element) {
        ParameterKind::Variadic
    } else if is_optional(ty, element) {
        ParameterKind::Optional
    } else if is_argument(ty) {
        ParameterKind::Argument
    } else {
        return Err(advice(ty, element));
    };
    match kind {
        ParameterKind::Argument if constant => Err(
            "`#[constant]` is for tensors, and an argument is constant anyway: remove it"
                .to_owned(),
        ),
        ParameterKind::Variadic | ParameterKind::Optional if constant => Err(format!(
            "a constant is one tensor: write `&{own}`, `&Tensor<usize>` or `&Tensor<bool>`"
        )),
        kind => Ok(kind),
    }
}

/// Whether the type is `&[&Tensor<T>]`.
pub fn is_variadic(ty: &Type, element: &ElementType) -> bool {
    referent(ty)
        .and_then(slice_element)
        .and_then(referent)
        .is_some_and(|target| is_element_tensor(target, element))
}

/// Whether the type is `Option<&Tensor<T>>`.
pub fn is_optional(ty: &Type, element: &ElementType) -> bool {
    argument_of(ty, "Option")
        .and_then(referent)
        .is_some_and(|target| is_element_tensor(target, element))
}

/// What to write instead of a type that is not in the grammar.
fn advice(ty: &Type, element: &ElementType) -> String {
    let own = tensor_text(element);
    let any_tensor = |ty: &Type| tensor(ty, element).is_some() || is_handle(ty);
    let under_references = {
        let mut target = bare(ty);
        while let Type::Reference(reference) = target {
            target = bare(&reference.elem);
        }
        target
    };
    let list = slice_element(under_references)
        .or_else(|| argument_of(under_references, "Vec"))
        .or_else(|| match under_references {
            Type::Array(array) => Some(bare(&array.elem)),
            _ => None,
        });
    let optional = argument_of(under_references, "Option");
    if matches!(ty, Type::ImplTrait(_)) {
        return format!(
            "a parameter has a type of its own: write `&{own}` or `f64` instead of `impl Trait`"
        );
    }
    if is_handle(under_references) {
        return format!(
            "a rule works on plain tensors, and its taped form is generated: write `&{own}`"
        );
    }
    if any_tensor(under_references) {
        return format!("operands are borrowed and never changed: write `&{own}`");
    }
    if let Some(entry) = list {
        if referent(entry).is_some_and(any_tensor) || any_tensor(entry) {
            return format!("any number of operands is a slice of references: write `&[&{own}]`");
        }
        if is_argument(&syn::parse_quote!(&[#entry])) {
            let entry = quote::ToTokens::to_token_stream(entry);
            return format!("a list is borrowed: write `&[{entry}]`");
        }
    }
    if optional.is_some_and(|inner| any_tensor(referent(inner).unwrap_or(inner))) {
        return format!("an operand that may be absent is written `Option<&{own}>`");
    }
    if is_name(under_references, "String") {
        return "a text is borrowed: write `&str`".to_owned();
    }
    let is_element = match element {
        ElementType::Generic(ident) => is_name(under_references, &ident.to_string()),
        ElementType::F64 => false,
    };
    if is_element || is_name(under_references, "f32") {
        return "a number is an argument in double precision: write `f64`, and `T::from_f64` in the body".to_owned();
    }
    format!(
        "not a type of the grammar: write `&{own}`, `&[&{own}]` or `Option<&{own}>` for an operand, and usize, \
         isize, bool, f64, &[usize], &[isize], &[f64], &str or an Option of these for an argument"
    )
}

fn is_handle(ty: &Type) -> bool {
    is_name(ty, "TensorValue") || argument_of(ty, "TensorValue").is_some()
}
