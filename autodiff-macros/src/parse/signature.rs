//! The head of an annotated function.

use proc_macro2::Ident;
use quote::ToTokens;
use syn::{Attribute, FnArg, GenericParam, ItemFn, Pat, ReturnType, Type};

use super::parameter;
use super::types::{argument_of, bare, is_element_tensor, literal_length};
use crate::diag::Mistakes;
use crate::model::{ElementType, Outputs, Parameter, ParameterKind, Signature};

/// Reads the head; what is wrong is reported and marked as unknown.
pub fn signature(
    function: &ItemFn,
    attributes: Vec<Attribute>,
    mistakes: &mut Mistakes,
) -> Signature {
    let head = &function.sig;
    plain_function(function, mistakes);
    let element = element(function, mistakes);
    let mut parameters: Vec<Parameter> = Vec::new();
    for (position, input) in head.inputs.iter().enumerate() {
        match input {
            FnArg::Receiver(receiver) => mistakes.on(
                receiver,
                "a rule is a free function: take the first operand as `x: &Tensor<T>` instead of `self`",
            ),
            FnArg::Typed(typed) => {
                let mut parameter = parameter::parameter(typed, position, &element, mistakes);
                if parameters.iter().any(|earlier| earlier.ident == parameter.ident) {
                    mistakes.on(
                        &parameter.ident,
                        format!("two parameters are named `{}`", parameter.ident),
                    );
                    parameter = parameter::unknown(typed, position);
                }
                parameters.push(parameter);
            }
        }
    }
    let has_operand = parameters.iter().any(|p| p.kind.is_differentiable());
    let is_understood = function.sig.receiver().is_none()
        && parameters.iter().all(|p| p.kind != ParameterKind::Unknown);
    if is_understood && !has_operand {
        mistakes.on(
            &head.ident,
            "a rule has at least one operand: write `x: &Tensor<T>` among the parameters",
        );
    }
    let (outputs, result) = outputs(function, &element, mistakes);
    Signature {
        attributes,
        visibility: function.vis.clone(),
        ident: head.ident.clone(),
        element,
        generics: head.generics.clone(),
        parameters,
        outputs,
        result,
    }
}

/// Reports every qualifier that neither a rule nor a reverse map can have.
pub fn plain_function(function: &ItemFn, mistakes: &mut Mistakes) {
    let head = &function.sig;
    let advice = |qualifier: &str| format!("this is a plain function: remove `{qualifier}`");
    if let Some(token) = &head.constness {
        mistakes.on(token, advice("const"));
    }
    if let Some(token) = &head.asyncness {
        mistakes.on(token, advice("async"));
    }
    let safety = head.safety.to_token_stream();
    if !safety.is_empty() {
        let text = safety.to_string();
        mistakes.on(safety, advice(&text));
    }
    if let Some(abi) = &head.abi {
        mistakes.on(abi, advice("extern"));
    }
    if let Some(variadic) = &head.variadic {
        mistakes.on(
            variadic,
            "write `inputs: &[&Tensor<T>]` for any number of operands",
        );
    }
}

fn element(function: &ItemFn, mistakes: &mut Mistakes) -> ElementType {
    let generics = &function.sig.generics;
    let mut element: Option<&Ident> = None;
    for parameter in &generics.params {
        match parameter {
            GenericParam::Lifetime(lifetime) => mistakes.on(
                lifetime,
                "a rule has no lifetime parameters: write its references without one",
            ),
            GenericParam::Const(constant) => mistakes.on(
                constant,
                format!(
                    "a rule has no const parameters: pass `{}: usize` instead",
                    constant.ident.to_string().to_lowercase()
                ),
            ),
            GenericParam::Type(ty) if element.is_some() => mistakes.on(
                ty,
                "a rule has one type parameter, the element type: remove this one",
            ),
            GenericParam::Type(ty) => {
                element = Some(&ty.ident);
                if ty.bounds.is_empty() && generics.where_clause.is_none() {
                    mistakes.on(
                        ty,
                        format!(
                            "the element type needs its bound: write `{}: Element`",
                            ty.ident
                        ),
                    );
                }
                if let Some((_, default)) = &ty.default {
                    mistakes.on(default, "the element type has no default: remove it");
                }
            }
        }
    }
    match element {
        Some(ident) => ElementType::Generic(ident.clone()),
        None => ElementType::F64,
    }
}

/// How the element type is written in advice.
pub fn tensor_text(element: &ElementType) -> String {
    match element {
        ElementType::Generic(ident) => format!("Tensor<{ident}>"),
        ElementType::F64 => "Tensor<f64>".to_owned(),
    }
}

/// The name of a parameter that is just `name: Type`. One that is `mut` is reported and still has a name.
pub fn plain_name(pattern: &Pat, mistakes: &mut Mistakes) -> Option<Ident> {
    match pattern {
        Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
            let ident = &name.ident;
            if name.mutability.is_some() {
                mistakes.on(
                    name,
                    format!(
                        "a parameter is one plain name: write `{ident}`, and `let mut {ident} = {ident};` in the body"
                    ),
                );
            }
            Some(ident.clone())
        }
        other => {
            mistakes.on(
                other,
                "a parameter is one plain name: take the value apart in the body",
            );
            None
        }
    }
}

fn outputs(function: &ItemFn, element: &ElementType, mistakes: &mut Mistakes) -> (Outputs, Type) {
    let tensor = tensor_text(element);
    let advice = format!(
        "expected `Result<{tensor}>`, or `Result` of `Vec<{tensor}>`, `[{tensor}; 2]` or `({tensor}, {tensor})`"
    );
    let ty = match &function.sig.output {
        ReturnType::Type(_, ty) => ty.as_ref().clone(),
        ReturnType::Default => {
            mistakes.on(
                &function.sig.ident,
                format!("a rule returns a tensor: write `-> Result<{tensor}>`"),
            );
            return (Outputs::Unknown, syn::parse_quote!(()));
        }
    };
    let is_tensor = |ty: &Type| is_element_tensor(ty, element);
    let Some(value) = argument_of(&ty, "Result") else {
        mistakes.on(&ty, advice);
        return (Outputs::Unknown, ty);
    };
    let outputs = match bare(value) {
        value if is_tensor(value) => Outputs::One,
        value if argument_of(value, "Vec").is_some_and(is_tensor) => Outputs::List,
        Type::Tuple(tuple) if !tuple.elems.is_empty() && tuple.elems.iter().all(is_tensor) => {
            Outputs::Tuple(tuple.elems.len())
        }
        Type::Array(array) if is_tensor(&array.elem) => match literal_length(&array.len) {
            Some(length) => Outputs::Array(length),
            None => {
                mistakes.on(
                    &array.len,
                    format!("the number of outputs is a literal here: write `[{tensor}; 2]`, or return `Vec<{tensor}>`"),
                );
                Outputs::Unknown
            }
        },
        _ => {
            mistakes.on(value, advice);
            Outputs::Unknown
        }
    };
    (outputs, ty)
}
