///The operation [`sum_axis`](fn@sum_axis) as a bound, and as a method.
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
pub trait sum_axis: ::autodiff_core::__private::Value {
    /**Sum over one axis.

See the function [`sum_axis`](fn@sum_axis).

# Errors

Where the function fails.*/
    fn sum_axis(
        &self,
        axis: usize,
        keep_dim: bool,
    ) -> ::core::result::Result<Self, ::autodiff_core::__private::TensorAutodiffError>;
}
/// Sum over one axis.
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
pub fn sum_axis<V: sum_axis>(
    x: &V,
    axis: usize,
    keep_dim: bool,
) -> ::core::result::Result<V, ::autodiff_core::__private::TensorAutodiffError> {
    <V as sum_axis>::sum_axis(x, axis, keep_dim)
}
#[cfg(test)]
#[::core::prelude::v1::test]
fn gradcheck_sum_axis() {
    ::autodiff_core::__private::check_rule(
        ::core::concat!(::core::module_path!(), "::", "sum_axis"),
    );
}
const _: () = {
    static __VJP_RULE_IDENTITY: ::autodiff_core::__private::Identity = ::autodiff_core::__private::Identity::new(
        "sum",
        ::core::concat!(::core::module_path!(), "::", "sum_axis"),
    );
    const __VJP_RULE_OPERATION: ::autodiff_core::__private::Operation = ::autodiff_core::__private::Operation::new(
        &__VJP_RULE_IDENTITY,
    );
    struct __VjpRuleSaved0 {
        axis: usize,
        keep_dim: bool,
        plan: Projection,
    }
    struct __VjpRuleSaved {
        x_vjp: ::core::option::Option<__VjpRuleSaved0>,
    }
    impl<T: Element> ::autodiff_core::__private::SavedContext<T> for __VjpRuleSaved {
        fn fields(
            &self,
            vjp: ::core::primitive::usize,
        ) -> ::std::vec::Vec<::autodiff_core::__private::SavedField<T>> {
            #[allow(unused_imports)]
            use ::autodiff_core::__private::{ShowByDebug as _, ShowKnown as _};
            match vjp {
                0usize => {
                    if let ::core::option::Option::Some(saved) = &self.x_vjp {
                        return ::std::vec::Vec::from([
                            ::autodiff_core::__private::SavedField {
                                name: "axis",
                                value: (&::autodiff_core::__private::Shown(&saved.axis))
                                    .show(),
                            },
                            ::autodiff_core::__private::SavedField {
                                name: "keep_dim",
                                value: (&::autodiff_core::__private::Shown(&saved.keep_dim))
                                    .show(),
                            },
                            ::autodiff_core::__private::SavedField {
                                name: "plan",
                                value: (&::autodiff_core::__private::Shown(&saved.plan))
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
    /// upstream repeated along the axis
    fn x_vjp<T: Element>(
        upstream: &Tensor<T>,
        axis: usize,
        keep_dim: bool,
        plan: &Projection,
    ) -> Result<Tensor<T>> {
        plan.expand(upstream)
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
        x: &Tensor<T>,
        axis: usize,
        keep_dim: bool,
        wants: [::core::primitive::bool; 1usize],
    ) -> Result<(Tensor<T>, __VjpRuleSaved)> {
        let plan = Projection::reduction(x.shape(), &[axis], keep_dim)?;
        let locals_0 = if wants[0usize] {
            ::core::option::Option::Some((
                <Projection as ::core::clone::Clone>::clone(&plan),
            ))
        } else {
            ::core::option::Option::None
        };
        let output: Result<Tensor<T>> = plan.reduce(x);
        let output = output?;
        let context = __VjpRuleSaved {
            x_vjp: ::core::option::Option::map(
                locals_0,
                |(own_plan,)| __VjpRuleSaved0 {
                    axis: axis,
                    keep_dim: keep_dim,
                    plan: own_plan,
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
            __VjpRuleSaved,
        >(::autodiff_core::__private::SavedContext::<T>::as_any(saved)) else {
            return ::core::result::Result::Err(::autodiff_core::__private::TensorAutodiffError::SavedContextMismatch {
                operation: __VJP_RULE_OPERATION,
            });
        };
        match call.vjp {
            0usize => {
                let ::core::option::Option::Some(saved) = &saved.x_vjp else {
                    return ::core::result::Result::Err(::autodiff_core::__private::TensorAutodiffError::SavedContextMismatch {
                        operation: __VJP_RULE_OPERATION,
                    });
                };
                x_vjp(&call.upstream, saved.axis, saved.keep_dim, &saved.plan)
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
    impl<T: Element> sum_axis for ::autodiff_core::__private::Tensor<T> {
        fn sum_axis(
            &self,
            axis: usize,
            keep_dim: bool,
        ) -> ::core::result::Result<
            Self,
            ::autodiff_core::__private::TensorAutodiffError,
        > {
            __vjp_rule_forward(self, axis, keep_dim, [false; 1usize])
                .map(|(output, _)| output)
                .map_err(__vjp_rule_named)
        }
    }
    impl<T: Element> sum_axis for ::autodiff_core::__private::TensorValue<T> {
        fn sum_axis(
            &self,
            axis: usize,
            keep_dim: bool,
        ) -> ::core::result::Result<
            Self,
            ::autodiff_core::__private::TensorAutodiffError,
        > {
            let mut recorder = ::autodiff_core::__private::Recorder::new(
                __VJP_RULE_OPERATION,
            );
            let own_x = recorder
                .operand(self, ::autodiff_core::__private::Place::single(0u16))?;
            let uses = [&own_x];
            let (output, saved) = __vjp_rule_forward(
                    own_x.primal(),
                    axis,
                    keep_dim,
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
            ::autodiff_core::__private::InputSpec::Argument(
                match drawn.choice(0usize) {
                    0usize => {
                        <::autodiff_core::__private::ArgumentValue as ::core::convert::From<
                            usize,
                        >>::from(0)
                    }
                    _ => {
                        <::autodiff_core::__private::ArgumentValue as ::core::convert::From<
                            usize,
                        >>::from(1)
                    }
                },
            ),
            ::autodiff_core::__private::InputSpec::Argument(
                match drawn.choice(1usize) {
                    0usize => {
                        <::autodiff_core::__private::ArgumentValue as ::core::convert::From<
                            bool,
                        >>::from(true)
                    }
                    _ => {
                        <::autodiff_core::__private::ArgumentValue as ::core::convert::From<
                            bool,
                        >>::from(false)
                    }
                },
            ),
        ])
    }
    #[allow(deprecated)]
    fn __vjp_rule_call<V: sum_axis>(
        call: &::autodiff_core::__private::Call<
            <V as ::autodiff_core::__private::Value>::Element,
            V,
        >,
    ) -> ::core::result::Result<
        ::std::vec::Vec<V>,
        ::autodiff_core::__private::TensorAutodiffError,
    > {
        let output = sum_axis(
            call.operand(0usize)?,
            call.argument::<usize>(1usize)?,
            call.argument::<bool>(2usize)?,
        )?;
        ::core::result::Result::Ok(::std::vec::Vec::from([output]))
    }
    ::autodiff_core::__private::inventory::submit! {
        ::autodiff_core::__private::Rule { operation : __VJP_RULE_OPERATION, docs :
        "Sum over one axis.", file : ::core::file!(), line : ::core::line!(), package :
        ::core::concat!(::core::env!("CARGO_PKG_NAME"), " ",
        ::core::env!("CARGO_PKG_VERSION")), parameters : &
        [::autodiff_core::__private::Parameter { name : "x", kind :
        ::autodiff_core::__private::ParameterKind::Operand, type_text : "&Tensor<T>" },
        ::autodiff_core::__private::Parameter { name : "axis", kind :
        ::autodiff_core::__private::ParameterKind::Argument, type_text : "usize" },
        ::autodiff_core::__private::Parameter { name : "keep_dim", kind :
        ::autodiff_core::__private::ParameterKind::Argument, type_text : "bool" }], vjps
        : & [::autodiff_core::__private::Vjp { function : "x_vjp", operands : & ["x"],
        joint : false, words : "upstream repeated along the axis", saved : &
        [::autodiff_core::__private::SavedName { name : "axis", type_text : "usize" },
        ::autodiff_core::__private::SavedName { name : "keep_dim", type_text : "bool" },
        ::autodiff_core::__private::SavedName { name : "plan", type_text : "&Projection"
        }], }], outputs : ::autodiff_core::__private::Outputs::One, cases : &
        [::autodiff_core::__private::Case { text :
        "x: [m, n], axis = 0 | 1, keep_dim = true | false", kind :
        ::autodiff_core::__private::CaseKind::Drawn { symbols : & ["m", "n"], any_shape :
        false, choices : & [::autodiff_core::__private::Choice { argument : "axis", count
        : 2usize }, ::autodiff_core::__private::Choice { argument : "keep_dim", count :
        2usize }], build : __vjp_rule_case_0, } }], f32 :
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
