//! Recognises the types of the grammar by how they are written.

use syn::{Expr, ExprLit, GenericArgument, Lit, PathArguments, Type, TypePath};

use crate::model::ElementType;

/// The type without the invisible groups and parentheses around it.
pub fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => bare(&group.elem),
        Type::Paren(paren) => bare(&paren.elem),
        other => other,
    }
}

/// The last segment of a path type: its name and its type arguments.
fn last_segment(ty: &Type) -> Option<(String, Vec<&Type>)> {
    let Type::Path(TypePath {
        qself: None, path, ..
    }) = bare(ty)
    else {
        return None;
    };
    let segment = path.segments.last()?;
    let arguments = match &segment.arguments {
        PathArguments::None => Vec::new(),
        PathArguments::AngleBracketed(bracketed) => bracketed
            .args
            .iter()
            .filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            })
            .collect(),
        PathArguments::Parenthesized(_) => return None,
    };
    Some((segment.ident.to_string(), arguments))
}

/// Whether the type is the plain name `name`.
pub fn is_name(ty: &Type, name: &str) -> bool {
    last_segment(ty).is_some_and(|(found, arguments)| found == name && arguments.is_empty())
}

/// The first type argument of `name<..>`.
pub fn argument_of<'a>(ty: &'a Type, name: &str) -> Option<&'a Type> {
    let (found, arguments) = last_segment(ty)?;
    if found == name {
        arguments.first().copied()
    } else {
        None
    }
}

/// The target of a shared reference.
pub fn referent(ty: &Type) -> Option<&Type> {
    match bare(ty) {
        Type::Reference(reference) if reference.mutability.is_none() => Some(bare(&reference.elem)),
        _ => None,
    }
}

/// The element of a slice.
pub fn slice_element(ty: &Type) -> Option<&Type> {
    match bare(ty) {
        Type::Slice(slice) => Some(bare(&slice.elem)),
        _ => None,
    }
}

/// What `Tensor<..>` holds, seen from a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorOf {
    /// The rule's element type.
    Element,
    /// `usize`.
    Indices,
    /// `bool`.
    Mask,
    /// Anything else.
    Other,
}

/// Whether the type is a `Tensor`, and of what.
pub fn tensor(ty: &Type, element: &ElementType) -> Option<TensorOf> {
    let (name, arguments) = last_segment(ty)?;
    if name != "Tensor" {
        return None;
    }
    Some(match arguments.first() {
        None => match element {
            ElementType::F64 => TensorOf::Element,
            ElementType::Generic(_) => TensorOf::Other,
        },
        Some(argument) if is_name(argument, "usize") => TensorOf::Indices,
        Some(argument) if is_name(argument, "bool") => TensorOf::Mask,
        Some(argument) => {
            let own = match element {
                ElementType::Generic(ident) => is_name(argument, &ident.to_string()),
                ElementType::F64 => is_name(argument, "f64"),
            };
            if own {
                TensorOf::Element
            } else {
                TensorOf::Other
            }
        }
    })
}

/// Whether the type is a `Tensor` of the rule's element type.
pub fn is_element_tensor(ty: &Type, element: &ElementType) -> bool {
    tensor(ty, element) == Some(TensorOf::Element)
}

/// Whether the type is `[bool; count]`.
pub fn is_bool_array(ty: &Type, count: usize) -> bool {
    match bare(ty) {
        Type::Array(array) => {
            is_name(&array.elem, "bool") && literal_length(&array.len) == Some(count)
        }
        _ => false,
    }
}

/// An array length that is a literal.
pub fn literal_length(length: &Expr) -> Option<usize> {
    match length {
        Expr::Lit(ExprLit {
            lit: Lit::Int(length),
            ..
        }) => length.base10_parse().ok(),
        Expr::Group(group) => literal_length(&group.expr),
        _ => None,
    }
}

/// Whether plain data of this type can be an argument.
pub fn is_argument(ty: &Type) -> bool {
    let plain = |ty: &Type| {
        ["usize", "isize", "bool", "f64"]
            .iter()
            .any(|name| is_name(ty, name))
            || referent(ty).is_some_and(|target| {
                is_name(target, "str")
                    || slice_element(target).is_some_and(|element| {
                        ["usize", "isize", "f64"]
                            .iter()
                            .any(|name| is_name(element, name))
                    })
            })
    };
    plain(ty) || argument_of(ty, "Option").is_some_and(plain)
}

/// Whether `name` occurs among the identifiers of the type.
pub fn mentions(ty: &Type, name: &str) -> bool {
    fn search(tokens: proc_macro2::TokenStream, name: &str) -> bool {
        tokens.into_iter().any(|token| match token {
            proc_macro2::TokenTree::Ident(ident) => ident == name,
            proc_macro2::TokenTree::Group(group) => search(group.stream(), name),
            _ => false,
        })
    }
    search(quote::ToTokens::to_token_stream(ty), name)
}
