//! Vectors seen as matrices.

/// A vector on the left as one row.
pub(super) fn as_rows(shape: &[usize]) -> Vec<usize> {
    match shape {
        [extent] => vec![1, *extent],
        matrices => matrices.to_vec(),
    }
}

/// A vector on the right as one column.
pub(super) fn as_columns(shape: &[usize]) -> Vec<usize> {
    match shape {
        [extent] => vec![*extent, 1],
        matrices => matrices.to_vec(),
    }
}

/// The axes before the last two.
pub(super) fn batch(shape: &[usize]) -> &[usize] {
    match shape {
        [batch @ .., _, _] => batch,
        _ => &[],
    }
}
