//! What one parameter gets in a gradient-check case.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, ExprLit, ExprRange, Lit, RangeLimits, Token};

use super::case::alternatives;
use crate::diag::Mistakes;
use crate::model::{Extent, Input, Parameter, ParameterKind, Range, Shape};

/// An entry as written.
#[derive(Debug)]
pub struct Written<'a> {
    /// The parameter's name, where the case writes it.
    pub key: &'a Ident,
    /// Whether `=` follows, not `:`.
    pub is_argument: bool,
    /// What follows.
    pub value: TokenStream,
}

/// Reads an entry as what its parameter can take.
pub fn input(
    parameter: &Parameter,
    written: Written<'_>,
    mistakes: &mut Mistakes,
) -> Option<Input> {
    let Written {
        key,
        is_argument,
        value,
    } = written;
    if parameter.kind == ParameterKind::Unknown {
        return None;
    }
    if parameter.kind == ParameterKind::Argument {
        if is_argument {
            return argument(value, mistakes);
        }
        mistakes.on(
            key,
            format!("`{key}` is a plain argument: write `{key} = value`"),
        );
        return None;
    }
    if is_argument {
        mistakes.on(
            key,
            format!("`{key}` is a tensor: write its shape, as in `{key}: [m, n]`"),
        );
        return None;
    }
    match tensor(parameter.kind, key, value) {
        Ok(input) => Some(input),
        Err(error) => {
            mistakes.parse(error);
            None
        }
    }
}

fn argument(value: TokenStream, mistakes: &mut Mistakes) -> Option<Input> {
    let mut choices = Vec::new();
    let mut is_right = true;
    for choice in alternatives(value.clone()) {
        if choice.is_empty() {
            mistakes.on(&value, "a choice is empty: write `a | b`");
            return None;
        }
        match syn::parse2::<Expr>(choice) {
            Ok(choice) => choices.push(choice),
            Err(error) => {
                mistakes.parse(error);
                is_right = false;
            }
        }
    }
    is_right.then_some(Input::Argument(choices))
}

/// Splits `shape in ranges`.
fn split(value: TokenStream) -> (TokenStream, Option<TokenStream>) {
    let mut shape = TokenStream::new();
    let mut tokens = value.into_iter();
    for token in tokens.by_ref() {
        if matches!(&token, TokenTree::Ident(ident) if ident == "in") {
            return (shape, Some(tokens.collect()));
        }
        token.to_tokens(&mut shape);
    }
    (shape, None)
}

fn tensor(kind: ParameterKind, key: &Ident, value: TokenStream) -> syn::Result<Input> {
    let (written, bounds) = split(value);
    let is_none = syn::parse2::<Ident>(written.clone()).is_ok_and(|word| word == "none");
    if is_none {
        return match (kind, bounds) {
            (ParameterKind::Optional, None) => Ok(Input::Absent),
            (ParameterKind::Optional, Some(bounds)) => Err(syn::Error::new_spanned(
                bounds,
                "an absent operand has no values: remove the range",
            )),
            _ => Err(syn::Error::new_spanned(
                written,
                format!(
                    "only an `Option` operand can be absent: write a shape, as in `{key}: [m, n]`"
                ),
            )),
        };
    }
    let ranges = match (kind, bounds) {
        (ParameterKind::Mask, Some(bounds)) => {
            return Err(syn::Error::new_spanned(
                bounds,
                "conditions are true or false: remove the range",
            ));
        }
        (ParameterKind::Indices, None) => {
            return Err(syn::Error::new_spanned(
                key,
                format!("indices need their bounds: write `{key}: [m] in 0..n`"),
            ));
        }
        (_, Some(bounds)) => {
            let ranges = ranges(bounds, key)?;
            if kind != ParameterKind::Indices {
                ranges.iter().try_for_each(in_floats)?;
            }
            ranges
        }
        (_, None) => Vec::new(),
    };
    match kind {
        ParameterKind::Variadic => Ok(Input::Tensors(shapes(written, key)?, ranges)),
        ParameterKind::Indices => Ok(Input::Indices(shape(written, key)?, ranges)),
        ParameterKind::Mask => Ok(Input::Mask(shape(written, key)?)),
        _ => Ok(Input::Tensor(shape(written, key)?, ranges)),
    }
}

