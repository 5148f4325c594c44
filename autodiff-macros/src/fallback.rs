//! What is emitted beside the messages of a faulty declaration, so that its callers do not break too.

use proc_macro2::TokenStream;
use quote::quote_spanned;
use syn::ItemFn;

use crate::expand::{Attributes, Context, method, public};
use crate::model::{Declaration, ElementType};

/// The public name with its signature, and no computation.
pub fn stub(declaration: &Declaration) -> TokenStream {
    let context = Context::new(declaration);
    let Context {
        site,
        core,
        element,
        ..
    } = &context;
    let ident = &declaration.signature.ident;
    let mut attributes = Attributes::of(&declaration.signature.attributes);
    attributes
        .function
        .retain(|attribute| attribute.path().is_ident("doc"));
    let public = public(&context, &attributes);
    let method = method(&context, &quote_spanned!(*site=> Self));
    let cfg = &attributes.cfg;
    // The user's generics may be at fault, and the element type's own bound is enough here.
    let generics = match &declaration.signature.element {
        ElementType::Generic(name) => quote_spanned!(*site=> <#name: #core::Element>),
        ElementType::F64 => TokenStream::new(),
    };
    quote_spanned! {*site=>
        #public

        #(#cfg)*
        #[allow(unused_variables)]
        const _: () = {
            impl #generics #ident for #core::Tensor<#element> {
                #method {
                    ::core::unreachable!()
                }
            }

            impl #generics #ident for #core::TensorValue<#element> {
                #method {
                    ::core::unreachable!()
                }
            }
        };
    }
}

/// A method cannot have a trait beside it: the function alone, without computation.
pub fn method_stub(function: &ItemFn) -> TokenStream {
    let mut function = function.clone();
    function
        .attrs
        .retain(|attribute| attribute.path().is_ident("cfg") || attribute.path().is_ident("doc"));
    for input in &mut function.sig.inputs {
        if let syn::FnArg::Typed(typed) = input {
            typed
                .attrs
                .retain(|attribute| !attribute.path().is_ident("constant"));
        }
    }
    let ItemFn {
        attrs, vis, sig, ..
    } = &function;
    quote_spanned! {proc_macro2::Span::mixed_site()=>
        #(#attrs)*
        #[allow(unused_variables)]
        #vis #sig { ::core::unreachable!() }
    }
}
