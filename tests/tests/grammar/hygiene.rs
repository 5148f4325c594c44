//! Names: whatever a user has in scope, generated code means what it meant.

use autodiff_core::prelude::{Element, GraphRetention, Tensor, TensorValue};

type Outcome<T = ()> = autodiff_core::Result<T>;

/// Everything that a careless expansion would name is something else here.
mod shadowed {
    #![allow(non_snake_case, dead_code, missing_docs, unused_macros, unused_imports)]

    use autodiff_core::prelude::{Element, Tensor, vjp_rule};

    pub struct Option;
    pub struct Vec;
    pub struct String;
    pub struct Box;
    pub struct TensorAutodiffError;
    pub struct TensorValue;
    pub struct Recorder;
    pub struct V;
    pub trait Clone {}
    pub trait Iterator {}
    pub trait From {}
    pub trait Into {}
    pub fn Ok() {}
    pub fn Err() {}
    pub fn Some() {}
    pub fn None() {}
    macro_rules! concat {
        () => {};
    }
    macro_rules! module_path {
        () => {};
    }
    macro_rules! vec {
        () => {};
    }
    macro_rules! line {
        () => {};
    }
    pub(crate) use {concat, line, module_path, vec};
    pub mod core {}
    pub mod std {}

    /// `x · y · rate` for operands with names that generated code uses as well.
    #[vjp_rule]
    #[gradcheck(recorder: [drawn, call], wants: [drawn, call], saved = 0.5 | 2.0)]
    pub fn output_of<T: Element>(
        recorder: &Tensor<T>,
        wants: &Tensor<T>,
        saved: f64,
    ) -> autodiff_core::Result<Tensor<T>> {
        /// upstream times the rest
        #[vjp(recorder)]
        fn map(
            upstream: &Tensor<T>,
            wants: &Tensor<T>,
            locals_0: f64,
        ) -> autodiff_core::Result<Tensor<T>> {
            upstream.zip_map(wants, |u, w| u * w * T::from_f64(locals_0))
        }
        /// upstream times the rest
        #[vjp(wants)]
        fn map_err(
            upstream: &Tensor<T>,
            recorder: &Tensor<T>,
            saved: f64,
        ) -> autodiff_core::Result<Tensor<T>> {
            upstream.zip_map(recorder, |u, r| u * r * T::from_f64(saved))
        }
        let locals_0 = saved;
        let output = recorder.zip_map(wants, |r, w| r * w * T::from_f64(saved));
        output
    }
}

#[test]
fn shadowed_names_change_nothing() -> Outcome {
    let x = TensorValue::parameter(Tensor::from_vec([1], vec![3.0])?)?;
    let y = TensorValue::parameter(Tensor::from_vec([1], vec![5.0])?)?;
    let output = shadowed::output_of(&x, &y, 2.0)?;
    let seed = Tensor::from_vec([1], vec![1.0])?;
    output.backward_with_seed(&seed.view(), GraphRetention::Retain)?;
    assert_eq!(
        x.gradient_snapshot(),
        Some(Tensor::from_vec([1], vec![10.0])?)
    );
    assert_eq!(
        y.gradient_snapshot(),
        Some(Tensor::from_vec([1], vec![6.0])?)
    );
    Ok(())
}

/// The core crate under other paths.
mod renamed {
    use autodiff_core::prelude::*;

    /// A way to the core crate.
    pub mod path {
        pub use autodiff_core as to;
    }

    /// `x`, through a path of this crate.
    #[vjp_rule(crate = crate::hygiene::renamed::path::to)]
    #[gradcheck(x: [..])]
    pub fn same<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
        /// upstream
        #[vjp(x)]
        fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
            Ok(upstream)
        }
        Ok(x.clone())
    }

    /// `x`, through another name of the core crate.
    #[vjp_rule(name = "same", crate = ::engine)]
    #[gradcheck(x: [..])]
    pub(super) fn same_again<T: Element>(x: &Tensor<T>) -> Result<Tensor<T>> {
        /// upstream
        #[vjp(x)]
        fn x_vjp(upstream: Tensor<T>) -> Result<Tensor<T>> {
            Ok(upstream)
        }
        Ok(x.clone())
    }
}

#[test]
fn a_renamed_core_crate_is_found_and_a_name_need_not_be_unique() -> Outcome {
    let x = TensorValue::parameter(Tensor::scalar(1.0))?;
    let (one, two) = (renamed::same(&x)?, renamed::same_again(&x)?);
    assert_eq!(
        (one.operation().to_string(), two.operation().to_string()),
        ("same".into(), "same".into())
    );
    assert_ne!(one.operation(), two.operation());
    Ok(())
}

/// Rules that a macro of the user's writes.
mod generated {
    use autodiff_core::prelude::*;

    macro_rules! scaled {
        ($name:ident, $rate:expr, $tensor:ty, $extents:tt, $words:literal) => {
            #[doc = $words]
            #[vjp_rule]
            #[gradcheck(x: $extents)]
            pub(super) fn $name<E>(x: &$tensor) -> Result<Tensor<E>>
            where
                E: Element,
            {
                #[doc = $words]
                #[vjp(x)]
                fn x_vjp(upstream: &Tensor<E>, rate: f64) -> Result<Tensor<E>> {
                    Ok(upstream.map(|u| u * E::from_f64(rate)))
                }
                let rate = $rate;
                Ok(x.map(|x| x * E::from_f64(rate)))
            }
        };
    }

    scaled!(tripled, 3.0, Tensor<E>, [m, n], "Three times `x`.");
    scaled!(halved, 0.5, Tensor<E>, [m], "Half of `x`.");
}

#[test]
fn a_users_macro_can_write_rules() -> Outcome {
    let x = TensorValue::parameter(Tensor::<f32>::scalar(4.0))?;
    let y = generated::halved(&generated::tripled(&x)?)?;
    assert_eq!(y.value().as_slice(), [6.0_f32]);
    y.backward()?;
    assert_eq!(x.gradient_snapshot(), Some(Tensor::scalar(1.5)));
    Ok(())
}

fn called<T: Element>(x: &Tensor<T>) -> Outcome<Tensor<T>> {
    generated::tripled(x)
}

#[test]
fn generic_code_calls_an_operation_on_plain_tensors() -> Outcome {
    assert_eq!(called(&Tensor::scalar(2.0))?, Tensor::scalar(6.0));
    Ok(())
}
