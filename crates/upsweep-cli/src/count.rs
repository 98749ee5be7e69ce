//! Element counts as options: `1000000`, `1_000_000`, `1e6`, `2^20`.

pub(crate) fn parse_count(text: &str) -> Result<usize, String> {
    let wrong = || "a number of elements looks like 1000000, 1_000_000, 1e6 or 2^20".to_owned();
    let plain = without_underscores(text).ok_or_else(wrong)?;
    if let Ok(n) = plain.parse() {
        return Ok(n);
    }
    if let Some((base, exponent)) = plain.split_once('^') {
        let power = base.parse::<usize>().ok().zip(exponent.parse().ok());
        return power.and_then(|(b, e)| b.checked_pow(e)).ok_or_else(|| "too large, or no power like 2^20".to_owned());
    }
    match plain.parse::<f64>() {
        // 2^53: above it f64 no longer has every integer.
        Ok(n) if n >= 0.0 && n.fract() == 0.0 && n <= 9_007_199_254_740_992.0 => Ok(n as usize),
        _ => Err(wrong()),
    }
}

/// Removes the underscores, if each stands between two digits.
fn without_underscores(text: &str) -> Option<String> {
    let ends_in_digit = |part: &str| part.ends_with(|c: char| c.is_ascii_digit());
    let begins_with_digit = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
    let parts: Vec<&str> = text.split('_').collect();
    let between = parts.windows(2).all(|pair| ends_in_digit(pair[0]) && begins_with_digit(pair[1]));
    between.then(|| parts.concat())
}
