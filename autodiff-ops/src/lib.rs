//! The operations, one annotated function each.
