//! The operation on plain tensors and on the tape.

use proc_macro2::TokenStream;
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
    let parameters = declaration
        .signature
        .parameters
        .iter()
        .zip(in_method(context));
    for (position, (parameter, given)) in parameters.enumerate() {
        let primal = context.local_for(&parameter.ident);
        let (vjp, slot) = place(context, position);
        let (record, argument) = match parameter.kind {
            ParameterKind::Operand => (
                quote_spanned!(*site=> recorder.operand(#given, #vjp, #slot)?),
                quote_spanned!(*site=> &#primal),
            ),
            ParameterKind::Optional => (
                quote_spanned!(*site=> recorder.optional(#given, #vjp, #slot)?),
                quote_spanned!(*site=> ::core::option::Option::as_deref(&#primal)),
            ),
            ParameterKind::Variadic => (
                quote_spanned!(*site=> recorder.operands(#given, #vjp)?),
                quote_spanned! {*site=>
                    &::core::iter::Iterator::collect::<::std::vec::Vec<_>>(
                        ::core::iter::Iterator::map(#primal.iter(), |primal| &**primal)
                    )
                },
            ),
            _ => {
                arguments.push(given);
                continue;
            }
        };
        recorded.extend(quote_spanned!(*site=> let #primal = #record;));
        arguments.push(argument);
    }
    let finish = finish(context);
    quote_spanned! {*site=>
        impl #generics #ident for #core::TensorValue<#element> #bounds {
            #method {
                let mut recorder = #core::Recorder::new(__VJP_RULE_OPERATION);
                #recorded
                let (output, saved) =
                    __vjp_rule_forward(#(#arguments,)* recorder.wants()).map_err(__vjp_rule_named)?;
                #finish
            }
        }
    }
}

/// Which reverse map serves the parameter, and the parameter's place among that map's operands.
fn place(context: &Context<'_>, parameter: usize) -> (usize, usize) {
    let found = context
        .declaration
        .vjps
        .iter()
        .enumerate()
        .find_map(|(vjp, map)| {
            let slot = map
                .operands
                .iter()
                .position(|operand| *operand == parameter)?;
            Some((vjp, slot))
        });
    // Checked: every differentiable parameter has its map.
    found.unwrap_or_default()
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
            quote_spanned!(site=> recorder.finish_output(#entry, #output, #saved)?)
        });
        let nodes: Vec<TokenStream> = nodes.collect();
        (outputs, saved, nodes)
    };
    match context.declaration.signature.outputs {
        Outputs::One | Outputs::Unknown => quote_spanned!(site=> recorder.finish(output, saved)),
        Outputs::List => quote_spanned! {site=>
            ::core::iter::Iterator::collect(::core::iter::Iterator::map(
                ::core::iter::Iterator::enumerate(::core::iter::Iterator::zip(
                    ::core::iter::IntoIterator::into_iter(output),
                    saved,
                )),
                |(entry, (output, saved))| recorder.finish_output(entry, output, saved),
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
