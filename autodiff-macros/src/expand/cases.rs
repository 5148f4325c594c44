//! The gradient-check cases: a function each that builds the inputs once extents are drawn.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote_spanned};
use syn::ext::IdentExt;
use syn::{Expr, Type};

use super::Context;
use crate::model::{Case, CaseKind, Extent, Input, Range, Shape};

/// The functions that build the inputs.
pub fn builders(context: &Context<'_>) -> TokenStream {
    let Context {
        declaration,
        site,
        core,
        ..
    } = context;
    let mut builders = TokenStream::new();
    for (position, case) in declaration.cases.iter().enumerate() {
        let CaseKind::Drawn { symbols, inputs } = &case.kind else {
            continue;
        };
        let name = builder(context, position);
        let extents = symbols
            .iter()
            .enumerate()
            .map(|(index, symbol)| quote_spanned!(*site=> let #symbol = drawn.extent(#index);));
        let mut choice = 0..;
        let parameters = declaration.signature.parameters.iter();
        let specs = inputs
            .iter()
            .zip(parameters)
            .map(|(input, parameter)| spec(context, input, &parameter.ty, &mut choice));
        let specs: Vec<TokenStream> = specs.collect();
        let drawn = if symbols.is_empty() && !uses_drawn(inputs) {
            quote_spanned!(*site=> _)
        } else {
            quote_spanned!(*site=> drawn)
        };
        builders.extend(quote_spanned! {*site=>
            fn #name(#drawn: &#core::Drawn) -> ::std::vec::Vec<#core::InputSpec> {
                #(#extents)*
                ::std::vec::Vec::from([#(#specs),*])
            }
        });
    }
    builders
}

/// The records of the cases.
pub fn records(context: &Context<'_>) -> TokenStream {
    let Context {
        declaration,
        site,
        core,
        ..
    } = context;
    let records = declaration
        .cases
        .iter()
        .enumerate()
        .map(|(position, Case { text, kind })| {
            let kind = match kind {
                CaseKind::Skipped(reason) => {
                    quote_spanned!(*site=> #core::CaseKind::Skipped { reason: #reason })
                }
                CaseKind::Drawn { symbols, inputs } => {
                    let name = builder(context, position);
                    let symbols = symbols.iter().map(|symbol| symbol.unraw().to_string());
                    let any_shape = any_shape(inputs);
                    let choices = choices(context, inputs);
                    quote_spanned! {*site=>
                        #core::CaseKind::Drawn {
                            symbols: &[#(#symbols),*],
                            any_shape: #any_shape,
                            choices: &[#(#choices),*],
                            build: #name,
                        }
                    }
                }
            };
            quote_spanned!(*site=> #core::Case { text: #text, kind: #kind })
        });
    quote_spanned!(*site=> &[#(#records),*])
}

fn builder(context: &Context<'_>, position: usize) -> Ident {
    format_ident!("__vjp_rule_case_{position}", span = context.site)
}

fn choices(context: &Context<'_>, inputs: &[Input]) -> Vec<TokenStream> {
    let Context {
        declaration,
        site,
        core,
        ..
    } = context;
    let parameters = &declaration.signature.parameters;
    inputs
        .iter()
        .zip(parameters)
        .filter_map(|(input, parameter)| match input {
            Input::Argument(choices) if choices.len() > 1 => {
                let (argument, count) = (parameter.ident.unraw().to_string(), choices.len());
                Some(quote_spanned!(*site=> #core::Choice { argument: #argument, count: #count }))
            }
            _ => None,
        })
        .collect()
}

fn shapes(inputs: &[Input]) -> impl Iterator<Item = &Shape> {
    inputs.iter().flat_map(|input| match input {
        Input::Tensor(shape, _) | Input::Indices(shape, _) | Input::Mask(shape) => {
            std::slice::from_ref(shape)
        }
        Input::Tensors(shapes, _) => shapes,
        Input::Absent | Input::Argument(_) => &[],
    })
}

fn any_shape(inputs: &[Input]) -> bool {
    shapes(inputs).any(|shape| shape.0.iter().any(|extent| matches!(extent, Extent::Any)))
}

fn uses_drawn(inputs: &[Input]) -> bool {
    any_shape(inputs)
        || inputs
            .iter()
            .any(|input| matches!(input, Input::Argument(choices) if choices.len() > 1))
}

fn spec(
    context: &Context<'_>,
    input: &Input,
    ty: &Type,
    choice: &mut std::ops::RangeFrom<usize>,
) -> TokenStream {
    let Context { site, core, .. } = context;
    match input {
        Input::Tensor(shape, ranges) => {
            let (shape, ranges) = (self::shape(context, shape), self::ranges(context, ranges));
            quote_spanned!(*site=> #core::InputSpec::Tensor { shape: #shape, ranges: #ranges })
        }
        Input::Tensors(shapes, ranges) => {
            let shapes = shapes.iter().map(|shape| self::shape(context, shape));
            let ranges = self::ranges(context, ranges);
            quote_spanned! {*site=>
                #core::InputSpec::Tensors { shapes: ::std::vec::Vec::from([#(#shapes),*]), ranges: #ranges }
            }
        }
        Input::Absent => quote_spanned!(*site=> #core::InputSpec::Absent),
        Input::Indices(shape, ranges) => {
            let (shape, ranges) = (self::shape(context, shape), self::ranges(context, ranges));
            quote_spanned!(*site=> #core::InputSpec::Indices { shape: #shape, ranges: #ranges })
        }
        Input::Mask(shape) => {
            let shape = self::shape(context, shape);
            quote_spanned!(*site=> #core::InputSpec::Mask { shape: #shape })
        }
        Input::Argument(choices) => {
            let value = argument(context, choices, ty, choice);
            quote_spanned!(*site=> #core::InputSpec::Argument(#value))
        }
    }
}

fn argument(
    context: &Context<'_>,
    choices: &[Expr],
    ty: &Type,
    choice: &mut std::ops::RangeFrom<usize>,
) -> TokenStream {
    let Context { site, core, .. } = context;
    let value = |expr: &Expr| quote_spanned!(*site=> <#core::ArgumentValue as ::core::convert::From<#ty>>::from(#expr));
    let Some((last, others)) = choices.split_last() else {
        return TokenStream::new();
    };
    if others.is_empty() {
        return value(last);
    }
    let index = choice.next().unwrap_or_default();
    let arms = others.iter().enumerate().map(|(position, expr)| {
        let value = value(expr);
        quote_spanned!(*site=> #position => #value,)
    });
    let last = value(last);
    quote_spanned! {*site=>
        match drawn.choice(#index) {
            #(#arms)*
            _ => #last,
        }
    }
}

fn shape(context: &Context<'_>, shape: &Shape) -> TokenStream {
    let site = context.site;
    let split = shape
        .0
        .iter()
        .position(|extent| matches!(extent, Extent::Any));
    let extents = |extents: &[Extent]| {
        let extents = extents.iter().filter_map(|extent| match extent {
            Extent::One(extent) => Some(extent),
            Extent::Any => None,
        });
        quote_spanned!(site=> [#(#extents),*])
    };
    match split {
        None => {
            let extents = extents(&shape.0);
            quote_spanned!(site=> ::std::vec::Vec::<::core::primitive::usize>::from(#extents))
        }
        Some(split) => {
            let (before, after) = shape.0.split_at(split);
            let (before, after) = (extents(before), extents(after));
            quote_spanned! {site=>
                <[&[::core::primitive::usize]]>::concat(&[&#before, drawn.any_shape(), &#after])
            }
        }
    }
}

fn ranges(context: &Context<'_>, ranges: &[Range]) -> TokenStream {
    let site = context.site;
    let ranges = ranges
        .iter()
        .map(|Range { low, high }| quote_spanned!(site=> (#low, #high)));
    quote_spanned!(site=> ::std::vec::Vec::from([#(#ranges),*]))
}