fn ranges(bounds: TokenStream, key: &Ident) -> syn::Result<Vec<Range>> {
    if bounds.is_empty() {
        return Err(syn::Error::new_spanned(
            key,
            "no range follows `in`: write `in -2.0..2.0`",
        ));
    }
    let advice =
        "a range is half-open with both bounds: write `-2.0..2.0`, and `a..b | c..d` for several";
    alternatives(bounds.clone())
        .into_iter()
        .map(|range| {
            if range.is_empty() {
                return Err(syn::Error::new_spanned(&bounds, advice));
            }
            match syn::parse2::<Expr>(range.clone()) {
                Ok(Expr::Range(ExprRange {
                    start: Some(low),
                    limits: RangeLimits::HalfOpen(_),
                    end: Some(high),
                    ..
                })) => Ok(Range {
                    low: *low,
                    high: *high,
                }),
                _ => Err(syn::Error::new_spanned(range, advice)),
            }
        })
        .collect()
}

/// Reports a bound that is an integer where values are drawn.
fn in_floats(range: &Range) -> syn::Result<()> {
    for bound in [&range.low, &range.high] {
        let number = match bound {
            Expr::Unary(negated) => &negated.expr,
            other => other,
        };
        if let Expr::Lit(ExprLit {
            lit: Lit::Int(_), ..
        }) = number
        {
            let text = bound.to_token_stream().to_string().replace(' ', "");
            return Err(syn::Error::new_spanned(
                bound,
                format!("values are drawn between numbers of double precision: write `{text}.0`"),
            ));
        }
    }
    Ok(())
}

/// The one bracketed list that `tokens` are.
fn list(tokens: TokenStream, key: &Ident, [what, example]: [&str; 2]) -> syn::Result<TokenStream> {
    let advice = format!("expected {what}, as in `{key}: {example}`");
    let mut written = tokens.clone().into_iter();
    match (written.next(), written.next()) {
        (Some(TokenTree::Group(group)), None)
            if group.delimiter() == proc_macro2::Delimiter::Bracket =>
        {
            Ok(group.stream())
        }
        (Some(TokenTree::Group(group)), None)
            if group.delimiter() == proc_macro2::Delimiter::None =>
        {
            list(group.stream(), key, [what, example])
        }
        (None, _) => Err(syn::Error::new_spanned(key, advice)),
        _ => Err(syn::Error::new_spanned(tokens, advice)),
    }
}

fn shape(tokens: TokenStream, key: &Ident) -> syn::Result<Shape> {
    let extents = |input: ParseStream<'_>| {
        let mut extents = Vec::new();
        let mut is_open = false;
        while !input.is_empty() {
            let entry: Expr = input.parse()?;
            let is_any = matches!(&entry, Expr::Range(range) if range.start.is_none() && range.end.is_none());
            if is_any && is_open {
                return Err(syn::Error::new_spanned(
                    entry,
                    "`..` stands once in a shape",
                ));
            }
            is_open |= is_any;
            extents.push(if is_any {
                Extent::Any
            } else {
                Extent::One(entry)
            });
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(Shape(extents))
    };
    extents.parse2(list(tokens, key, ["a shape", "[m, n]"])?)
}

fn shapes(tokens: TokenStream, key: &Ident) -> syn::Result<Vec<Shape>> {
    let entries = |input: ParseStream<'_>| {
        let mut shapes = Vec::new();
        while !input.is_empty() {
            let mut entry = TokenStream::new();
            while !input.is_empty() && !input.peek(Token![,]) {
                input.parse::<TokenTree>()?.to_tokens(&mut entry);
            }
            shapes.push(shape(entry, key)?);
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(shapes)
    };
    entries.parse2(list(tokens, key, ["a list of shapes", "[[m, n], [k, n]]"])?)
}
