//! Numbers as the C and Qt libraries print them, on which scripts rely: infinities, numbers that are none,
//! significant digits.

use crate::stats::elo::elo_of;

/// `-nan`: what C prints for 0/0 and for the difference of two infinities.
pub const MINUS_NAN: f64 = -f64::NAN;

/// A number with so many decimals, as C's `%.Nf`.
pub fn fixed(value: f64, decimals: usize) -> String {
    if value.is_nan() {
        return if value.is_sign_negative() { "-nan".to_owned() } else { "nan".to_owned() };
    }
    format!("{value:.decimals$}")
}

/// The same as Qt prints it: no number has no sign, neither has zero, and halves are rounded away from it.
pub fn qt(value: f64, decimals: usize) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    // More than the error of a quotient, and less than any digit that is printed.
    let nudge = value.signum() * 1e-10;
    let text = format!("{:.decimals$}", value + nudge);
    match text.strip_prefix('-') {
        Some(zero) if zero.bytes().all(|byte| matches!(byte, b'0' | b'.')) => zero.to_owned(),
        _ => text,
    }
}

/// Three significant digits without zeros at the end, as C's `%.3g`.
pub fn three_digits(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".to_owned() } else { qt(value, 0) };
    }
    // The exponent after rounding to three digits.
    let scientific = format!("{value:.2e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if (-4..3).contains(&exponent) {
        trimmed(&format!("{value:.*}", (2 - exponent).max(0) as usize))
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", trimmed(digits), exponent.abs())
    }
}

/// A quotient; 0/0 is `-nan`.
pub fn ratio(a: f64, b: f64) -> f64 {
    if a == 0.0 && b == 0.0 { MINUS_NAN } else { a / b }
}

/// The Elo difference of a score, as far as C knows it: `nan` outside of 0 to 1.
pub fn elo(score: f64) -> f64 {
    if (0.0..=1.0).contains(&score) { elo_of(score) } else { f64::NAN }
}

/// Half of the difference of the Elo at both ends of an interval.
pub fn elo_error(score: f64, half_width: f64) -> f64 {
    let (low, high) = (elo(score - half_width), elo(score + half_width));
    if low.is_nan() || high.is_nan() {
        f64::NAN
    } else if low.is_infinite() && low == high {
        MINUS_NAN
    } else {
        (high - low) / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values from recorded terminals of both programs.
    #[test]
    fn numbers_as_they_stand_on_terminals() {
        let printed = [0.0957, 0.559, 2.998, -2.944, 0.18, 10.0, 1234.0, 0.000_012_3].map(three_digits);
        assert_eq!(printed, ["0.0957", "0.559", "3", "-2.94", "0.18", "10", "1.23e+03", "1.23e-05"]);
        assert_eq!((three_digits(0.0), three_digits(f64::NEG_INFINITY)), ("0".into(), "-inf".into()));
        assert_eq!((fixed(-0.0, 2), qt(-0.0, 1)), ("-0.00".into(), "0.0".into()));
        assert_eq!(
            (fixed(81.25, 1), qt(81.25, 1), qt(-81.25, 1)),
            ("81.2".into(), "81.3".into(), "-81.3".into())
        );
        assert_eq!(
            (fixed(MINUS_NAN, 2), fixed(f64::NAN, 2), qt(MINUS_NAN, 1)),
            ("-nan".into(), "nan".into(), "nan".into())
        );
        assert_eq!(fixed(ratio(0.0, 0.0), 2), "-nan");
        assert_eq!(fixed(ratio(1.0, 0.0), 2), "inf");
        assert_eq!(fixed(elo_error(0.875, 0.2), 2), "nan");
        assert_eq!(fixed(elo_error(1.0, 0.0), 2), "-nan");
    }
}
