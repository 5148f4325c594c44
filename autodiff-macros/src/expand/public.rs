//! The public name: a trait and a function that both bear the operation's name.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::{Attributes, Context};
use crate::model::{Outputs, Parameter, ParameterKind};
use crate::text;

/// The trait that makes the operation a method, and the function.
pub fn public(context: &Context<'_>, attributes: &Attributes) -> TokenStream {
    let Context {
        declaration,
        site,
        core,
        ..
    } = context;
    let signature = &declaration.signature;
    let (ident, visibility) = (&signature.ident, &signature.visibility);
    let Attributes {
        cfg,
        inline,
        hidden,
        function,
        ..
    } = attributes;
    let summary = text::docs(&signature.attributes);
    let summary = summary
        .lines()
        .take_while(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("\n");
    let trait_docs = format!("The operation [`{ident}`](fn@{ident}) as a bound, and as a method.");
    let method_docs = format!(
        "{summary}\n\nSee the function [`{ident}`](fn@{ident}).\n\n# Errors\n\nWhere the function fails."
    );
    let method = method(context, &quote_spanned!(*site=> Self));
    let value = quote_spanned!(*site=> V);
    let parameters = signature
        .parameters
        .iter()
        .map(|parameter| typed(context, parameter, &value));
    let outputs = outputs(context, &value);
    let lints = context.demanded_signature();
    let names = context.parameters();
    quote_spanned! {*site=>
        #(#cfg)*
        #(#hidden)*
        #[doc = #trait_docs]
        #[allow(non_camel_case_types)]
        #lints
        #visibility trait #ident: #core::Value {
            #[doc = #method_docs]
            #method;
        }

        #(#cfg)*
        #(#hidden)*
        #(#function)*
        #(#inline)*
        #lints
        #visibility fn #ident<V: #ident>(#(#parameters),*) -> ::core::result::Result<#outputs, #core::TensorAutodiffError> {
            <V as #ident>::#ident(#(#names),*)
        }
    }
}

/// The head of the trait's method, with or without `self`.
pub fn method(context: &Context<'_>, value: &TokenStream) -> TokenStream {
    let Context {
        declaration,
        site,
        core,
        ..
    } = context;
    let signature = &declaration.signature;
    let ident = &signature.ident;
    let parameters = signature
        .parameters
        .iter()
        .enumerate()
        .map(|(position, parameter)| {
            if position == 0 && parameter.kind == ParameterKind::Operand {
                quote_spanned!(*site=> &self)
            } else {
                typed(context, parameter, value)
            }
        });
    let outputs = outputs(context, value);
    quote_spanned! {*site=>
        fn #ident(#(#parameters),*) -> ::core::result::Result<#outputs, #core::TensorAutodiffError>
    }
}

/// The parameters as the method's body names them.
pub fn in_method<'a>(context: &Context<'a>) -> impl Iterator<Item = TokenStream> + use<'a> {
    let site = context.site;
    context
        .declaration
        .signature
        .parameters
        .iter()
        .enumerate()
        .map(move |(position, parameter)| {
            if position == 0 && parameter.kind == ParameterKind::Operand {
                quote_spanned!(site=> self)
            } else {
                let ident = &parameter.ident;
                quote!(#ident)
            }
        })
}

/// One parameter, where `value` stands for a plain or a taped tensor.
fn typed(context: &Context<'_>, parameter: &Parameter, value: &TokenStream) -> TokenStream {
    let Context { site, core, .. } = context;
    let Parameter { ident, kind, ty } = parameter;
    let ty = match kind {
        ParameterKind::Operand => quote_spanned!(*site=> &#value),
        ParameterKind::Variadic => quote_spanned!(*site=> &[&#value]),
        ParameterKind::Optional => quote_spanned!(*site=> ::core::option::Option<&#value>),
        ParameterKind::Constant => {
            quote_spanned!(*site=> &#core::Tensor<<#value as #core::Value>::Element>)
        }
        ParameterKind::Indices => quote_spanned!(*site=> &#core::Tensor<::core::primitive::usize>),
        ParameterKind::Mask => quote_spanned!(*site=> &#core::Tensor<::core::primitive::bool>),
        ParameterKind::Argument | ParameterKind::Unknown => quote!(#ty),
    };
    quote_spanned!(*site=> #ident: #ty)
}

/// What the operation returns, where `value` stands for a plain or a taped tensor.
pub fn outputs(context: &Context<'_>, value: &TokenStream) -> TokenStream {
    let site = context.site;
    match context.declaration.signature.outputs {
        Outputs::One | Outputs::Unknown => value.clone(),
        Outputs::List => quote_spanned!(site=> ::std::vec::Vec<#value>),
        Outputs::Array(length) => quote_spanned!(site=> [#value; #length]),
        Outputs::Tuple(length) => {
            let entries = (0..length).map(|_| value);
            quote_spanned!(site=> (#(#entries,)*))
        }
    }
}
