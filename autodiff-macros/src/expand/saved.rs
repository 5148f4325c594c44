//! The saved contexts: one struct per reverse map, and the struct of a node that holds them.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;

use super::Context;
use crate::model::{ElementType, Form, Saved, Source, Vjp};
use crate::parse::mentions;

/// The reverse maps that save anything, with their positions.
pub fn saving<'a>(context: &Context<'a>) -> impl Iterator<Item = (usize, &'a Vjp)> + use<'a> {
    context
        .declaration
        .vjps
        .iter()
        .enumerate()
        .filter(|(_, vjp)| vjp.saved().next().is_some())
}

/// The name of the struct of one reverse map.
pub fn struct_name(context: &Context<'_>, position: usize) -> Ident {
    format_ident!("__VjpRuleSaved{position}", span = context.site)
}

/// The type of a node's saved context.
pub fn context_type(context: &Context<'_>) -> TokenStream {
    let arguments = if saving(context).any(|(_, vjp)| is_generic(context, vjp)) {
        context.arguments.clone()
    } else {
        TokenStream::new()
    };
    quote_spanned!(context.site=> __VjpRuleSaved #arguments)
}

fn is_generic(context: &Context<'_>, vjp: &Vjp) -> bool {
    match &context.declaration.signature.element {
        ElementType::Generic(element) => {
            let element = element.to_string();
            vjp.saved().any(|saved| mentions(&saved.ty, &element))
        }
        ElementType::F64 => false,
    }
}

/// The structs and what a trace sees of them.
pub fn structs(context: &Context<'_>) -> TokenStream {
    let Context {
        site,
        core,
        element,
        generics,
        arguments,
        bounds,
        ..
    } = context;
    let mut structs = TokenStream::new();
    let mut fields = TokenStream::new();
    let mut shown = TokenStream::new();
    let mut any_generic = false;
    for (position, vjp) in saving(context) {
        let name = struct_name(context, position);
        let map = &vjp.function.sig.ident;
        let own_fields = vjp.saved().map(|saved| {
            let (ident, ty) = (&saved.ident, field_type(context, saved));
            quote_spanned!(*site=> #ident: #ty)
        });
        let (own_generics, own_arguments, own_bounds) = if is_generic(context, vjp) {
            any_generic = true;
            (Some(generics), Some(arguments), *bounds)
        } else {
            (None, None, None)
        };
        structs.extend(quote_spanned! {*site=>
            struct #name #own_generics #own_bounds { #(#own_fields),* }
        });
        fields.extend(quote_spanned!(*site=> #map: ::core::option::Option<#name #own_arguments>,));
        let own_shown = vjp.saved().map(|saved| {
            let ident = &saved.ident;
            let text = ident.unraw().to_string();
            quote_spanned! {*site=>
                #core::SavedField { name: #text, value: (&#core::Shown(&saved.#ident)).show() }
            }
        });
        shown.extend(quote_spanned! {*site=>
            #position => if let ::core::option::Option::Some(saved) = &self.#map {
                return ::std::vec::Vec::from([#(#own_shown),*]);
            },
        });
    }
    let ty = context_type(context);
    let (node_generics, node_bounds) = if any_generic {
        (Some(generics), *bounds)
    } else {
        (None, None)
    };
    let fields = if fields.is_empty() {
        quote_spanned!(*site=> ;)
    } else {
        quote_spanned!(*site=> #node_bounds { #fields })
    };
    let body = if shown.is_empty() {
        quote_spanned!(*site=> ::std::vec::Vec::new())
    } else {
        quote_spanned! {*site=>
            #[allow(unused_imports)]
            use #core::{ShowByDebug as _, ShowKnown as _};
            match vjp {
                #shown
                _ => {}
            }
            ::std::vec::Vec::new()
        }
    };
    let vjp = if shown.is_empty() {
        quote_spanned!(*site=> _)
    } else {
        quote_spanned!(*site=> vjp)
    };
    quote_spanned! {*site=>
        #structs

        struct __VjpRuleSaved #node_generics #fields

        impl #generics #core::SavedContext<#element> for #ty #bounds {
            fn fields(&self, #vjp: ::core::primitive::usize) -> ::std::vec::Vec<#core::SavedField<#element>> {
                #body
            }

            fn as_any(&self) -> &dyn ::core::any::Any {
                self
            }
        }
    }
}

/// The type that a value is stored as.
pub fn field_type(context: &Context<'_>, saved: &Saved) -> TokenStream {
    let site = saved.ty.span().resolved_at(context.site);
    match &saved.form {
        Form::Owned => {
            let ty = &saved.ty;
            quote!(#ty)
        }
        Form::Borrowed(target) => quote!(#target),
        Form::Slice(entry) | Form::References(entry) => {
            quote_spanned!(site=> ::std::vec::Vec<#entry>)
        }
        Form::Text => quote_spanned!(site=> ::std::string::String),
        Form::OptionBorrowed(target) => quote_spanned!(site=> ::core::option::Option<#target>),
        Form::OptionSlice(entry) => {
            quote_spanned!(site=> ::core::option::Option<::std::vec::Vec<#entry>>)
        }
        Form::OptionText => quote_spanned!(site=> ::core::option::Option<::std::string::String>),
    }
}

/// The expression that stores `value`: a reference where the source is one, else a place.
pub fn store(context: &Context<'_>, saved: &Saved, value: &TokenStream) -> TokenStream {
    // At the type that the user wrote, so that rustc's message about a wrong one points there.
    let site = saved.ty.span().resolved_at(context.site);
    let is_local = matches!(saved.source, Source::Local(_));
    let field = field_type(context, saved);
    match &saved.form {
        Form::Owned if is_copy(&saved.ty) && !is_local => value.clone(),
        Form::Owned => quote_spanned!(site=> <#field as ::core::clone::Clone>::clone(&#value)),
        Form::Borrowed(_) => {
            quote_spanned!(site=> <#field as ::core::clone::Clone>::clone(&#value))
        }
        Form::Slice(entry) => quote_spanned!(site=> <[#entry]>::to_vec(&#value)),
        Form::Text => {
            quote_spanned!(site=> <::core::primitive::str as ::std::borrow::ToOwned>::to_owned(&#value))
        }
        Form::References(entry) => quote_spanned! {site=>
            ::core::iter::Iterator::collect(::core::iter::Iterator::cloned(
                ::core::iter::Iterator::copied(<[&#entry]>::iter(&#value))
            ))
        },
        Form::OptionBorrowed(_) | Form::OptionSlice(_) | Form::OptionText if is_local => {
            quote_spanned!(site=> <#field as ::core::clone::Clone>::clone(&#value))
        }
        Form::OptionBorrowed(target) => {
            quote_spanned!(site=> ::core::option::Option::<&#target>::cloned(#value))
        }
        Form::OptionSlice(entry) => {
            quote_spanned!(site=> ::core::option::Option::map(#value, <[#entry]>::to_vec))
        }
        Form::OptionText => quote_spanned! {site=>
            ::core::option::Option::map(#value, <::core::primitive::str as ::std::borrow::ToOwned>::to_owned)
        },
    }
}

/// The expression that passes a stored field to the reverse map.
pub fn load(context: &Context<'_>, saved: &Saved) -> TokenStream {
    let site = saved.ty.span().resolved_at(context.site);
    let ident = &saved.ident;
    let holder = context.local("saved");
    let field = quote_spanned!(site=> #holder.#ident);
    match &saved.form {
        Form::Owned if is_copy(&saved.ty) => field,
        Form::Owned => quote_spanned!(site=> ::core::clone::Clone::clone(&#field)),
        Form::Borrowed(_) | Form::Slice(_) | Form::Text => quote_spanned!(site=> &#field),
        Form::References(entry) => quote_spanned! {site=>
            &::core::iter::Iterator::collect::<::std::vec::Vec<_>>(<[#entry]>::iter(&#field))
        },
        Form::OptionBorrowed(_) => quote_spanned!(site=> ::core::option::Option::as_ref(&#field)),
        Form::OptionSlice(_) | Form::OptionText => {
            quote_spanned!(site=> ::core::option::Option::as_deref(&#field))
        }
    }
}

fn is_copy(ty: &syn::Type) -> bool {
    let text = quote!(#ty).to_string();
    matches!(text.as_str(), "usize" | "isize" | "bool" | "f64")
}
