///The operation [`halves`](fn@halves) as a bound, and as a method.
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
trait halves: ::autodiff_core::__private::Value {
    /**The two halves.

See the function [`halves`](fn@halves).

# Errors

Where the function fails.*/
    fn halves(
        &self,
    ) -> ::core::result::Result<
        (Self, Self),
        ::autodiff_core::__private::TensorAutodiffError,
    >;
}
/// The two halves.
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
fn halves<V: halves>(
    x: &V,
) -> ::core::result::Result<(V, V), ::autodiff_core::__private::TensorAutodiffError> {
    <V as halves>::halves(x)
}
#[cfg(test)]
#[::core::prelude::v1::test]
fn gradcheck_halves() {
    ::autodiff_core::__private::check_rule(
        ::core::concat!(::core::module_path!(), "::", "halves"),
    );
}
const _: () = {
    static __VJP_RULE_IDENTITY: ::autodiff_core::__private::Identity = ::autodiff_core::__private::Identity::new(
        "halves",
        ::core::concat!(::core::module_path!(), "::", "halves"),
    );
    const __VJP_RULE_OPERATION: ::autodiff_core::__private::Operation = ::autodiff_core::__private::Operation::new(
        &__VJP_RULE_IDENTITY,
    );
    struct __VjpRuleSaved0 {
        output: Tensor,
        middle: usize,
    }
    struct __VjpRuleSaved {
        x_vjp: ::core::option::Option<__VjpRuleSaved0>,
    }
    impl ::autodiff_core::__private::SavedContext<::core::primitive::f64>
    for __VjpRuleSaved {
        fn fields(
            &self,
            vjp: ::core::primitive::usize,
        ) -> ::std::vec::Vec<
            ::autodiff_core::__private::SavedField<::core::primitive::f64>,
        > {
            #[allow(unused_imports)]
            use ::autodiff_core::__private::{ShowByDebug as _, ShowKnown as _};
            match vjp {
                0usize => {
                    if let ::core::option::Option::Some(saved) = &self.x_vjp {
                        return ::std::vec::Vec::from([
                            ::autodiff_core::__private::SavedField {
                                name: "output",
                                value: (&::autodiff_core::__private::Shown(&saved.output))
                                    .show(),
                            },
                            ::autodiff_core::__private::SavedField {
                                name: "middle",
                                value: (&::autodiff_core::__private::Shown(&saved.middle))
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
    /// upstream beside zeros
    fn x_vjp(
        upstream: &Tensor,
        output: &Tensor,
        output_index: usize,
        middle: usize,
    ) -> Result<Tensor> {
        place(upstream, output, output_index, middle)
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
    fn __vjp_rule_forward(
        x: &Tensor,
        wants: [::core::primitive::bool; 1usize],
    ) -> Result<((Tensor, Tensor), (__VjpRuleSaved, __VjpRuleSaved))> {
        let middle = x.len() / 2;
        let locals_0 = if wants[0usize] {
            ::core::option::Option::Some((
                <usize as ::core::clone::Clone>::clone(&middle),
            ))
        } else {
            ::core::option::Option::None
        };
        let output: Result<(Tensor, Tensor)> = Ok((head(x, middle)?, tail(x, middle)?));
        let output = output?;
        let context = |
            output: &::autodiff_core::__private::Tensor<::core::primitive::f64>|
        __VjpRuleSaved {
            x_vjp: ::core::option::Option::map(
                ::core::clone::Clone::clone(&locals_0),
                |(own_middle,)| __VjpRuleSaved0 {
                    output: <Tensor as ::core::clone::Clone>::clone(&output),
                    middle: own_middle,
                },
            ),
        };
        let contexts = {
            let (output_0, output_1) = &output;
            (context(output_0), context(output_1))
        };
        ::core::result::Result::Ok((output, contexts))
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
    fn __vjp_rule_reverse(
        saved: &dyn ::autodiff_core::__private::SavedContext<::core::primitive::f64>,
        call: ::autodiff_core::__private::ReverseCall<'_, ::core::primitive::f64>,
    ) -> ::core::result::Result<
        ::autodiff_core::__private::Contributions<::core::primitive::f64>,
        ::autodiff_core::__private::TensorAutodiffError,
    > {
        let ::core::option::Option::Some(saved) = <dyn ::core::any::Any>::downcast_ref::<
            __VjpRuleSaved,
        >(
            ::autodiff_core::__private::SavedContext::<
                ::core::primitive::f64,
            >::as_any(saved),
        ) else {
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
                x_vjp(&call.upstream, &saved.output, call.output_index, saved.middle)
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
    impl halves for ::autodiff_core::__private::Tensor<::core::primitive::f64> {
        fn halves(
            &self,
        ) -> ::core::result::Result<
            (Self, Self),
            ::autodiff_core::__private::TensorAutodiffError,
        > {
            __vjp_rule_forward(self, [false; 1usize])
                .map(|(output, _)| output)
                .map_err(__vjp_rule_named)
        }
    }
    impl halves for ::autodiff_core::__private::TensorValue<::core::primitive::f64> {
        fn halves(
            &self,
        ) -> ::core::result::Result<
            (Self, Self),
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
                    recorder.wants(&uses),
                )
                .map_err(__vjp_rule_named)?;
            let (output_0, output_1) = output;
            let (saved_0, saved_1) = saved;
            ::core::result::Result::Ok((
                recorder.finish_output(&uses, 0usize, output_0, saved_0)?,
                recorder.finish_output(&uses, 1usize, output_1, saved_1)?,
            ))
        }
    }
    #[allow(deprecated)]
    fn __vjp_rule_call<V: halves>(
        call: &::autodiff_core::__private::Call<
            <V as ::autodiff_core::__private::Value>::Element,
            V,
        >,
    ) -> ::core::result::Result<
        ::std::vec::Vec<V>,
        ::autodiff_core::__private::TensorAutodiffError,
    > {
        let output = halves(call.operand(0usize)?)?;
        ::core::result::Result::Ok({
            let (output_0, output_1) = output;
            ::std::vec::Vec::from([output_0, output_1])
        })
    }
    ::autodiff_core::__private::inventory::submit! {
        ::autodiff_core::__private::Rule { operation : __VJP_RULE_OPERATION, docs :
        "The two halves.", file : ::core::file!(), line : ::core::line!(), package :
        ::core::concat!(::core::env!("CARGO_PKG_NAME"), " ",
        ::core::env!("CARGO_PKG_VERSION")), parameters : &
        [::autodiff_core::__private::Parameter { name : "x", kind :
        ::autodiff_core::__private::ParameterKind::Operand, type_text : "&Tensor" }],
        vjps : & [::autodiff_core::__private::Vjp { function : "x_vjp", operands : &
        ["x"], joint : false, words : "upstream beside zeros", saved : &
        [::autodiff_core::__private::SavedName { name : "output", type_text : "&Tensor"
        }, ::autodiff_core::__private::SavedName { name : "middle", type_text : "usize"
        }], }], outputs : ::autodiff_core::__private::Outputs::Several, cases : &
        [::autodiff_core::__private::Case { text : "skip = \"shown only\"", kind :
        ::autodiff_core::__private::CaseKind::Skipped { reason : "shown only" } }], f32 :
        ::core::option::Option::None, f64 :
        ::core::option::Option::Some(::autodiff_core::__private::ElementRule { reverse :
        __vjp_rule_reverse, plain : __vjp_rule_call:: <
        ::autodiff_core::__private::Tensor < ::core::primitive::f64 >>, taped :
        __vjp_rule_call:: < ::autodiff_core::__private::TensorValue <
        ::core::primitive::f64 >>, }), dual : ::core::option::Option::None, }
    }
};
