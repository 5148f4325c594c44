//! Takes the body of an annotated function apart: reverse maps, other items, computation.

use proc_macro2::Ident;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, ExprReturn, Item, ItemFn, Meta, Pat, Stmt};

use crate::diag::Mistakes;
use crate::model::Body;

/// A nested function with its `#[vjp]` attribute taken off.
#[derive(Debug)]
pub struct Nested {
    /// The attribute.
    pub attribute: Attribute,
    /// The function.
    pub function: ItemFn,
}

/// Splits the body; the reverse maps come back in the order of their functions.
pub fn body(block: Block, mistakes: &mut Mistakes) -> (Body, Vec<Nested>) {
    let mut items = Vec::new();
    let mut nested = Vec::new();
    let mut stmts = Vec::new();
    for statement in block.stmts {
        match statement {
            Stmt::Item(Item::Fn(function)) => match take_vjp(function, mistakes) {
                (function, Some(attribute)) => nested.push(Nested {
                    attribute,
                    function,
                }),
                (function, None) => items.push(Item::Fn(function)),
            },
            Stmt::Item(item) => items.push(item),
            other => stmts.push(other),
        }
    }
    let block = Block {
        brace_token: block.brace_token,
        stmts,
    };
    let mut stray = Stray { mistakes };
    stray.visit_block(&block);
    items.iter().for_each(|item| stray.visit_item(item));
    nested
        .iter()
        .for_each(|nested| stray.visit_item_fn(&nested.function));
    let locals = locals(&block);
    (
        Body {
            items,
            block,
            locals,
        },
        nested,
    )
}

/// Whether the attribute is `#[name ..]`.
pub fn is_named(attribute: &Attribute, name: &str) -> bool {
    attribute.path().is_ident(name)
}

fn take_vjp(mut function: ItemFn, mistakes: &mut Mistakes) -> (ItemFn, Option<Attribute>) {
    let (mut vjps, kept): (Vec<_>, Vec<_>) = function
        .attrs
        .drain(..)
        .partition(|attribute| is_named(attribute, "vjp"));
    function.attrs = kept;
    for extra in vjps.iter().skip(1) {
        mistakes.on(
            extra,
            "one `#[vjp(..)]` a function: name all operands of a joint rule in one list",
        );
    }
    vjps.truncate(1);
    (function, vjps.pop())
}

/// Reports the helper attributes that stand where nothing reads them.
struct Stray<'a> {
    mistakes: &'a mut Mistakes,
}

impl<'ast> Visit<'ast> for Stray<'_> {
    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        if is_named(attribute, "vjp") {
            self.mistakes.on(
                attribute,
                "`#[vjp(..)]` stands on a function at the top level of the body",
            );
        } else if is_named(attribute, "gradcheck") {
            self.mistakes.on(
                attribute,
                "`#[gradcheck(..)]` stands on the annotated function, below `#[vjp_rule]`",
            );
        } else if is_named(attribute, "constant") {
            self.mistakes.on(
                attribute,
                "`#[constant]` stands on a parameter of the annotated function",
            );
        }
    }
}

/// The names that the top-level `let`s bind; of several with one name, the last.
fn locals(block: &Block) -> Vec<Ident> {
    let mut names: Vec<Ident> = Vec::new();
    for statement in &block.stmts {
        if let Stmt::Local(local) = statement {
            let mut found = Bindings::default();
            found.visit_pat(&local.pat);
            for ident in found.names {
                names.retain(|earlier| *earlier != ident);
                names.push(ident);
            }
        }
    }
    names
}

#[derive(Default)]
struct Bindings {
    names: Vec<Ident>,
}

impl<'ast> Visit<'ast> for Bindings {
    fn visit_pat(&mut self, pattern: &'ast Pat) {
        if let Pat::Ident(name) = pattern {
            // A capital stands for a constant, which a pattern compares with and does not bind.
            let is_binding = name
                .ident
                .to_string()
                .starts_with(|first: char| !first.is_uppercase());
            if is_binding {
                self.names.push(name.ident.clone());
            }
        }
        visit::visit_pat(self, pattern);
    }

    fn visit_expr(&mut self, _: &'ast syn::Expr) {}
}

/// The `return`s of the body that may return a value: all but `return Err(..)`.
pub fn early_returns(block: &Block) -> Vec<&ExprReturn> {
    let mut found = Returns::default();
    found.visit_block(block);
    found.returns
}

#[derive(Default)]
struct Returns<'ast> {
    returns: Vec<&'ast ExprReturn>,
}

impl<'ast> Visit<'ast> for Returns<'ast> {
    fn visit_expr_return(&mut self, expr: &'ast ExprReturn) {
        let is_error = match expr.expr.as_deref() {
            Some(syn::Expr::Call(call)) => match &*call.func {
                syn::Expr::Path(function) => function
                    .path
                    .segments
                    .last()
                    .is_some_and(|segment| segment.ident == "Err"),
                _ => false,
            },
            _ => false,
        };
        if !is_error {
            self.returns.push(expr);
        }
        visit::visit_expr_return(self, expr);
    }

    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}

    fn visit_expr_async(&mut self, _: &'ast syn::ExprAsync) {}

    fn visit_item(&mut self, _: &'ast Item) {}
}

/// The tokens in an attribute's parentheses; where there are none, the advice is a mistake at the attribute.
pub fn list_tokens(
    attribute: &Attribute,
    advice: &str,
    mistakes: &mut Mistakes,
) -> Option<proc_macro2::TokenStream> {
    match &attribute.meta {
        Meta::List(list) if !list.tokens.is_empty() => Some(list.tokens.clone()),
        _ => {
            mistakes.on(attribute, advice);
            None
        }
    }
}
