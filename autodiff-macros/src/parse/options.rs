//! The options of `#[vjp_rule(..)]`.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{LitStr, Path, Token};

use crate::diag::Mistakes;
use crate::model::Options;

const KNOWN: &str = "write `name = \"..\"` or `crate = path`";

/// Reads the options; what is wrong is reported and left at its default.
pub fn options(tokens: TokenStream, mistakes: &mut Mistakes) -> Options {
    let mut options = Options {
        name: None,
        krate: quote!(::autodiff_core),
    };
    let mut seen: Vec<String> = Vec::new();
    let read = |input: ParseStream<'_>| {
        while !input.is_empty() {
            if let Err(error) = option(input, &mut options, &mut seen, mistakes) {
                mistakes.parse(error);
                skip_to_comma(input)?;
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(())
    };
    if let Err(error) = read.parse2(tokens) {
        mistakes.parse(error);
    }
    options
}

fn option(
    input: ParseStream<'_>,
    options: &mut Options,
    seen: &mut Vec<String>,
    mistakes: &mut Mistakes,
) -> syn::Result<()> {
    let key = Ident::parse_any(input)
        .map_err(|error| syn::Error::new(error.span(), format!("expected an option: {KNOWN}")))?;
    let text = key.to_string();
    if text != "name" && text != "crate" {
        return Err(syn::Error::new_spanned(
            &key,
            format!("unknown option `{text}`: {KNOWN}"),
        ));
    }
    if seen.contains(&text) {
        mistakes.on(&key, format!("the option `{text}` is given twice"));
    }
    seen.push(text.clone());
    if !input.peek(Token![=]) {
        let value = if text == "name" { "\"..\"" } else { "path" };
        return Err(syn::Error::new_spanned(
            &key,
            format!("the option `{text}` needs a value: write `{text} = {value}`"),
        ));
    }
    input.parse::<Token![=]>()?;
    if text == "name" {
        let advice = "a name is a text: write `name = \"..\"`";
        let name: LitStr = input
            .parse()
            .map_err(|error: syn::Error| syn::Error::new(error.span(), advice))?;
        if name.value().trim().is_empty() {
            mistakes.on(&name, "a name is not empty: write what people should see");
        }
        options.name = Some(name);
    } else {
        let advice = "expected the path of the core crate: write `crate = path`";
        let path = input
            .call(Path::parse_mod_style)
            .map_err(|error| syn::Error::new(error.span(), advice))?;
        options.krate = path.into_token_stream();
    }
    if input.is_empty() || input.peek(Token![,]) {
        Ok(())
    } else {
        Err(input.error("expected a comma between two options"))
    }
}

fn skip_to_comma(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<TokenTree>()?;
    }
    Ok(())
}
