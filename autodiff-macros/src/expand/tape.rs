//! The operation on plain tensors and on the tape.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote_spanned};

use super::Context;
use super::forward::saves_locals;
use super::public::{in_method, method};
use crate::model::{Outputs, ParameterKind};

/// The operation on plain tensors.
pub fn plain(context: &Context<'_>) -> TokenStream {
    let Context {
        declaration,
        site,
        core,
        element,
        generics,
        bounds,
        ..
    } = context;
    let ident = &declaration.signature.ident;
    let method = method(context, &quote_spanned!(*site=> Self));
    let names = in_method(context);
    let count = declaration.vjps.len();
    let call = if saves_locals(context) {
        quote_spanned! {*site=>
            __vjp_rule_forward(#(#names,)* [false; #count]).map(|(output, _)| output)
        }
    } else {
        quote_spanned!(*site=> __vjp_rule_primal(#(#names),*))
    };
    quote_spanned! {*site=>
        impl #generics #ident for #core::Tensor<#element> #bounds {
            #method {
                #call.map_err(__vjp_rule_named)
            }
        }
    }
}

/// The operation on the tape: every operand use is recorded, then the outputs with what they saved.
pub fn taped(context: &Context<'_>) -> TokenStream {
    let Context {
        declaration,
        site,
        core,
        element,
        generics,
        bounds,
        ..
    } = context;
    let ident = &declaration.signature.ident;
    let method = method(context, &quote_spanned!(*site=> Self));
    let mut recorded = TokenStream::new();
    let mut arguments = Vec::new();
    let mut uses = Vec::new();
    let parameters = declaration
        .signature
        .parameters
        .iter()
        .zip(in_method(context));
    for (position, (parameter, given)) in parameters.enumerate() {
        let own = context.local_for(&parameter.ident);
        let place = place(context, position);
        let (record, argument) = match parameter.kind {
            ParameterKind::Operand => (
                quote_spanned!(*site=> recorder.operand(#given, #place)?),
                quote_spanned!(*site=> #own.primal()),
            ),
            ParameterKind::Optional => (
                quote_spanned!(*site=> recorder.optional(#given, #place)?),
                quote_spanned! {*site=>
                    ::core::option::Option::map(
                        ::core::option::Option::as_ref(&#own),
                        #core::Use::primal,
                    )
                },
            ),
            ParameterKind::Variadic => (
                quote_spanned!(*site=> recorder.operands(#given, #place)?),
                quote_spanned! {*site=>
                    &::core::iter::Iterator::collect::<::std::vec::Vec<_>>(
                        ::core::iter::Iterator::map(#own.iter(), #core::Use::primal)
                    )
                },
            ),
            _ => {
                arguments.push(given);
                continue;
            }
        };
        recorded.extend(quote_spanned!(*site=> let #own = #record;));
        arguments.push(argument);
        uses.push((parameter.kind, own));
    }
    let uses = collected(context, &uses);
    let finish = finish(context);
    quote_spanned! {*site=>
        impl #generics #ident for #core::TensorValue<#element> #bounds {
            #method {
                let mut recorder = #core::Recorder::new(__VJP_RULE_OPERATION);
                #recorded
                #uses
                let (output, saved) = __vjp_rule_forward(#(#arguments,)* recorder.wants(&uses))
                    .map_err(__vjp_rule_named)?;
                #finish
            }
        }
    }
}

/// The operand uses in operand order: an array where the declaration fixes their number.
fn collected(context: &Context<'_>, uses: &[(ParameterKind, Ident)]) -> TokenStream {
    let site = context.site;
    let names = uses.iter().map(|(_, own)| own);
    if uses.iter().all(|(kind, _)| *kind == ParameterKind::Operand) {
        return quote_spanned!(site=> let uses = [#(&#names),*];);
    }
    let pushed = uses.iter().map(|(kind, own)| match kind {
        ParameterKind::Operand => quote_spanned!(site=> uses.push(&#own);),
        _ => quote_spanned!(site=> ::core::iter::Extend::extend(&mut uses, &#own);),
    });
    quote_spanned! {site=>
        let mut uses = ::std::vec::Vec::new();
        #(#pushed)*
    }
}

/// Which reverse map serves the parameter, and the parameter's place among that map's operands.
fn place(context: &Context<'_>, parameter: usize) -> TokenStream {
    let Context {
        declaration,
        site,
        core,
        ..
    } = context;
    let found = declaration.vjps.iter().zip(0_u16..).find_map(|(map, vjp)| {
        let mut operands = map.operands.iter().zip(0_u32..);
        let (_, slot) = operands.find(|(operand, _)| **operand == parameter)?;
        Some((map.is_joint(), vjp, slot))
    });
    // Checked: every differentiable parameter has its map.
    let (is_joint, vjp, slot) = found.unwrap_or_default();
    if is_joint {
        quote_spanned!(*site=> #core::Place::joint(#vjp, #slot))
    } else {
        quote_spanned!(*site=> #core::Place::single(#vjp))
    }
}

fn finish(context: &Context<'_>) -> TokenStream {
    let site = context.site;
    let each = |length: usize| {
        let names = |name: &str| -> Vec<_> {
            (0..length)
                .map(|entry| context.local(&format!("{name}_{entry}")))
                .collect()
        };
        let (outputs, saved) = (names("output"), names("saved"));
        let nodes = outputs.iter().zip(&saved).enumerate().map(|(entry, (output, saved))| {
            quote_spanned!(site=> recorder.finish_output(&uses, #entry, #output, #saved)?)
        });
        let nodes: Vec<TokenStream> = nodes.collect();
        (outputs, saved, nodes)
    };
    match context.declaration.signature.outputs {
        Outputs::One | Outputs::Unknown => {
            quote_spanned!(site=> recorder.finish(&uses, output, saved))
        }
        Outputs::List => quote_spanned! {site=>
            ::core::iter::Iterator::collect(::core::iter::Iterator::map(
                ::core::iter::Iterator::enumerate(::core::iter::Iterator::zip(
                    ::core::iter::IntoIterator::into_iter(output),
                    saved,
                )),
                |(entry, (output, saved))| recorder.finish_output(&uses, entry, output, saved),
            ))
        },
        Outputs::Array(length) => {
            let (outputs, saved, nodes) = each(length);
            quote_spanned! {site=>
                let [#(#outputs),*] = output;
                let [#(#saved),*] = saved;
                ::core::result::Result::Ok([#(#nodes),*])
            }
        }
        Outputs::Tuple(length) => {
            let (outputs, saved, nodes) = each(length);
            quote_spanned! {site=>
                let (#(#outputs,)*) = output;
                let (#(#saved,)*) = saved;
                ::core::result::Result::Ok((#(#nodes,)*))
            }
        }
    }
    .into_token_stream()
}
