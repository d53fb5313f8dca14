//! Numbers as people read them: no `-0.0`, no `1 games`.

/// A number with so many decimals; what rounds to zero has no minus.
#[must_use]
pub fn rounded(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(zero) if zero.bytes().all(|byte| matches!(byte, b'0' | b'.')) => zero.to_owned(),
        _ => text,
    }
}

/// The same with a sign; zero has a plus.
#[must_use]
pub fn signed(value: f64, decimals: usize) -> String {
    let text = rounded(value, decimals);
    if text.starts_with('-') { text } else { format!("+{text}") }
}

/// A number of things: `1 game`, `2 games`.
#[must_use]
pub fn counted(number: u64, noun: &str) -> String {
    format!("{number} {}", plural(number, noun))
}

/// The noun for so many things, in the plural unless it is one.
#[must_use]
pub fn plural(number: u64, noun: &str) -> String {
    if number == 1 { noun.to_owned() } else { format!("{noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_minus_zero_and_one_is_not_many() {
        assert_eq!(
            (rounded(-0.0, 1), rounded(-0.04, 1), rounded(-0.05, 2)),
            ("0.0".into(), "0.0".into(), "-0.05".into())
        );
        assert_eq!(
            (signed(-0.0, 1), signed(0.0, 2), signed(-2.55, 0)),
            ("+0.0".into(), "+0.00".into(), "-3".into())
        );
        assert_eq!((signed(f64::INFINITY, 1), rounded(-0.4, 0)), ("+inf".into(), "0".into()));
        assert_eq!((counted(1, "game"), counted(0, "game")), ("1 game".into(), "0 games".into()));
    }
}
