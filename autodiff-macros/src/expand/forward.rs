//! The forward computation, which also fills the saved contexts of the edges that want one.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{GenericArgument, PathArguments, Type};

use super::saved::{context_type, saving, store, struct_name};
use super::{Attributes, Context};
use crate::model::{Outputs, Saved, Source, Vjp};
use crate::parse::bare;

/// Whether a reverse map saves a local, so that the body cannot stay a function of its own.
pub fn saves_locals(context: &Context<'_>) -> bool {
    context.declaration.vjps.iter().any(Vjp::saves_a_local)
}

/// The user's computation on its own where no local is saved, and the forward function.
pub fn forward(context: &Context<'_>, attributes: &Attributes) -> TokenStream {
    let Context {
        declaration,
        site,
        generics,
        bounds,
        ..
    } = context;
    let inline = &attributes.inline;
    let parameters: Vec<TokenStream> = declaration
        .signature
        .parameters
        .iter()
        .map(|parameter| {
            let (ident, ty) = (&parameter.ident, &parameter.ty);
            quote_spanned!(*site=> #ident: #ty)
        })
        .collect();
    let result = &declaration.signature.result;
    let lints = context.demanded_signature();
    let count = declaration.vjps.len();
    let (output, wants) = (context.local("output"), context.local("wants"));
    let (primal, computation) = if saves_locals(context) {
        (TokenStream::new(), inlined(context, &output, &wants))
    } else {
        let block = &declaration.body.block;
        // What only a reverse map reads is read: rustc is not to call it unused here.
        let read = saved_parameters(context);
        let primal = quote_spanned! {*site=>
            #lints
            #(#inline)*
            fn __vjp_rule_primal #generics (#(#parameters),*) -> #result #bounds {
                #(let _ = &#read;)*
                #block
            }
        };
        let names = context.parameters();
        (
            primal,
            quote_spanned!(*site=> let #output = __vjp_rule_primal(#(#names),*)?;),
        )
    };
    let (contexts, contexts_type) = contexts(context, &output, &wants);
    let result = with_contexts(result, &contexts_type);
    let wants = if saving(context).next().is_some() {
        wants.to_token_stream()
    } else {
        quote_spanned!(*site=> _)
    };
    quote_spanned! {*site=>
        #primal

        #lints
        #(#inline)*
        fn __vjp_rule_forward #generics (
            #(#parameters,)*
            #wants: [::core::primitive::bool; #count]
        ) -> #result #bounds {
            #computation
            #contexts
        }
    }
}

