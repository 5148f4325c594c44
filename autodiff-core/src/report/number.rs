//! A number that keeps every bit through JSON.

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An `f64` that compares by bits.
///
/// A finite number is a JSON number in its shortest decimal form, which reads back to the same bits. JSON
/// has no other numbers, so a NaN or an infinity is a text of its bits: `"0x7ff0000000000000"`.
#[derive(Clone, Copy, Debug)]
pub struct Number(pub f64);

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Number {}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() {
            serializer.serialize_f64(self.0)
        } else {
            serializer.serialize_str(&format!("0x{:016x}", self.0.to_bits()))
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberVisitor)
    }
}

struct NumberVisitor;

impl Visitor<'_> for NumberVisitor {
    type Value = Number;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a finite number, or the 16 hexadecimal digits of one that is not, after 0x")
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Number, E> {
        Ok(Number(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Number, E> {
        Ok(Number(value as f64))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Number, E> {
        Ok(Number(value as f64))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Number, E> {
        let digits = text.strip_prefix("0x").filter(|digits| {
            // `from_str_radix` would take a sign, too.
            digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        });
        digits
            .and_then(|digits| u64::from_str_radix(digits, 16).ok())
            .map(f64::from_bits)
            // One number has one form.
            .filter(|value| !value.is_finite())
            .map(Number)
            .ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(text), &self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn round_trip(value: f64) -> Result<u64, serde_json::Error> {
        let text = serde_json::to_string(&Number(value))?;
        Ok(serde_json::from_str::<Number>(&text)?.0.to_bits())
    }

    proptest! {
        #[test]
        fn every_bit_pattern_reads_back_as_itself(bits: u64) {
            prop_assert_eq!(round_trip(f64::from_bits(bits))?, bits);
        }
    }

    #[test]
    fn signed_zero_subnormals_infinities_and_payloads_keep_their_bits()
    -> Result<(), serde_json::Error> {
        for bits in [
            0,
            1 << 63,
            1,
            f64::MAX.to_bits(),
            f64::MIN_POSITIVE.to_bits() - 1,
            f64::INFINITY.to_bits(),
            f64::NEG_INFINITY.to_bits(),
            0x7ff8_0000_0000_0000,
            0x7ff0_0000_0000_0001,
            0xffff_ffff_ffff_ffff,
        ] {
            assert_eq!(round_trip(f64::from_bits(bits))?, bits, "{bits:016x}");
        }
        Ok(())
    }

    #[test]
    fn a_text_that_is_not_the_bits_of_a_non_finite_number_is_refused() {
        for text in [
            "\"NaN\"",
            "\"0x\"",
            "\"0x3ff0000000000000\"",
            "\"0x+ff8000000000000\"",
            "1e999",
            "null",
        ] {
            assert!(serde_json::from_str::<Number>(text).is_err(), "{text}");
        }
    }
}
