//! What stands for the gradient check where its feature is off.

/// The body of the test that every declaration generates: without the check it cannot pass.
///
/// # Panics
/// Always: a rule is never unchecked in silence.
#[allow(clippy::panic)] // It is the body of a test, and a panic is how a test fails.
pub fn check_rule(path: &str) {
    panic!(
        "{path} is not checked: the feature `gradcheck` of autodiff-core is off; \
         switch it on (it is a default feature) where tests are run"
    );
}
