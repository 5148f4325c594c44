//! The record that the declaration submits to the registry, and the test that checks it.

use proc_macro2::TokenStream;
use quote::{format_ident, quote_spanned};
use syn::ext::IdentExt;

use super::{Attributes, Context, cases};
use crate::model::{ElementType, Outputs, ParameterKind};
use crate::text;

/// The path of the operation, from which its ID comes.
fn path(context: &Context<'_>) -> TokenStream {
    let name = context.declaration.signature.ident.unraw().to_string();
    quote_spanned!(context.site=> ::core::concat!(::core::module_path!(), "::", #name))
}

/// The named test.
pub fn test(context: &Context<'_>, attributes: &Attributes) -> TokenStream {
    let Context {
        declaration,
        site,
        core,
        ..
    } = context;
    let ident = &declaration.signature.ident;
    let name = format_ident!("gradcheck_{}", ident.unraw(), span = ident.span());
    let path = path(context);
    let cfg = &attributes.cfg;
    quote_spanned! {*site=>
        #(#cfg)*
        #[cfg(test)]
        #[::core::prelude::v1::test]
        fn #name() {
            #core::check_rule(#path);
        }
    }
}

/// Name, path and ID.
pub fn identity(context: &Context<'_>) -> TokenStream {
    let Context {
        declaration,
        site,
        core,
        ..
    } = context;
    let name = match &declaration.options.name {
        Some(name) => name.value(),
        None => declaration.signature.ident.unraw().to_string(),
    };
    let path = path(context);
    quote_spanned! {*site=>
        static __VJP_RULE_IDENTITY: #core::Identity = #core::Identity::new(#name, #path);
        const __VJP_RULE_OPERATION: #core::Operation = #core::Operation::new(&__VJP_RULE_IDENTITY);
    }
}

/// Calls the operation with inputs chosen at run time.
pub fn call(context: &Context<'_>) -> TokenStream {
    let Context {
        declaration,
        site,
        core,
        ..
    } = context;
    let ident = &declaration.signature.ident;
    let arguments =
        declaration
            .signature
            .parameters
            .iter()
            .enumerate()
            .map(|(position, parameter)| {
                let ty = &parameter.ty;
                match parameter.kind {
                    ParameterKind::Operand => quote_spanned!(*site=> call.operand(#position)?),
                    ParameterKind::Variadic => quote_spanned!(*site=> &call.operands(#position)?),
                    ParameterKind::Optional => quote_spanned!(*site=> call.optional(#position)?),
                    ParameterKind::Constant => quote_spanned!(*site=> call.constant(#position)?),
                    ParameterKind::Indices => quote_spanned!(*site=> call.indices(#position)?),
                    ParameterKind::Mask => quote_spanned!(*site=> call.mask(#position)?),
                    ParameterKind::Argument | ParameterKind::Unknown => {
                        quote_spanned!(*site=> call.argument::<#ty>(#position)?)
                    }
                }
            });
    let outputs = match declaration.signature.outputs {
        Outputs::One | Outputs::Unknown => quote_spanned!(*site=> ::std::vec::Vec::from([output])),
        Outputs::List => quote_spanned!(*site=> output),
        Outputs::Array(_) => quote_spanned!(*site=> ::std::vec::Vec::from(output)),
        Outputs::Tuple(length) => {
            let names: Vec<_> = (0..length)
                .map(|entry| context.local(&format!("output_{entry}")))
                .collect();
            quote_spanned!(*site=> { let (#(#names,)*) = output; ::std::vec::Vec::from([#(#names),*]) })
        }
    };
    quote_spanned! {*site=>
        #[allow(deprecated)]
        fn __vjp_rule_call<V: #ident>(
            call: &#core::Call<<V as #core::Value>::Element, V>,
        ) -> ::core::result::Result<::std::vec::Vec<V>, #core::TensorAutodiffError> {
            let output = #ident(#(#arguments),*)?;
            ::core::result::Result::Ok(#outputs)
        }
    }
}

/// The record itself.
pub fn submit(context: &Context<'_>) -> TokenStream {
    let Context {
        declaration,
        site,
        core,
        ..
    } = context;
    let docs = text::docs(&declaration.signature.attributes);
    let parameters = declaration.signature.parameters.iter().map(|parameter| {
        let (name, ty) = (parameter.ident.unraw().to_string(), &parameter.ty);
        let ty = text::tidy(&quote::quote!(#ty));
        let kind = match parameter.kind {
            ParameterKind::Operand => quote_spanned!(*site=> Operand),
            ParameterKind::Variadic => quote_spanned!(*site=> Variadic),
            ParameterKind::Optional => quote_spanned!(*site=> Optional),
            ParameterKind::Constant | ParameterKind::Indices | ParameterKind::Mask => {
                quote_spanned!(*site=> Constant)
            }
            ParameterKind::Argument | ParameterKind::Unknown => quote_spanned!(*site=> Argument),
        };
        quote_spanned!(*site=> #core::Parameter { name: #name, kind: #core::ParameterKind::#kind, type_text: #ty })
    });
    let vjps = vjps(context);
    let outputs = if declaration.signature.outputs.are_several() {
        quote_spanned!(*site=> #core::Outputs::Several)
    } else {
        quote_spanned!(*site=> #core::Outputs::One)
    };
    let cases = cases::records(context);
    let elements = elements(context);
    quote_spanned! {*site=>
        #core::inventory::submit! {
            #core::Rule {
                operation: __VJP_RULE_OPERATION,
                docs: #docs,
                file: ::core::file!(),
                line: ::core::line!(),
                package: ::core::concat!(::core::env!("CARGO_PKG_NAME"), " ", ::core::env!("CARGO_PKG_VERSION")),
                parameters: &[#(#parameters),*],
                vjps: &[#vjps],
                outputs: #outputs,
                cases: #cases,
                #elements
            }
        }
    }
}

fn vjps(context: &Context<'_>) -> TokenStream {
    let Context {
        declaration,
        site,
        core,
        ..
    } = context;
    let vjps = declaration.vjps.iter().map(|vjp| {
        let function = vjp.function.sig.ident.unraw().to_string();
        let operands = vjp.operands.iter().filter_map(|&operand| {
            declaration
                .signature
                .parameters
                .get(operand)
                .map(|parameter| parameter.ident.unraw().to_string())
        });
        let (joint, words) = (vjp.is_joint(), &vjp.words);
        let saved = vjp.saved().map(|saved| {
            let (name, ty) = (saved.ident.unraw().to_string(), &saved.ty);
            let ty = text::tidy(&quote::quote!(#ty));
            quote_spanned!(*site=> #core::SavedName { name: #name, type_text: #ty })
        });
        quote_spanned! {*site=>
            #core::Vjp {
                function: #function,
                operands: &[#(#operands),*],
                joint: #joint,
                words: #words,
                saved: &[#(#saved),*],
            }
        }
    });
    quote_spanned!(*site=> #(#vjps),*)
}

fn elements(context: &Context<'_>) -> TokenStream {
    let Context {
        declaration,
        site,
        core,
        ..
    } = context;
    let some = |element: TokenStream, arguments: TokenStream| {
        quote_spanned! {*site=>
            ::core::option::Option::Some(#core::ElementRule {
                reverse: __vjp_rule_reverse #arguments,
                plain: __vjp_rule_call::<#core::Tensor<#element>>,
                taped: __vjp_rule_call::<#core::TensorValue<#element>>,
            })
        }
    };
    let of = |element: TokenStream| some(element.clone(), quote_spanned!(*site=> ::<#element>));
    let double = quote_spanned!(*site=> ::core::primitive::f64);
    let none = quote_spanned!(*site=> ::core::option::Option::None);
    let (single, double, dual) = match &declaration.signature.element {
        ElementType::Generic(_) => (
            of(quote_spanned!(*site=> ::core::primitive::f32)),
            of(double.clone()),
            of(quote_spanned!(*site=> #core::Dual<#double>)),
        ),
        ElementType::F64 => (none.clone(), some(double, TokenStream::new()), none),
    };
    quote_spanned!(*site=> f32: #single, f64: #double, dual: #dual,)
}
