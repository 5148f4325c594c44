///The operation [`mul`](fn@mul) as a bound, and as a method.
#[allow(non_camel_case_types)]
#[allow(
    clippy::fn_params_excessive_bools,
    clippy::missing_const_for_fn,
    clippy::needless_pass_by_value,
    clippy::ref_option,
    clippy::too_many_arguments,
    clippy::trivially_copy_pass_by_ref,
    clippy::type_complexity,
    clippy::unnecessary_wraps
)]
pub trait mul: ::autodiff_core::__private::Value {
    /**Elementwise product with trailing-axis broadcasting: `y = lhs · rhs`.

See the function [`mul`](fn@mul).

# Errors

Where the function fails.*/
    fn mul(
        &self,
        rhs: &Self,
    ) -> ::core::result::Result<Self, ::autodiff_core::__private::TensorAutodiffError>;
}
/// Elementwise product with trailing-axis broadcasting: `y = lhs · rhs`.
///
/// # Shapes
/// Those that broadcast.
#[allow(
    clippy::fn_params_excessive_bools,
    clippy::missing_const_for_fn,
    clippy::needless_pass_by_value,
    clippy::ref_option,
    clippy::too_many_arguments,
    clippy::trivially_copy_pass_by_ref,
    clippy::type_complexity,
    clippy::unnecessary_wraps
)]
pub fn mul<V: mul>(
    lhs: &V,
    rhs: &V,
) -> ::core::result::Result<V, ::autodiff_core::__private::TensorAutodiffError> {
    <V as mul>::mul(lhs, rhs)
}
#[cfg(test)]
#[::core::prelude::v1::test]
fn gradcheck_mul() {
    ::autodiff_core::__private::check_rule(
        ::core::concat!(::core::module_path!(), "::", "mul"),
    );
}
const _: () = {
    static __VJP_RULE_IDENTITY: ::autodiff_core::__private::Identity = ::autodiff_core::__private::Identity::new(
        "multiply",
        ::core::concat!(::core::module_path!(), "::", "mul"),
    );
    const __VJP_RULE_OPERATION: ::autodiff_core::__private::Operation = ::autodiff_core::__private::Operation::new(
        &__VJP_RULE_IDENTITY,
    );
    struct __VjpRuleSaved0<T: Element> {
        rhs: Tensor<T>,
        lhs_fit: Projection,
    }
    struct __VjpRuleSaved1<T: Element> {
        lhs: Tensor<T>,
        rhs_fit: Projection,
    }
    struct __VjpRuleSaved<T: Element> {
        lhs_vjp: ::core::option::Option<__VjpRuleSaved0<T>>,
        rhs_vjp: ::core::option::Option<__VjpRuleSaved1<T>>,
    }
    impl<T: Element> ::autodiff_core::__private::SavedContext<T> for __VjpRuleSaved<T> {
        fn fields(
            &self,
            vjp: ::core::primitive::usize,
        ) -> ::std::vec::Vec<::autodiff_core::__private::SavedField<T>> {
            #[allow(unused_imports)]
            use ::autodiff_core::__private::{ShowByDebug as _, ShowKnown as _};
            match vjp {
                0usize => {
                    if let ::core::option::Option::Some(saved) = &self.lhs_vjp {
                        return ::std::vec::Vec::from([
                            ::autodiff_core::__private::SavedField {
                                name: "rhs",
                                value: (&::autodiff_core::__private::Shown(&saved.rhs))
                                    .show(),
                            },
                            ::autodiff_core::__private::SavedField {
                                name: "lhs_fit",
                                value: (&::autodiff_core::__private::Shown(&saved.lhs_fit))
                                    .show(),
                            },
                        ]);
                    }
                }
                1usize => {
                    if let ::core::option::Option::Some(saved) = &self.rhs_vjp {
                        return ::std::vec::Vec::from([
                            ::autodiff_core::__private::SavedField {
                                name: "lhs",
                                value: (&::autodiff_core::__private::Shown(&saved.lhs))
                                    .show(),
                            },
                            ::autodiff_core::__private::SavedField {
                                name: "rhs_fit",
                                value: (&::autodiff_core::__private::Shown(&saved.rhs_fit))
                                    .show(),
                            },
                        ]);
                    }
                }
                _ => {}
            }
            ::std::vec::Vec::new()
        }
        fn as_any(&self) -> &dyn ::core::any::Any {
            self
        }
    }
    #[allow(
        clippy::fn_params_excessive_bools,
        clippy::missing_const_for_fn,
        clippy::needless_pass_by_value,
        clippy::ref_option,
        clippy::too_many_arguments,
        clippy::trivially_copy_pass_by_ref,
        clippy::type_complexity,
        clippy::unnecessary_wraps
    )]
    /// upstream times the other operand, summed back to the operand's shape
    fn lhs_vjp<T: Element>(
        upstream: &Tensor<T>,
        rhs: &Tensor<T>,
        lhs_fit: &Projection,
    ) -> Result<Tensor<T>> {
        lhs_fit.reduce_zip(upstream, rhs, |u, r| u * r)
    }
    #[allow(
        clippy::fn_params_excessive_bools,
        clippy::missing_const_for_fn,
        clippy::needless_pass_by_value,
        clippy::ref_option,
        clippy::too_many_arguments,
        clippy::trivially_copy_pass_by_ref,
        clippy::type_complexity,
        clippy::unnecessary_wraps
    )]
    /// upstream times the other operand, summed back to the operand's shape
    fn rhs_vjp<T: Element>(
        upstream: &Tensor<T>,
        lhs: &Tensor<T>,
        rhs_fit: &Projection,
    ) -> Result<Tensor<T>> {
        rhs_fit.reduce_zip(upstream, lhs, |u, l| u * l)
    }
    #[allow(
        clippy::fn_params_excessive_bools,
        clippy::missing_const_for_fn,
        clippy::needless_pass_by_value,
        clippy::ref_option,
        clippy::too_many_arguments,
        clippy::trivially_copy_pass_by_ref,
        clippy::type_complexity,
        clippy::unnecessary_wraps
    )]
    fn __vjp_rule_forward<T: Element>(
        lhs: &Tensor<T>,
        rhs: &Tensor<T>,
        wants: [::core::primitive::bool; 2usize],
    ) -> Result<(Tensor<T>, __VjpRuleSaved<T>)> {
        let (product, lhs_fit, rhs_fit) = lhs.zip_broadcast(rhs, |l, r| l * r)?;
        let locals_0 = if wants[0usize] {
            ::core::option::Option::Some((
                <Projection as ::core::clone::Clone>::clone(&lhs_fit),
            ))
        } else {
            ::core::option::Option::None
        };
        let locals_1 = if wants[1usize] {
            ::core::option::Option::Some((
                <Projection as ::core::clone::Clone>::clone(&rhs_fit),
            ))
        } else {
            ::core::option::Option::None
        };
        let output: Result<Tensor<T>> = Ok(product);
        let output = output?;
        let context = __VjpRuleSaved {
            lhs_vjp: ::core::option::Option::map(
                locals_0,
                |(own_lhs_fit,)| __VjpRuleSaved0 {
                    rhs: <Tensor<T> as ::core::clone::Clone>::clone(&rhs),
                    lhs_fit: own_lhs_fit,
                },
            ),
            rhs_vjp: ::core::option::Option::map(
                locals_1,
                |(own_rhs_fit,)| __VjpRuleSaved1 {
                    lhs: <Tensor<T> as ::core::clone::Clone>::clone(&lhs),
                    rhs_fit: own_rhs_fit,
                },
            ),
        };
        ::core::result::Result::Ok((output, context))
    }
    fn __vjp_rule_named<E>(error: E) -> ::autodiff_core::__private::TensorAutodiffError
    where
        ::autodiff_core::__private::TensorAutodiffError: ::core::convert::From<E>,
    {
        <::autodiff_core::__private::TensorAutodiffError as ::core::convert::From<
            E,
        >>::from(error)
            .in_operation(__VJP_RULE_OPERATION)
    }
    fn __vjp_rule_reverse<T: Element>(
        saved: &dyn ::autodiff_core::__private::SavedContext<T>,
        call: ::autodiff_core::__private::ReverseCall<'_, T>,
    ) -> ::core::result::Result<
        ::autodiff_core::__private::Contributions<T>,
        ::autodiff_core::__private::TensorAutodiffError,
    > {
        let ::core::option::Option::Some(saved) = <dyn ::core::any::Any>::downcast_ref::<
            __VjpRuleSaved<T>,
        >(::autodiff_core::__private::SavedContext::<T>::as_any(saved)) else {
            return ::core::result::Result::Err(::autodiff_core::__private::TensorAutodiffError::SavedContextMismatch {
                operation: __VJP_RULE_OPERATION,
            });
        };
        match call.vjp {
            0usize => {
                let ::core::option::Option::Some(saved) = &saved.lhs_vjp else {
                    return ::core::result::Result::Err(::autodiff_core::__private::TensorAutodiffError::SavedContextMismatch {
                        operation: __VJP_RULE_OPERATION,
                    });
                };
                lhs_vjp(&call.upstream, &saved.rhs, &saved.lhs_fit)
                    .map(::autodiff_core::__private::Contributions::One)
                    .map_err(__vjp_rule_named)
            }
            1usize => {
                let ::core::option::Option::Some(saved) = &saved.rhs_vjp else {
                    return ::core::result::Result::Err(::autodiff_core::__private::TensorAutodiffError::SavedContextMismatch {
                        operation: __VJP_RULE_OPERATION,
                    });
                };
                rhs_vjp(&call.upstream, &saved.lhs, &saved.rhs_fit)
                    .map(::autodiff_core::__private::Contributions::One)
                    .map_err(__vjp_rule_named)
            }
            _ => {
                ::core::result::Result::Err(::autodiff_core::__private::TensorAutodiffError::SavedContextMismatch {
                    operation: __VJP_RULE_OPERATION,
                })
            }
        }
    }
    impl<T: Element> mul for ::autodiff_core::__private::Tensor<T> {
        fn mul(
            &self,
            rhs: &Self,
        ) -> ::core::result::Result<
            Self,
            ::autodiff_core::__private::TensorAutodiffError,
        > {
            __vjp_rule_forward(self, rhs, [false; 2usize])
                .map(|(output, _)| output)
                .map_err(__vjp_rule_named)
        }
    }
    impl<T: Element> mul for ::autodiff_core::__private::TensorValue<T> {
        fn mul(
            &self,
            rhs: &Self,
        ) -> ::core::result::Result<
            Self,
            ::autodiff_core::__private::TensorAutodiffError,
        > {
            let mut recorder = ::autodiff_core::__private::Recorder::new(
                __VJP_RULE_OPERATION,
            );
            let own_lhs = recorder
                .operand(self, ::autodiff_core::__private::Place::single(0u16))?;
            let own_rhs = recorder
                .operand(rhs, ::autodiff_core::__private::Place::single(1u16))?;
            let uses = [&own_lhs, &own_rhs];
            let (output, saved) = __vjp_rule_forward(
                    own_lhs.primal(),
                    own_rhs.primal(),
                    recorder.wants(&uses),
                )
                .map_err(__vjp_rule_named)?;
            recorder.finish(&uses, output, saved)
        }
    }
    fn __vjp_rule_case_0(
        drawn: &::autodiff_core::__private::Drawn,
    ) -> ::std::vec::Vec<::autodiff_core::__private::InputSpec> {
        let m = drawn.extent(0usize);
        let n = drawn.extent(1usize);
        ::std::vec::Vec::from([
            ::autodiff_core::__private::InputSpec::Tensor {
                shape: ::std::vec::Vec::<::core::primitive::usize>::from([m, n]),
                ranges: ::std::vec::Vec::from([]),
            },
            ::autodiff_core::__private::InputSpec::Tensor {
                shape: ::std::vec::Vec::<::core::primitive::usize>::from([m, n]),
                ranges: ::std::vec::Vec::from([]),
            },
        ])
    }
    fn __vjp_rule_case_1(
        drawn: &::autodiff_core::__private::Drawn,
    ) -> ::std::vec::Vec<::autodiff_core::__private::InputSpec> {
        let n = drawn.extent(0usize);
        ::std::vec::Vec::from([
            ::autodiff_core::__private::InputSpec::Tensor {
                shape: <[&[::core::primitive::usize]]>::concat(
                    &[&[], drawn.any_shape(), &[n]],
                ),
                ranges: ::std::vec::Vec::from([]),
            },
            ::autodiff_core::__private::InputSpec::Tensor {
                shape: ::std::vec::Vec::<::core::primitive::usize>::from([n]),
                ranges: ::std::vec::Vec::from([(-2.0, -0.1), (0.1, 2.0)]),
            },
        ])
    }
    #[allow(deprecated)]
    fn __vjp_rule_call<V: mul>(
        call: &::autodiff_core::__private::Call<
            <V as ::autodiff_core::__private::Value>::Element,
            V,
        >,
    ) -> ::core::result::Result<
        ::std::vec::Vec<V>,
        ::autodiff_core::__private::TensorAutodiffError,
    > {
        let output = mul(call.operand(0usize)?, call.operand(1usize)?)?;
        ::core::result::Result::Ok(::std::vec::Vec::from([output]))
    }
    ::autodiff_core::__private::inventory::submit! {
        ::autodiff_core::__private::Rule { operation : __VJP_RULE_OPERATION, docs :
        "Elementwise product with trailing-axis broadcasting: `y = lhs · rhs`.\n\n# Shapes\nThose that broadcast.",
        file : ::core::file!(), line : ::core::line!(), package :
        ::core::concat!(::core::env!("CARGO_PKG_NAME"), " ",
        ::core::env!("CARGO_PKG_VERSION")), parameters : &
        [::autodiff_core::__private::Parameter { name : "lhs", kind :
        ::autodiff_core::__private::ParameterKind::Operand, type_text : "&Tensor<T>" },
        ::autodiff_core::__private::Parameter { name : "rhs", kind :
        ::autodiff_core::__private::ParameterKind::Operand, type_text : "&Tensor<T>" }],
        vjps : & [::autodiff_core::__private::Vjp { function : "lhs_vjp", operands : &
        ["lhs"], joint : false, words :
        "upstream times the other operand, summed back to the operand's shape", saved : &
        [::autodiff_core::__private::SavedName { name : "rhs", type_text : "&Tensor<T>"
        }, ::autodiff_core::__private::SavedName { name : "lhs_fit", type_text :
        "&Projection" }], }, ::autodiff_core::__private::Vjp { function : "rhs_vjp",
        operands : & ["rhs"], joint : false, words :
        "upstream times the other operand, summed back to the operand's shape", saved : &
        [::autodiff_core::__private::SavedName { name : "lhs", type_text : "&Tensor<T>"
        }, ::autodiff_core::__private::SavedName { name : "rhs_fit", type_text :
        "&Projection" }], }], outputs : ::autodiff_core::__private::Outputs::One, cases :
        & [::autodiff_core::__private::Case { text : "lhs: [m, n], rhs: [m, n]", kind :
        ::autodiff_core::__private::CaseKind::Drawn { symbols : & ["m", "n"], any_shape :
        false, choices : & [], build : __vjp_rule_case_0, } },
        ::autodiff_core::__private::Case { text :
        "lhs: [.., n], rhs: [n] in -2.0..-0.1 | 0.1..2.0", kind :
        ::autodiff_core::__private::CaseKind::Drawn { symbols : & ["n"], any_shape :
        true, choices : & [], build : __vjp_rule_case_1, } }], f32 :
        ::core::option::Option::Some(::autodiff_core::__private::ElementRule { reverse :
        __vjp_rule_reverse:: < ::core::primitive::f32 >, plain : __vjp_rule_call:: <
        ::autodiff_core::__private::Tensor < ::core::primitive::f32 >>, taped :
        __vjp_rule_call:: < ::autodiff_core::__private::TensorValue <
        ::core::primitive::f32 >>, }), f64 :
        ::core::option::Option::Some(::autodiff_core::__private::ElementRule { reverse :
        __vjp_rule_reverse:: < ::core::primitive::f64 >, plain : __vjp_rule_call:: <
        ::autodiff_core::__private::Tensor < ::core::primitive::f64 >>, taped :
        __vjp_rule_call:: < ::autodiff_core::__private::TensorValue <
        ::core::primitive::f64 >>, }), dual :
        ::core::option::Option::Some(::autodiff_core::__private::ElementRule { reverse :
        __vjp_rule_reverse:: < ::autodiff_core::__private::Dual < ::core::primitive::f64
        > >, plain : __vjp_rule_call:: < ::autodiff_core::__private::Tensor <
        ::autodiff_core::__private::Dual < ::core::primitive::f64 > >>, taped :
        __vjp_rule_call:: < ::autodiff_core::__private::TensorValue <
        ::autodiff_core::__private::Dual < ::core::primitive::f64 > >>, }), }
    }
};
