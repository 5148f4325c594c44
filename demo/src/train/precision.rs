//! The element types that a run can compute in, as bytes of a file.

use autodiff_ops::prelude::*;

use super::settings::Dtype;

/// `f32` or `f64`.
pub trait Precision: Element {
    /// The type as a value.
    const DTYPE: Dtype;

    /// The elements, little-endian.
    fn to_bytes(values: &[Self]) -> Vec<u8>;

    /// The elements of little-endian bytes; bytes left over are not read.
    fn from_bytes(bytes: &[u8]) -> Vec<Self>;
}

macro_rules! precision {
    ($float:ty, $dtype:ident) => {
        impl Precision for $float {
            const DTYPE: Dtype = Dtype::$dtype;

            fn to_bytes(values: &[Self]) -> Vec<u8> {
                values.iter().flat_map(|x| x.to_le_bytes()).collect()
            }

            fn from_bytes(bytes: &[u8]) -> Vec<Self> {
                let (whole, _) = bytes.as_chunks();
                whole.iter().copied().map(Self::from_le_bytes).collect()
            }
        }
    };
}

precision!(f32, F32);
precision!(f64, F64);
