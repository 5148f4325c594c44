///The operation [`affine`](fn@affine) as a bound, and as a method.
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
pub(crate) trait affine: ::renamed::__private::Value {
    /**`y = x · w + bias`, where `keep` holds.
# VJP
By the product rule.

See the function [`affine`](fn@affine).

# Errors

Where the function fails.*/
    fn affine(
        &self,
        w: &Self,
        bias: ::core::option::Option<&Self>,
        keep: &::renamed::__private::Tensor<::core::primitive::bool>,
        scale: Option<f64>,
    ) -> ::core::result::Result<Self, ::renamed::__private::TensorAutodiffError>;
}
/// `y = x · w + bias`, where `keep` holds.
/// # VJP
/// By the product rule.
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
pub(crate) fn affine<V: affine>(
    x: &V,
    w: &V,
    bias: ::core::option::Option<&V>,
    keep: &::renamed::__private::Tensor<::core::primitive::bool>,
    scale: Option<f64>,
) -> ::core::result::Result<V, ::renamed::__private::TensorAutodiffError> {
    <V as affine>::affine(x, w, bias, keep, scale)
}
#[cfg(test)]
#[::core::prelude::v1::test]
fn gradcheck_affine() {
    ::renamed::__private::check_rule(
        ::core::concat!(::core::module_path!(), "::", "affine"),
    );
}
const _: () = {
    static __VJP_RULE_IDENTITY: ::renamed::__private::Identity = ::renamed::__private::Identity::new(
        "affine",
        ::core::concat!(::core::module_path!(), "::", "affine"),
    );
    const __VJP_RULE_OPERATION: ::renamed::__private::Operation = ::renamed::__private::Operation::new(
        &__VJP_RULE_IDENTITY,
    );
    struct __VjpRuleSaved0<E: Element> {
        x: Tensor<E>,
        w: Tensor<E>,
        bias: ::core::option::Option<Tensor<E>>,
        keep: Tensor<bool>,
        scale: Option<f64>,
    }
    struct __VjpRuleSaved<E: Element> {
        all: ::core::option::Option<__VjpRuleSaved0<E>>,
    }
    impl<E: Element> ::renamed::__private::SavedContext<E> for __VjpRuleSaved<E> {
        fn fields(
            &self,
            vjp: ::core::primitive::usize,
        ) -> ::std::vec::Vec<::renamed::__private::SavedField<E>> {
            #[allow(unused_imports)]
            use ::renamed::__private::{ShowByDebug as _, ShowKnown as _};
            match vjp {
                0usize => {
                    if let ::core::option::Option::Some(saved) = &self.all {
                        return ::std::vec::Vec::from([
                            ::renamed::__private::SavedField {
                                name: "x",
                                value: (&::renamed::__private::Shown(&saved.x)).show(),
                            },
                            ::renamed::__private::SavedField {
                                name: "w",
                                value: (&::renamed::__private::Shown(&saved.w)).show(),
                            },
                            ::renamed::__private::SavedField {
                                name: "bias",
                                value: (&::renamed::__private::Shown(&saved.bias)).show(),
                            },
                            ::renamed::__private::SavedField {
                                name: "keep",
                                value: (&::renamed::__private::Shown(&saved.keep)).show(),
                            },
                            ::renamed::__private::SavedField {
                                name: "scale",
                                value: (&::renamed::__private::Shown(&saved.scale)).show(),
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
    fn all<E: Element>(
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
    fn __vjp_rule_primal<E: Element>(
        x: &Tensor<E>,
        w: &Tensor<E>,
        bias: Option<&Tensor<E>>,
        keep: &Tensor<bool>,
        scale: Option<f64>,
    ) -> Result<Tensor<E>> {
        let _ = &x;
        let _ = &w;
        let _ = &bias;
        let _ = &keep;
        let _ = &scale;
        {
            if x.rank() != 2 {
                return product(x, w);
            }
            affine_forward(x, w, bias, keep, scale)
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
    fn __vjp_rule_forward<E: Element>(
        x: &Tensor<E>,
        w: &Tensor<E>,
        bias: Option<&Tensor<E>>,
        keep: &Tensor<bool>,
        scale: Option<f64>,
        wants: [::core::primitive::bool; 1usize],
    ) -> Result<(Tensor<E>, __VjpRuleSaved<E>)> {
        let output = __vjp_rule_primal(x, w, bias, keep, scale)?;
        let context = __VjpRuleSaved {
            all: if wants[0usize] {
                ::core::option::Option::Some(__VjpRuleSaved0 {
                    x: <Tensor<E> as ::core::clone::Clone>::clone(&x),
                    w: <Tensor<E> as ::core::clone::Clone>::clone(&w),
                    bias: ::core::option::Option::<&Tensor<E>>::cloned(bias),
                    keep: <Tensor<bool> as ::core::clone::Clone>::clone(&keep),
                    scale: <Option<f64> as ::core::clone::Clone>::clone(&scale),
                })
            } else {
                ::core::option::Option::None
            },
        };
        ::core::result::Result::Ok((output, context))
    }
    fn __vjp_rule_named<E>(error: E) -> ::renamed::__private::TensorAutodiffError
    where
        ::renamed::__private::TensorAutodiffError: ::core::convert::From<E>,
    {
        <::renamed::__private::TensorAutodiffError as ::core::convert::From<
            E,
        >>::from(error)
            .in_operation(__VJP_RULE_OPERATION)
    }
    fn __vjp_rule_reverse<E: Element>(
        saved: &dyn ::renamed::__private::SavedContext<E>,
        call: ::renamed::__private::ReverseCall<'_, E>,
    ) -> ::core::result::Result<
        ::renamed::__private::Contributions<E>,
        ::renamed::__private::TensorAutodiffError,
    > {
        let ::core::option::Option::Some(saved) = <dyn ::core::any::Any>::downcast_ref::<
            __VjpRuleSaved<E>,
        >(::renamed::__private::SavedContext::<E>::as_any(saved)) else {
            return ::core::result::Result::Err(::renamed::__private::TensorAutodiffError::SavedContextMismatch {
                operation: __VJP_RULE_OPERATION,
            });
        };
        match call.vjp {
            0usize => {
                let ::core::option::Option::Some(saved) = &saved.all else {
                    return ::core::result::Result::Err(::renamed::__private::TensorAutodiffError::SavedContextMismatch {
                        operation: __VJP_RULE_OPERATION,
                    });
                };
                let ::core::result::Result::Ok(wanted) = <[::core::primitive::bool; 3usize] as ::core::convert::TryFrom<
                    &[::core::primitive::bool],
                >>::try_from(call.wanted) else {
                    return ::core::result::Result::Err(::renamed::__private::TensorAutodiffError::SavedContextMismatch {
                        operation: __VJP_RULE_OPERATION,
                    });
                };
                all(
                        call.upstream,
                        wanted,
                        &saved.x,
                        &saved.w,
                        ::core::option::Option::as_ref(&saved.bias),
                        &saved.keep,
                        ::core::clone::Clone::clone(&saved.scale),
                    )
                    .map(|contributions| ::renamed::__private::Contributions::Joint(
                        ::core::iter::Iterator::collect(
                            ::core::iter::IntoIterator::into_iter(contributions),
                        ),
                    ))
                    .map_err(__vjp_rule_named)
            }
            _ => {
                ::core::result::Result::Err(::renamed::__private::TensorAutodiffError::SavedContextMismatch {
                    operation: __VJP_RULE_OPERATION,
                })
            }
        }
    }
    impl<E: Element> affine for ::renamed::__private::Tensor<E> {
        fn affine(
            &self,
            w: &Self,
            bias: ::core::option::Option<&Self>,
            keep: &::renamed::__private::Tensor<::core::primitive::bool>,
            scale: Option<f64>,
        ) -> ::core::result::Result<Self, ::renamed::__private::TensorAutodiffError> {
            __vjp_rule_primal(self, w, bias, keep, scale).map_err(__vjp_rule_named)
        }
    }
    impl<E: Element> affine for ::renamed::__private::TensorValue<E> {
        fn affine(
            &self,
            w: &Self,
            bias: ::core::option::Option<&Self>,
            keep: &::renamed::__private::Tensor<::core::primitive::bool>,
            scale: Option<f64>,
        ) -> ::core::result::Result<Self, ::renamed::__private::TensorAutodiffError> {
            let mut recorder = ::renamed::__private::Recorder::new(__VJP_RULE_OPERATION);
            let own_x = recorder
                .operand(self, ::renamed::__private::Place::joint(0u16, 0u32))?;
            let own_w = recorder
                .operand(w, ::renamed::__private::Place::joint(0u16, 1u32))?;
            let own_bias = recorder
                .optional(bias, ::renamed::__private::Place::joint(0u16, 2u32))?;
            let mut uses = ::std::vec::Vec::new();
            uses.push(&own_x);
            uses.push(&own_w);
            ::core::iter::Extend::extend(&mut uses, &own_bias);
            let (output, saved) = __vjp_rule_forward(
                    own_x.primal(),
                    own_w.primal(),
                    ::core::option::Option::map(
                        ::core::option::Option::as_ref(&own_bias),
                        ::renamed::__private::Use::primal,
                    ),
                    keep,
                    scale,
                    recorder.wants(&uses),
                )
                .map_err(__vjp_rule_named)?;
            recorder.finish(&uses, output, saved)
        }
    }
    fn __vjp_rule_case_0(
        drawn: &::renamed::__private::Drawn,
    ) -> ::std::vec::Vec<::renamed::__private::InputSpec> {
        let m = drawn.extent(0usize);
        let k = drawn.extent(1usize);
        let n = drawn.extent(2usize);
        ::std::vec::Vec::from([
            ::renamed::__private::InputSpec::Tensor {
                shape: ::std::vec::Vec::<::core::primitive::usize>::from([m, k]),
                ranges: ::std::vec::Vec::from([]),
            },
            ::renamed::__private::InputSpec::Tensor {
                shape: ::std::vec::Vec::<::core::primitive::usize>::from([k, n]),
                ranges: ::std::vec::Vec::from([]),
            },
            ::renamed::__private::InputSpec::Tensor {
                shape: ::std::vec::Vec::<::core::primitive::usize>::from([n]),
                ranges: ::std::vec::Vec::from([]),
            },
            ::renamed::__private::InputSpec::Mask {
                shape: ::std::vec::Vec::<::core::primitive::usize>::from([m, n]),
            },
            ::renamed::__private::InputSpec::Argument(
                match drawn.choice(0usize) {
                    0usize => {
                        <::renamed::__private::ArgumentValue as ::core::convert::From<
                            Option<f64>,
                        >>::from(None)
                    }
                    _ => {
                        <::renamed::__private::ArgumentValue as ::core::convert::From<
                            Option<f64>,
                        >>::from(Some(0.5))
                    }
                },
            ),
        ])
    }
    fn __vjp_rule_case_1(
        drawn: &::renamed::__private::Drawn,
    ) -> ::std::vec::Vec<::renamed::__private::InputSpec> {
        let m = drawn.extent(0usize);
        let k = drawn.extent(1usize);
        let n = drawn.extent(2usize);
        ::std::vec::Vec::from([
            ::renamed::__private::InputSpec::Tensor {
                shape: ::std::vec::Vec::<::core::primitive::usize>::from([m, k]),
                ranges: ::std::vec::Vec::from([]),
            },
            ::renamed::__private::InputSpec::Tensor {
                shape: ::std::vec::Vec::<::core::primitive::usize>::from([k, n]),
                ranges: ::std::vec::Vec::from([]),
            },
            ::renamed::__private::InputSpec::Absent,
            ::renamed::__private::InputSpec::Mask {
                shape: ::std::vec::Vec::<::core::primitive::usize>::from([m, n]),
            },
            ::renamed::__private::InputSpec::Argument(
                <::renamed::__private::ArgumentValue as ::core::convert::From<
                    Option<f64>,
                >>::from(None),
            ),
        ])
    }
    #[allow(deprecated)]
    fn __vjp_rule_call<V: affine>(
        call: &::renamed::__private::Call<<V as ::renamed::__private::Value>::Element, V>,
    ) -> ::core::result::Result<
        ::std::vec::Vec<V>,
        ::renamed::__private::TensorAutodiffError,
    > {
        let output = affine(
            call.operand(0usize)?,
            call.operand(1usize)?,
            call.optional(2usize)?,
            call.mask(3usize)?,
            call.argument::<Option<f64>>(4usize)?,
        )?;
        ::core::result::Result::Ok(::std::vec::Vec::from([output]))
    }
    ::renamed::__private::inventory::submit! {
        ::renamed::__private::Rule { operation : __VJP_RULE_OPERATION, docs :
        "`y = x · w + bias`, where `keep` holds.\n# VJP\nBy the product rule.", file :
        ::core::file!(), line : ::core::line!(), package :
        ::core::concat!(::core::env!("CARGO_PKG_NAME"), " ",
        ::core::env!("CARGO_PKG_VERSION")), parameters : &
        [::renamed::__private::Parameter { name : "x", kind :
        ::renamed::__private::ParameterKind::Operand, type_text : "&Tensor<E>" },
        ::renamed::__private::Parameter { name : "w", kind :
        ::renamed::__private::ParameterKind::Operand, type_text : "&Tensor<E>" },
        ::renamed::__private::Parameter { name : "bias", kind :
        ::renamed::__private::ParameterKind::Optional, type_text : "Option<&Tensor<E>>"
        }, ::renamed::__private::Parameter { name : "keep", kind :
        ::renamed::__private::ParameterKind::Constant, type_text : "&Tensor<bool>" },
        ::renamed::__private::Parameter { name : "scale", kind :
        ::renamed::__private::ParameterKind::Argument, type_text : "Option<f64>" }], vjps
        : & [::renamed::__private::Vjp { function : "all", operands : & ["x", "w",
        "bias"], joint : true, words : "By the product rule.", saved : &
        [::renamed::__private::SavedName { name : "x", type_text : "&Tensor<E>" },
        ::renamed::__private::SavedName { name : "w", type_text : "&Tensor<E>" },
        ::renamed::__private::SavedName { name : "bias", type_text : "Option<&Tensor<E>>"
        }, ::renamed::__private::SavedName { name : "keep", type_text : "&Tensor<bool>"
        }, ::renamed::__private::SavedName { name : "scale", type_text : "Option<f64>"
        }], }], outputs : ::renamed::__private::Outputs::One, cases : &
        [::renamed::__private::Case { text :
        "x: [m, k], w: [k, n], bias: [n], keep: [m, n], scale = None | Some(0.5)", kind :
        ::renamed::__private::CaseKind::Drawn { symbols : & ["m", "k", "n"], any_shape :
        false, choices : & [::renamed::__private::Choice { argument : "scale", count :
        2usize }], build : __vjp_rule_case_0, } }, ::renamed::__private::Case { text :
        "x: [m, k], w: [k, n], bias: none, keep: [m, n], scale = None", kind :
        ::renamed::__private::CaseKind::Drawn { symbols : & ["m", "k", "n"], any_shape :
        false, choices : & [], build : __vjp_rule_case_1, } }], f32 :
        ::core::option::Option::Some(::renamed::__private::ElementRule { reverse :
        __vjp_rule_reverse:: < ::core::primitive::f32 >, plain : __vjp_rule_call:: <
        ::renamed::__private::Tensor < ::core::primitive::f32 >>, taped :
        __vjp_rule_call:: < ::renamed::__private::TensorValue < ::core::primitive::f32
        >>, }), f64 : ::core::option::Option::Some(::renamed::__private::ElementRule {
        reverse : __vjp_rule_reverse:: < ::core::primitive::f64 >, plain :
        __vjp_rule_call:: < ::renamed::__private::Tensor < ::core::primitive::f64 >>,
        taped : __vjp_rule_call:: < ::renamed::__private::TensorValue <
        ::core::primitive::f64 >>, }), dual :
        ::core::option::Option::Some(::renamed::__private::ElementRule { reverse :
        __vjp_rule_reverse:: < ::renamed::__private::Dual < ::core::primitive::f64 > >,
        plain : __vjp_rule_call:: < ::renamed::__private::Tensor <
        ::renamed::__private::Dual < ::core::primitive::f64 > >>, taped :
        __vjp_rule_call:: < ::renamed::__private::TensorValue <
        ::renamed::__private::Dual < ::core::primitive::f64 > >>, }), }
    }
};
