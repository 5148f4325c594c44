//! Golden expansions: what a declaration stands for, as a file that a person can read.
//!
//! `UPDATE_GOLDEN=1 cargo test -p autodiff-macros` rewrites the files.

use std::path::Path;

use quote::quote;

use crate::rule;

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn compare(name: &str, options: &str, declaration: &str) -> Outcome {
    let expansion = rule(options.parse()?, declaration.parse()?);
    let text = prettyplease::unparse(&syn::parse2(quote!(#expansion))?);
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("golden")
        .join(format!("{name}.rs"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &text)?;
    }
    let golden = std::fs::read_to_string(&path)?;
    assert_eq!(
        text, golden,
        "{name}: read the difference, then rewrite with UPDATE_GOLDEN=1"
    );
    Ok(())
}

#[test]
fn a_rule_that_saves_operands_and_locals() -> Outcome {
    compare(
        "mul",
        "name = \"multiply\"",
        "
        /// Elementwise product with trailing-axis broadcasting: `y = lhs · rhs`.
        ///
        /// # Shapes
        /// Those that broadcast.
        #[gradcheck(lhs: [m, n], rhs: [m, n])]
        #[gradcheck(lhs: [.., n], rhs: [n] in -2.0..-0.1 | 0.1..2.0)]
        pub fn mul<T: Element>(lhs: &Tensor<T>, rhs: &Tensor<T>) -> Result<Tensor<T>> {
            /// upstream times the other operand, summed back to the operand's shape
            #[vjp(lhs)]
            fn lhs_vjp(upstream: &Tensor<T>, rhs: &Tensor<T>, lhs_fit: &Projection) -> Result<Tensor<T>> {
                lhs_fit.reduce_zip(upstream, rhs, |u, r| u * r)
            }
            /// upstream times the other operand, summed back to the operand's shape
            #[vjp(rhs)]
            fn rhs_vjp(upstream: &Tensor<T>, lhs: &Tensor<T>, rhs_fit: &Projection) -> Result<Tensor<T>> {
                rhs_fit.reduce_zip(upstream, lhs, |u, l| u * l)
            }
            let (product, lhs_fit, rhs_fit) = lhs.zip_broadcast(rhs, |l, r| l * r)?;
            Ok(product)
        }
        ",
    )
}

#[test]
fn a_rule_with_arguments_whose_context_is_not_generic() -> Outcome {
    compare(
        "sum_axis",
        "name = \"sum\"",
        "
        /// Sum over one axis.
        #[gradcheck(x: [m, n], axis = 0 | 1, keep_dim = true | false)]
        pub fn sum_axis<T: Element>(x: &Tensor<T>, axis: usize, keep_dim: bool) -> Result<Tensor<T>> {
            /// upstream repeated along the axis
            #[vjp(x)]
            fn x_vjp(upstream: &Tensor<T>, axis: usize, keep_dim: bool, plan: &Projection) -> Result<Tensor<T>> {
                plan.expand(upstream)
            }
            let plan = Projection::reduction(x.shape(), &[axis], keep_dim)?;
            plan.reduce(x)
        }
        ",
    )
}

#[test]
fn a_variadic_rule() -> Outcome {
    compare(
        "concat",
        "",
        "
        /// The inputs one after the other along `axis`.
        #[gradcheck(inputs: [[m, a], [m, b]], axis = 1)]
        #[gradcheck(inputs: [[a, n], [b, n], [c, n]] in -1.0..1.0, axis = 0)]
        pub fn concat<T: Element>(inputs: &[&Tensor<T>], axis: usize) -> Result<Tensor<T>> {
            /// the part of upstream that came from this entry
            #[vjp(inputs)]
            fn inputs_vjp(upstream: &Tensor<T>, index: usize, axis: usize, extents: &[usize]) -> Result<Tensor<T>> {
                part(upstream, axis, extents, index)
            }
            use crate::plan::join;
            fn part<T: Element>(x: &Tensor<T>, axis: usize, extents: &[usize], index: usize) -> Result<Tensor<T>> {
                crate::plan::part(x, axis, extents, index)
            }
            let extents: Vec<usize> = inputs.iter().map(|x| x.shape()[axis]).collect();
            join(inputs, axis)
        }
        ",
    )
}

#[test]
fn a_joint_rule_with_an_optional_operand_and_a_constant() -> Outcome {
    compare(
        "affine",
        "crate = ::renamed",
        "
        /// `y = x · w + bias`, where `keep` holds.
        /// # VJP
        /// By the product rule.
        #[gradcheck(x: [m, k], w: [k, n], bias: [n], keep: [m, n], scale = None | Some(0.5))]
        #[gradcheck(x: [m, k], w: [k, n], bias: none, keep: [m, n], scale = None)]
        pub(crate) fn affine<E: Element>(
            x: &Tensor<E>,
            w: &Tensor<E>,
            bias: Option<&Tensor<E>>,
            #[constant] keep: &Tensor<bool>,
            scale: Option<f64>,
        ) -> Result<Tensor<E>> {
            #[vjp(x, w, bias)]
            fn all(
                upstream: Tensor<E>,
                wanted: [bool; 3],
                x: &Tensor<E>,
                w: &Tensor<E>,
                bias: Option<&Tensor<E>>,
                keep: &Tensor<bool>,
                scale: Option<f64>,
            ) -> Result<[Option<Tensor<E>>; 3]> {
                affine_reverse(upstream, wanted, x, w, bias, keep, scale)
            }
            if x.rank() != 2 {
                return product(x, w);
            }
            affine_forward(x, w, bias, keep, scale)
        }
        ",
    )
}

#[test]
fn a_rule_with_several_outputs_for_f64_alone() -> Outcome {
    compare(
        "halves",
        "",
        "
        /// The two halves.
        #[gradcheck(skip = \"shown only\")]
        fn halves(x: &Tensor) -> Result<(Tensor, Tensor)> {
            /// upstream beside zeros
            #[vjp(x)]
            fn x_vjp(upstream: &Tensor, output: &Tensor, output_index: usize, middle: usize) -> Result<Tensor> {
                place(upstream, output, output_index, middle)
            }
            let middle = x.len() / 2;
            Ok((head(x, middle)?, tail(x, middle)?))
        }
        ",
    )
}
