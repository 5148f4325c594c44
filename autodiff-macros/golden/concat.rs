///The operation [`concat`](fn@concat) as a bound, and as a method.
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
pub trait concat: ::autodiff_core::__private::Value {
    /**The inputs one after the other along `axis`.

See the function [`concat`](fn@concat).

# Errors

Where the function fails.*/
    fn concat(
        inputs: &[&Self],
        axis: usize,
    ) -> ::core::result::Result<Self, ::autodiff_core::__private::TensorAutodiffError>;
}
/// The inputs one after the other along `axis`.
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
pub fn concat<V: concat>(
    inputs: &[&V],
    axis: usize,
) -> ::core::result::Result<V, ::autodiff_core::__private::TensorAutodiffError> {
    <V as concat>::concat(inputs, axis)
}
#[cfg(test)]
#[::core::prelude::v1::test]
fn gradcheck_concat() {
    ::autodiff_core::__private::check_rule(
        ::core::concat!(::core::module_path!(), "::", "concat"),
    );
}
const _: () = {
    use crate::plan::join;
    fn part<T: Element>(
        x: &Tensor<T>,
        axis: usize,
        extents: &[usize],
        index: usize,
    ) -> Result<Tensor<T>> {
        crate::plan::part(x, axis, extents, index)
    }
    static __VJP_RULE_IDENTITY: ::autodiff_core::__private::Identity = ::autodiff_core::__private::Identity::new(
        "concat",
        ::core::concat!(::core::module_path!(), "::", "concat"),
    );
    const __VJP_RULE_OPERATION: ::autodiff_core::__private::Operation = ::autodiff_core::__private::Operation::new(
        &__VJP_RULE_IDENTITY,
    );
    struct __VjpRuleSaved0 {
        axis: usize,
        extents: ::std::vec::Vec<usize>,
    }
    struct __VjpRuleSaved {
        inputs_vjp: ::core::option::Option<__VjpRuleSaved0>,
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
                    if let ::core::option::Option::Some(saved) = &self.inputs_vjp {
                        return ::std::vec::Vec::from([
                            ::autodiff_core::__private::SavedField {
                                name: "axis",
                                value: (&::autodiff_core::__private::Shown(&saved.axis))
                                    .show(),
                            },
                            ::autodiff_core::__private::SavedField {
                                name: "extents",
                                value: (&::autodiff_core::__private::Shown(&saved.extents))
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
    /// the part of upstream that came from this entry
    fn inputs_vjp<T: Element>(
        upstream: &Tensor<T>,
        index: usize,
        axis: usize,
        extents: &[usize],
    ) -> Result<Tensor<T>> {
        part(upstream, axis, extents, index)
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
        inputs: &[&Tensor<T>],
        axis: usize,
        wants: [::core::primitive::bool; 1usize],
    ) -> Result<(Tensor<T>, __VjpRuleSaved)> {
        let extents: Vec<usize> = inputs.iter().map(|x| x.shape()[axis]).collect();
        let locals_0 = if wants[0usize] {
            ::core::option::Option::Some((<[usize]>::to_vec(&extents),))
        } else {
            ::core::option::Option::None
        };
        let output: Result<Tensor<T>> = join(inputs, axis);
        let output = output?;
        let context = __VjpRuleSaved {
            inputs_vjp: ::core::option::Option::map(
                locals_0,
                |(own_extents,)| __VjpRuleSaved0 {
                    axis: axis,
                    extents: own_extents,
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
                let ::core::option::Option::Some(saved) = &saved.inputs_vjp else {
                    return ::core::result::Result::Err(::autodiff_core::__private::TensorAutodiffError::SavedContextMismatch {
                        operation: __VJP_RULE_OPERATION,
                    });
                };
                inputs_vjp(&call.upstream, call.index, saved.axis, &saved.extents)
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
    impl<T: Element> concat for ::autodiff_core::__private::Tensor<T> {
        fn concat(
            inputs: &[&Self],
            axis: usize,
        ) -> ::core::result::Result<
            Self,
            ::autodiff_core::__private::TensorAutodiffError,
        > {
            __vjp_rule_forward(inputs, axis, [false; 1usize])
                .map(|(output, _)| output)
                .map_err(__vjp_rule_named)
        }
    }
    impl<T: Element> concat for ::autodiff_core::__private::TensorValue<T> {
        fn concat(
            inputs: &[&Self],
            axis: usize,
        ) -> ::core::result::Result<
            Self,
            ::autodiff_core::__private::TensorAutodiffError,
        > {
            let mut recorder = ::autodiff_core::__private::Recorder::new(
                __VJP_RULE_OPERATION,
            );
            let own_inputs = recorder
                .operands(inputs, ::autodiff_core::__private::Place::single(0u16))?;
            let mut uses = ::std::vec::Vec::new();
            ::core::iter::Extend::extend(&mut uses, &own_inputs);
            let (output, saved) = __vjp_rule_forward(
                    &::core::iter::Iterator::collect::<
                        ::std::vec::Vec<_>,
                    >(
                        ::core::iter::Iterator::map(
                            own_inputs.iter(),
                            ::autodiff_core::__private::Use::primal,
                        ),
                    ),
                    axis,
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
        let a = drawn.extent(1usize);
        let b = drawn.extent(2usize);
        ::std::vec::Vec::from([
            ::autodiff_core::__private::InputSpec::Tensors {
                shapes: ::std::vec::Vec::from([
                    ::std::vec::Vec::<::core::primitive::usize>::from([m, a]),
                    ::std::vec::Vec::<::core::primitive::usize>::from([m, b]),
                ]),
                ranges: ::std::vec::Vec::from([]),
            },
            ::autodiff_core::__private::InputSpec::Argument(
                <::autodiff_core::__private::ArgumentValue as ::core::convert::From<
                    usize,
                >>::from(1),
            ),
        ])
    }
    fn __vjp_rule_case_1(
        drawn: &::autodiff_core::__private::Drawn,
    ) -> ::std::vec::Vec<::autodiff_core::__private::InputSpec> {
        let a = drawn.extent(0usize);
        let n = drawn.extent(1usize);
        let b = drawn.extent(2usize);
        let c = drawn.extent(3usize);
        ::std::vec::Vec::from([
            ::autodiff_core::__private::InputSpec::Tensors {
                shapes: ::std::vec::Vec::from([
                    ::std::vec::Vec::<::core::primitive::usize>::from([a, n]),
                    ::std::vec::Vec::<::core::primitive::usize>::from([b, n]),
                    ::std::vec::Vec::<::core::primitive::usize>::from([c, n]),
                ]),
                ranges: ::std::vec::Vec::from([(-1.0, 1.0)]),
            },
            ::autodiff_core::__private::InputSpec::Argument(
                <::autodiff_core::__private::ArgumentValue as ::core::convert::From<
                    usize,
                >>::from(0),
            ),
        ])
    }
    #[allow(deprecated)]
    fn __vjp_rule_call<V: concat>(
        call: &::autodiff_core::__private::Call<
            <V as ::autodiff_core::__private::Value>::Element,
            V,
        >,
    ) -> ::core::result::Result<
        ::std::vec::Vec<V>,
        ::autodiff_core::__private::TensorAutodiffError,
    > {
        let output = concat(&call.operands(0usize)?, call.argument::<usize>(1usize)?)?;
        ::core::result::Result::Ok(::std::vec::Vec::from([output]))
    }
    ::autodiff_core::__private::inventory::submit! {
        ::autodiff_core::__private::Rule { operation : __VJP_RULE_OPERATION, docs :
        "The inputs one after the other along `axis`.", file : ::core::file!(), line :
        ::core::line!(), package : ::core::concat!(::core::env!("CARGO_PKG_NAME"), " ",
        ::core::env!("CARGO_PKG_VERSION")), parameters : &
        [::autodiff_core::__private::Parameter { name : "inputs", kind :
        ::autodiff_core::__private::ParameterKind::Variadic, type_text : "&[&Tensor<T>]"
        }, ::autodiff_core::__private::Parameter { name : "axis", kind :
        ::autodiff_core::__private::ParameterKind::Argument, type_text : "usize" }], vjps
        : & [::autodiff_core::__private::Vjp { function : "inputs_vjp", operands : &
        ["inputs"], joint : false, words :
        "the part of upstream that came from this entry", saved : &
        [::autodiff_core::__private::SavedName { name : "axis", type_text : "usize" },
        ::autodiff_core::__private::SavedName { name : "extents", type_text : "&[usize]"
        }], }], outputs : ::autodiff_core::__private::Outputs::One, cases : &
        [::autodiff_core::__private::Case { text : "inputs: [[m, a], [m, b]], axis = 1",
        kind : ::autodiff_core::__private::CaseKind::Drawn { symbols : & ["m", "a", "b"],
        any_shape : false, choices : & [], build : __vjp_rule_case_0, } },
        ::autodiff_core::__private::Case { text :
        "inputs: [[a, n], [b, n], [c, n]] in -1.0..1.0, axis = 0", kind :
        ::autodiff_core::__private::CaseKind::Drawn { symbols : & ["a", "n", "b", "c"],
        any_shape : false, choices : & [], build : __vjp_rule_case_1, } }], f32 :
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
