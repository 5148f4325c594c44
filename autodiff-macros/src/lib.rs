//! The attribute `#[vjp_rule]`.
