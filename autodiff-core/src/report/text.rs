//! How names, shapes and numbers are written for people.

use super::number::Number;
use super::tensor::TensorRecord;

/// Numbers of at most so many characters are written in full; longer ones are rounded.
const FULL: usize = 8;

/// A text from anywhere, without what would change the text around it: controls and marks of direction.
pub fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        let turns = matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        // Allowed in no XML, whatever is escaped.
        let forbidden = matches!(character, '\u{fffe}' | '\u{ffff}');
        if character.is_control() || turns || forbidden {
            plain.extend(character.escape_unicode());
        } else {
            plain.push(character);
        }
    }
    plain
}

/// Shapes of more axes are written with their first ones: a shape is said once for every use of a node.
const AXES: usize = 16;

/// `[2, 3]`.
pub fn shape(extents: &[usize]) -> String {
    match extents.get(..AXES) {
        Some(first) if extents.len() > AXES => {
            let first: Vec<String> = first.iter().map(usize::to_string).collect();
            format!("[{}, … of {} axes]", first.join(", "), extents.len())
        }
        _ => list(extents.iter(), usize::to_string),
    }
}

pub(super) fn list<E>(entries: impl Iterator<Item = E>, write: impl Fn(E) -> String) -> String {
    let entries: Vec<String> = entries.map(write).collect();
    format!("[{}]", entries.join(", "))
}

/// A number of at most a few characters in full, a longer one rounded to five significant digits.
pub fn number(value: f64) -> String {
    let full = value.to_string();
    if full.len() <= FULL {
        full
    } else {
        significant(value, 5)
    }
}

/// A number rounded to so many significant digits.
pub fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let scientific = format!("{value:.*e}", digits.saturating_sub(1));
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..7).contains(&exponent) {
        let decimals = usize::try_from(digits as i32 - 1 - exponent).unwrap_or(0);
        trimmed(&format!("{value:.decimals$}")).to_owned()
    } else {
        format!("{}e{exponent}", trimmed(mantissa))
    }
}

pub(super) fn trimmed(decimal: &str) -> &str {
    if decimal.contains('.') {
        decimal.trim_end_matches('0').trim_end_matches('.')
    } else {
        decimal
    }
}

/// A count of bytes: `512 B`, `24 KiB`.
pub fn bytes(count: usize) -> String {
    match count {
        0..1024 => format!("{count} B"),
        1024..1_048_576 => format!("{} KiB", significant(count as f64 / 1024.0, 3)),
        _ => format!("{} MiB", significant(count as f64 / 1_048_576.0, 3)),
    }
}

/// The elements of a tensor, at most `most` of them, with their tangents.
pub(super) fn elements(tensor: &TensorRecord, most: usize) -> String {
    let mut written: Vec<String> = match &tensor.tangents {
        Some(tangents) => {
            let pairs = tensor.values.iter().zip(tangents).take(most);
            pairs
                .map(|(value, tangent)| format!("{} + {} ε", number(value.0), number(tangent.0)))
                .collect()
        }
        None => tensor
            .values
            .iter()
            .take(most)
            .map(|Number(value)| number(*value))
            .collect(),
    };
    if tensor.count() != Some(written.len()) {
        written.push("…".to_owned());
    }
    format!("[{}]", written.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_numbers_are_written_in_full_and_long_ones_rounded() {
        for (value, text) in [
            (4.0, "4"),
            (-0.0, "-0"),
            (0.125, "0.125"),
            (1.0 / 3.0, "0.33333"),
            (-12_345.678_9, "-12346"),
            (1.5e-9, "1.5e-9"),
            (f64::MAX, "1.7977e308"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn what_would_turn_or_break_the_text_around_it_is_spelt_out() {
        assert_eq!(plain("a\u{202e}b\0\n"), "a\\u{202e}b\\u{0}\\u{a}");
        assert_eq!(plain("<script>é\u{4e2d}"), "<script>é\u{4e2d}");
    }

    #[test]
    fn a_shape_of_many_axes_is_shortened() {
        assert_eq!(shape(&[]), "[]");
        assert_eq!(shape(&[1; 16]), format!("[{}1]", "1, ".repeat(15)));
        assert_eq!(
            shape(&[7; 17]),
            format!("[{}… of 17 axes]", "7, ".repeat(16))
        );
    }

    #[test]
    fn bytes_are_counted_in_powers_of_1024() {
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes(3 << 20), "3 MiB");
    }
}
