//! Tensors, the rule registry, the tape and the gradient check.
