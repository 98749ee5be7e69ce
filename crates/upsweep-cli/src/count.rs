//! Numbers of elements as options: `1000000`, `1_000_000`, `1e6`, `2^20`.

pub(crate) fn parse_count(text: &str) -> Result<usize, String> {
    let plain = text.replace('_', "");
    if let Ok(n) = plain.parse() {
        return Ok(n);
    }
    if let Some((base, exponent)) = plain.split_once('^') {
        let power = base.parse::<usize>().ok().zip(exponent.parse().ok());
        return power.and_then(|(b, e)| b.checked_pow(e)).ok_or_else(|| "too large, or no power like 2^20".to_owned());
    }
    match plain.parse::<f64>() {
        // 2^53: past it a decimal fraction no longer names every whole number.
        Ok(n) if n >= 0.0 && n.fract() == 0.0 && n <= 9_007_199_254_740_992.0 => Ok(n as usize),
        _ => Err("a number of elements looks like 1000000, 1_000_000, 1e6 or 2^20".to_owned()),
    }
}
