//! The error of an operation's own making, carried through the tape without losing its type.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// Any error value of an operation, shared and comparable.
///
/// An operation returns its own error as `Err(OpError::new(MyError { .. }).into())`; the generated
/// wrapper adds which operation it was. [`downcast_ref`](Self::downcast_ref) gives the value back.
#[derive(Clone)]
pub struct OpError(Arc<dyn Comparable>);

trait Comparable: Error + Send + Sync + 'static {
    fn as_any(&self) -> &dyn Any;
    fn as_error(&self) -> &(dyn Error + 'static);
    fn equals(&self, other: &dyn Comparable) -> bool;
}

impl<E: Error + PartialEq + Send + Sync + 'static> Comparable for E {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_error(&self) -> &(dyn Error + 'static) {
        self
    }

    fn equals(&self, other: &dyn Comparable) -> bool {
        other.as_any().downcast_ref::<E>() == Some(self)
    }
}

impl OpError {
    /// Wraps an error value.
    pub fn new<E: Error + PartialEq + Send + Sync + 'static>(error: E) -> Self {
        Self(Arc::new(error))
    }

    /// The wrapped value, if it is an `E`.
    pub fn downcast_ref<E: Error + 'static>(&self) -> Option<&E> {
        self.0.as_any().downcast_ref()
    }
}

impl PartialEq for OpError {
    fn eq(&self, other: &Self) -> bool {
        self.0.equals(&*other.0)
    }
}

impl fmt::Debug for OpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

impl fmt::Display for OpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&*self.0, f)
    }
}

impl Error for OpError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.as_error().source()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, thiserror::Error)]
    #[error("weight {0} is odd")]
    struct Odd(u32);

    #[derive(Debug, PartialEq, thiserror::Error)]
    #[error("weight {0} is odd")]
    struct AlsoOdd(u32);

    #[test]
    fn equality_is_that_of_the_wrapped_values_and_their_types() {
        assert_eq!(OpError::new(Odd(3)), OpError::new(Odd(3)));
        assert_ne!(OpError::new(Odd(3)), OpError::new(Odd(5)));
        assert_ne!(OpError::new(Odd(3)), OpError::new(AlsoOdd(3)));
    }

    #[test]
    fn the_value_comes_back_by_type() {
        let wrapped = OpError::new(Odd(3));
        assert_eq!(wrapped.downcast_ref::<Odd>(), Some(&Odd(3)));
        assert_eq!(wrapped.downcast_ref::<AlsoOdd>(), None);
        assert_eq!(wrapped.to_string(), "weight 3 is odd");
    }
}
