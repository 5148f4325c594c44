//! The reverse maps as the user wrote them, and the function that the tape calls them through.

use proc_macro2::TokenStream;
use quote::quote_spanned;

use super::Context;
use super::saved::{context_type, load, saving};
use crate::model::{Vjp, VjpParameter};

/// The user's functions, with the generics of the rule.
pub fn maps(context: &Context<'_>) -> TokenStream {
    let Context {
        declaration, site, ..
    } = context;
    let generics = &declaration.signature.generics;
    let lints = context.demanded_signature();
    let maps = declaration.vjps.iter().map(|vjp| {
        let mut function = vjp.function.clone();
        function.sig.generics = generics.clone();
        quote_spanned!(*site=> #lints #function)
    });
    quote_spanned!(*site=> #(#maps)*)
}

/// Finds what an edge saved and calls the reverse map that it is for.
pub fn dispatch(context: &Context<'_>) -> TokenStream {
    let Context {
        declaration,
        site,
        core,
        element,
        generics,
        bounds,
        ..
    } = context;
    let foreign = quote_spanned! {*site=>
        ::core::result::Result::Err(#core::TensorAutodiffError::SavedContextMismatch { operation: __VJP_RULE_OPERATION })
    };
    let (saved, downcast) = if saving(context).next().is_some() {
        let ty = context_type(context);
        let downcast = quote_spanned! {*site=>
            let ::core::option::Option::Some(saved) =
                <dyn ::core::any::Any>::downcast_ref::<#ty>(#core::SavedContext::<#element>::as_any(saved))
            else {
                return #foreign;
            };
        };
        (quote_spanned!(*site=> saved), downcast)
    } else {
        (quote_spanned!(*site=> _), TokenStream::new())
    };
    let arms = declaration.vjps.iter().enumerate().map(|(position, vjp)| {
        let body = apply(context, vjp, &foreign);
        quote_spanned!(*site=> #position => { #body })
    });
    quote_spanned! {*site=>
        fn __vjp_rule_named<E>(error: E) -> #core::TensorAutodiffError
        where
            #core::TensorAutodiffError: ::core::convert::From<E>,
        {
            <#core::TensorAutodiffError as ::core::convert::From<E>>::from(error).in_operation(__VJP_RULE_OPERATION)
        }

        fn __vjp_rule_reverse #generics (
            #saved: &dyn #core::SavedContext<#element>,
            call: #core::ReverseCall<'_, #element>,
        ) -> ::core::result::Result<#core::Contributions<#element>, #core::TensorAutodiffError> #bounds {
            #downcast
            match call.vjp {
                #(#arms)*
                _ => #foreign,
            }
        }
    }
}

fn apply(context: &Context<'_>, vjp: &Vjp, foreign: &TokenStream) -> TokenStream {
    let Context { site, core, .. } = context;
    let map = &vjp.function.sig.ident;
    let count = vjp.operands.len();
    let find = vjp.saved().next().map(|_| {
        quote_spanned! {*site=>
            let ::core::option::Option::Some(saved) = &saved.#map else { return #foreign; };
        }
    });
    let wanted = vjp.is_joint().then(|| {
        quote_spanned! {*site=>
            let ::core::result::Result::Ok(wanted) =
                <[::core::primitive::bool; #count] as ::core::convert::TryFrom<&[::core::primitive::bool]>>::try_from(call.wanted)
            else {
                return #foreign;
            };
        }
    });
    let upstream = if vjp.takes_upstream {
        quote_spanned!(*site=> call.upstream)
    } else {
        quote_spanned!(*site=> &call.upstream)
    };
    let arguments = vjp.parameters.iter().map(|parameter| match parameter {
        VjpParameter::Wanted => quote_spanned!(*site=> wanted),
        VjpParameter::Index => quote_spanned!(*site=> call.index),
        VjpParameter::OutputIndex => quote_spanned!(*site=> call.output_index),
        VjpParameter::Saved(saved) => load(context, saved),
    });
    let wrap = if vjp.is_joint() {
        quote_spanned! {*site=>
            |contributions| #core::Contributions::Joint(::core::iter::Iterator::collect(
                ::core::iter::IntoIterator::into_iter(contributions)
            ))
        }
    } else {
        quote_spanned!(*site=> #core::Contributions::One)
    };
    quote_spanned! {*site=>
        #find
        #wanted
        #map(#upstream, #(#arguments),*).map(#wrap).map_err(__vjp_rule_named)
    }
}
