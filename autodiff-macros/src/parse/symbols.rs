//! The symbols of a case: the lower-case names that stand for extents.

use proc_macro2::Ident;
use syn::Expr;
use syn::visit::{self, Visit};

use crate::model::{Extent, Input, Range, Shape};

/// The symbols in the order of their first use.
pub fn symbols(inputs: &[Input]) -> Vec<Ident> {
    let mut found = Symbols::default();
    for input in inputs {
        match input {
            Input::Tensor(shape, ranges) | Input::Indices(shape, ranges) => {
                found.shape(shape);
                found.ranges(ranges);
            }
            Input::Tensors(shapes, ranges) => {
                shapes.iter().for_each(|shape| found.shape(shape));
                found.ranges(ranges);
            }
            Input::Mask(shape) => found.shape(shape),
            Input::Argument(choices) => choices.iter().for_each(|choice| found.visit_expr(choice)),
            Input::Absent => {}
        }
    }
    found.names
}

#[derive(Default)]
struct Symbols {
    names: Vec<Ident>,
}

impl Symbols {
    fn shape(&mut self, shape: &Shape) {
        for extent in &shape.0 {
            if let Extent::One(extent) = extent {
                self.visit_expr(extent);
            }
        }
    }

    fn ranges(&mut self, ranges: &[Range]) {
        for range in ranges {
            self.visit_expr(&range.low);
            self.visit_expr(&range.high);
        }
    }
}

impl<'ast> Visit<'ast> for Symbols {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Path(path) => {
                if let Some(name) = path.path.get_ident() {
                    let is_symbol = name
                        .to_string()
                        .starts_with(|first: char| first.is_lowercase());
                    if is_symbol && !self.names.contains(name) {
                        self.names.push(name.clone());
                    }
                }
            }
            // A function's own name is no symbol, and a block or closure has names of its own.
            Expr::Call(call) => call
                .args
                .iter()
                .for_each(|argument| self.visit_expr(argument)),
            Expr::Block(_) | Expr::Closure(_) | Expr::Macro(_) => {}
            other => visit::visit_expr(self, other),
        }
    }
}