/// The user's statements and value inside the forward function. The saved locals are taken before
/// the value, which may move them.
fn inlined(context: &Context<'_>, output: &Ident, wants: &Ident) -> TokenStream {
    let Context {
        declaration, site, ..
    } = context;
    let Some((statements, value)) = declaration.body.split() else {
        return TokenStream::new();
    };
    let taken = saving(context)
        .filter(|(_, vjp)| vjp.saves_a_local())
        .map(|(position, vjp)| {
            let holder = locals_of(context, position);
            let stored =
                locals(vjp).map(|(saved, local)| store(context, saved, &local.to_token_stream()));
            quote_spanned! {*site=>
                let #holder = if #wants[#position] {
                    ::core::option::Option::Some((#(#stored,)*))
                } else {
                    ::core::option::Option::None
                };
            }
        });
    let result = &declaration.signature.result;
    quote_spanned! {*site=>
        #(#statements)*
        #(#taken)*
        let #output: #result = #value;
        let #output = #output?;
    }
}

/// The saved contexts of all outputs, in the same arrangement as the outputs.
fn contexts(context: &Context<'_>, output: &Ident, wants: &Ident) -> (TokenStream, TokenStream) {
    let Context {
        declaration,
        site,
        core,
        element,
        ..
    } = context;
    let outputs = declaration.signature.outputs;
    let node = node_context(context, output, wants);
    let ty = context_type(context);
    if !outputs.are_several() {
        let value = quote_spanned! {*site=>
            let context = #node;
            ::core::result::Result::Ok((#output, context))
        };
        return (value, ty);
    }
    let reads_output =
        saving(context).any(|(_, vjp)| vjp.saved().any(|s| matches!(s.source, Source::Output)));
    let parameter = if reads_output {
        output.to_token_stream()
    } else {
        quote_spanned!(*site=> _)
    };
    let make = context.local("context");
    let entries =
        |length: usize| (0..length).map(|entry| context.local(&format!("output_{entry}")));
    let (contexts, ty) = match outputs {
        Outputs::Array(length) => {
            let (names, entries) = (entries(length), entries(length));
            (
                quote_spanned!(*site=> { let [#(#names),*] = &#output; [#(#make(#entries)),*] }),
                quote_spanned!(*site=> [#ty; #length]),
            )
        }
        Outputs::Tuple(length) => {
            let (names, entries) = (entries(length), entries(length));
            let types = (0..length).map(|_| &ty);
            (
                quote_spanned!(*site=> { let (#(#names,)*) = &#output; (#(#make(#entries),)*) }),
                quote_spanned!(*site=> (#(#types,)*)),
            )
        }
        _ => (
            quote_spanned! {*site=>
                ::core::iter::Iterator::collect::<::std::vec::Vec<_>>(
                    ::core::iter::Iterator::map(<[_]>::iter(&#output), #make)
                )
            },
            quote_spanned!(*site=> ::std::vec::Vec<#ty>),
        ),
    };
    let all = context.local("contexts");
    let value = quote_spanned! {*site=>
        let #make = |#parameter: &#core::Tensor<#element>| #node;
        let #all = #contexts;
        ::core::result::Result::Ok((#output, #all))
    };
    (value, ty)
}

/// The saved context of one output.
fn node_context(context: &Context<'_>, output: &Ident, wants: &Ident) -> TokenStream {
    let Context {
        declaration, site, ..
    } = context;
    let mut fields = TokenStream::new();
    for (position, vjp) in saving(context) {
        let (map, name) = (&vjp.function.sig.ident, struct_name(context, position));
        let stored = vjp.saved().map(|saved| {
            let ident = &saved.ident;
            let value = match &saved.source {
                Source::Local(_) => context.local_for(ident).to_token_stream(),
                Source::Output => store(context, saved, &output.to_token_stream()),
                Source::Parameter(_) => store(context, saved, &parameter_name(context, saved)),
            };
            quote_spanned!(*site=> #ident: #value)
        });
        let stored = quote_spanned!(*site=> #name { #(#stored),* });
        let field = if vjp.saves_a_local() {
            let holder = locals_of(context, position);
            let holder = if declaration.signature.outputs.are_several() {
                quote_spanned!(*site=> ::core::clone::Clone::clone(&#holder))
            } else {
                holder.to_token_stream()
            };
            let names = locals(vjp).map(|(saved, _)| context.local_for(&saved.ident));
            quote_spanned!(*site=> ::core::option::Option::map(#holder, |(#(#names,)*)| #stored))
        } else {
            quote_spanned! {*site=>
                if #wants[#position] {
                    ::core::option::Option::Some(#stored)
                } else {
                    ::core::option::Option::None
                }
            }
        };
        fields.extend(quote_spanned!(*site=> #map: #field,));
    }
    if fields.is_empty() {
        quote_spanned!(*site=> __VjpRuleSaved)
    } else {
        quote_spanned!(*site=> __VjpRuleSaved { #fields })
    }
}

/// The name as the operation declares it, which is where a caller's macro may have put it.
fn parameter_name(context: &Context<'_>, saved: &Saved) -> TokenStream {
    match &saved.source {
        Source::Parameter(position) => {
            let parameter = context.declaration.signature.parameters.get(*position);
            parameter
                .map(|parameter| parameter.ident.to_token_stream())
                .unwrap_or_default()
        }
        _ => TokenStream::new(),
    }
}

/// The user's return type with the contexts beside the outputs.
fn with_contexts(result: &Type, contexts: &TokenStream) -> Type {
    let mut result = bare(result).clone();
    if let Type::Path(path) = &mut result
        && let Some(segment) = path.path.segments.last_mut()
        && let PathArguments::AngleBracketed(arguments) = &mut segment.arguments
        && let Some(GenericArgument::Type(outputs)) = arguments.args.first_mut()
    {
        *outputs = Type::Verbatim(quote!((#outputs, #contexts)));
    }
    result
}

/// The saved locals of one reverse map.
fn locals(vjp: &Vjp) -> impl Iterator<Item = (&Saved, &Ident)> {
    vjp.saved().filter_map(|saved| match &saved.source {
        Source::Local(local) => Some((saved, local)),
        _ => None,
    })
}

/// The parameters that a reverse map saves.
fn saved_parameters<'a>(context: &Context<'a>) -> impl Iterator<Item = &'a Ident> + use<'a> {
    let declaration = context.declaration;
    let is_saved = move |position: usize| {
        let mut saved = declaration.vjps.iter().flat_map(Vjp::saved);
        saved.any(|saved| matches!(saved.source, Source::Parameter(of) if of == position))
    };
    let parameters = declaration.signature.parameters.iter().enumerate();
    parameters
        .filter(move |(position, _)| is_saved(*position))
        .map(|(_, parameter)| &parameter.ident)
}

/// Where the saved locals of one reverse map wait for the value.
fn locals_of(context: &Context<'_>, position: usize) -> Ident {
    context.local(&format!("locals_{position}"))
}
