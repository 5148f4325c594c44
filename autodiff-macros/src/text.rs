//! Declaration text as people write it, for records and reports.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The tokens as text, spaced as rustfmt would space short types and cases.
pub fn tidy(tokens: &TokenStream) -> String {
    let mut text = String::new();
    write(tokens.clone(), &mut text);
    text
}

fn write(tokens: TokenStream, text: &mut String) {
    // Whether the next token stands directly after the last one.
    let mut glued = true;
    // A sign or a reference belongs to what follows unless a value stands before it.
    let mut after_value = false;
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::None => ("", ""),
                };
                let is_call = after_value && group.delimiter() == Delimiter::Parenthesis;
                if !glued && !is_call {
                    text.push(' ');
                }
                text.push_str(open);
                write(group.stream(), text);
                text.push_str(close);
                (glued, after_value) = (false, true);
            }
            TokenTree::Punct(punct) => {
                let sign = punct.as_char();
                let prefix = matches!(sign, '&' | '-' | '\'' | '!' | '*' | '#') && !after_value;
                let tight = matches!(sign, ',' | ';' | ':' | '.' | '<' | '>' | '?');
                if !glued && !tight {
                    text.push(' ');
                }
                text.push(sign);
                let path =
                    sign == ':' && (punct.spacing() == Spacing::Joint || text.ends_with("::"));
                glued = prefix
                    || path
                    || matches!(sign, '.' | '<')
                    || punct.spacing() == Spacing::Joint && !matches!(sign, ',' | ';');
                after_value = sign == '>';
            }
            other => {
                if !glued {
                    text.push(' ');
                }
                text.push_str(&other.to_string());
                (glued, after_value) = (false, !is_keyword(&other));
            }
        }
    }
}

fn is_keyword(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == "in" || ident == "mut")
}

/// The text of the doc comments among `attributes`.
pub fn docs(attributes: &[Attribute]) -> String {
    let lines: Vec<String> = attributes
        .iter()
        .filter_map(|attribute| match &attribute.meta {
            Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
                Expr::Lit(ExprLit {
                    lit: Lit::Str(line),
                    ..
                }) => Some(line.value()),
                _ => None,
            },
            _ => None,
        })
        .collect();
    let lines = lines.join("\n");
    let unindented: Vec<&str> = lines
        .lines()
        .map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end())
        .collect();
    unindented.join("\n").trim().to_owned()
}

/// The lines under a heading of a doc text, up to the next heading.
pub fn section(docs: &str, heading: &str) -> String {
    let lines: Vec<&str> = docs
        .lines()
        .skip_while(|line| line.trim() != heading)
        .skip(1)
        .take_while(|line| !line.starts_with("# "))
        .collect();
    lines.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::{docs, section, tidy};

    fn written(text: &str) -> Option<String> {
        text.parse().ok().map(|tokens| tidy(&tokens))
    }

    #[test]
    fn types_and_cases_read_as_written() {
        for text in [
            "&Tensor<T>",
            "&[&Tensor<T>]",
            "Option<&Tensor<T>>",
            "&[usize]",
            "Option<&str>",
            "crate::plan::Projection",
            "[bool; 3]",
            "lhs: [m, 1], rhs: [n]",
            "x: [m, n] in -2.0..-0.1 | 0.1..2.0, axis = 0 | 1",
            "ids: [b, t] in 0..v, table: [v, 2 * d]",
            "shape = &[n, m] | &[n * m], keep_dim = true | false",
            "x: [.., n], bias: none, scale = None | Some(1.0)",
            "inputs: [[m, a], [m, b]], offset = -1 | 2",
            "skip = \"stochastic\"",
        ] {
            assert_eq!(written(text).as_deref(), Some(text));
        }
    }

    #[test]
    fn a_doc_comment_loses_its_indentation_and_a_section_can_be_cut_out() {
        let item: syn::ItemFn = syn::parse_quote! {
            /// Sum.
            ///
            /// # VJP
            /// `x̄ = ȳ`.
            /// # Errors
            /// None.
            fn sum() {}
        };
        let text = docs(&item.attrs);
        assert_eq!(text, "Sum.\n\n# VJP\n`x̄ = ȳ`.\n# Errors\nNone.");
        assert_eq!(section(&text, "# VJP"), "`x̄ = ȳ`.");
        assert_eq!(section(&text, "# Shapes"), "");
    }
}
