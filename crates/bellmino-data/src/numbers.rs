//! Numbers for people: thousands apart, and no more digits than are known.

/// A number with so many decimals and its thousands apart.
///
/// ```
/// assert_eq!(bellmino_data::numbers::grouped(-1234567.891, 1), "-1,234,567.9");
/// ```
pub fn grouped(value: f64, decimals: usize) -> String {
    if !value.is_finite() {
        return if value.is_nan() { "unknown" } else { "infinite" }.to_owned();
    }
    let text = format!("{:.decimals$}", value.abs());
    let is_zero = text.chars().all(|letter| matches!(letter, '0' | '.'));
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut grouped = if value < 0.0 && !is_zero { "-".to_owned() } else { String::new() };
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + fraction
}

/// A number as it is: whole ones without decimals, others with so many significant digits at most.
///
/// ```
/// use bellmino_data::numbers::plain;
/// assert_eq!([plain(12.0, 3), plain(0.12345, 3), plain(45678.9, 3)], ["12", "0.123", "45,679"]);
/// ```
pub fn plain(value: f64, digits: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return grouped(value, 0);
    }
    let decimals = (digits - 1 - value.abs().log10().floor() as i32).clamp(0, 12) as usize;
    let text = grouped(value, decimals);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A value and the ends of its interval, with two digits of the half width: what is beyond that is not known.
///
/// ```
/// use bellmino_data::numbers::with_interval;
/// assert_eq!(with_interval(103.2412, [102.8911, 103.5913]), "103.24 [102.89, 103.59]");
/// assert_eq!(with_interval(31348.0, [26120.0, 36576.0]), "31,300 [26,100, 36,600]");
/// ```
pub fn with_interval(value: f64, [low, high]: [f64; 2]) -> String {
    let half = (high - low).abs() / 2.0;
    if half == 0.0 || !half.is_finite() {
        return plain(value, 6);
    }
    let [value, low, high] = [value, low, high].map(|number| known(number, half));
    format!("{value} [{low}, {high}]")
}

/// A value of which no more than this is certain: two digits of it are shown.
pub fn known(value: f64, half_width: f64) -> String {
    if half_width <= 0.0 || !half_width.is_finite() {
        return plain(value, 6);
    }
    let last = half_width.log10().floor() as i32 - 1;
    if last < 0 {
        grouped(value, last.unsigned_abs().min(12) as usize)
    } else {
        let unit = 10f64.powi(last);
        grouped((value / unit).round() * unit, 0)
    }
}

/// A label of an axis whose labels are this far apart.
pub fn tick(value: f64, step: f64) -> String {
    let decimals_of = |step: f64| {
        let coarse = (-step.log10()).ceil().max(0.0) as usize;
        let is_whole = |decimals: usize| {
            let scaled = step * 10f64.powi(decimals as i32);
            (scaled - scaled.round()).abs() < 1e-6 * scaled
        };
        (coarse..coarse + 2).find(|&decimals| is_whole(decimals)).unwrap_or(coarse)
    };
    if value == 0.0 {
        return "0".to_owned();
    }
    for (unit, name) in [(1e9, "billion"), (1e6, "million")] {
        if value.abs() >= unit {
            let text = grouped(value / unit, decimals_of((step / unit).min(1.0)));
            return format!("{text} {name}");
        }
    }
    if value.abs() < 1e-4 { format!("{value:.0e}") } else { grouped(value, decimals_of(step)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_have_no_more_digits_than_needed() {
        for (value, step, expected) in [
            (0.0, 0.1, "0"),
            (0.5, 0.25, "0.50"),
            (0.3, 0.1, "0.3"),
            (1500.0, 500.0, "1,500"),
            (2.5e6, 5e5, "2.5 million"),
            (1e7, 1e7, "10 million"),
            (3e9, 1e9, "3 billion"),
            (-20.0, 10.0, "-20"),
            (0.00001, 0.00001, "1e-5"),
        ] {
            assert_eq!(tick(value, step), expected, "{value} {step}");
        }
    }

    #[test]
    fn no_more_digits_than_known() {
        for (value, half, expected) in [
            (12.3456, 0.012, "12.346"),
            (12.3456, 3.0, "12.3"),
            (98765.0, 1234.0, "98,800"),
            (-0.001, 1.0, "0.0"),
        ] {
            assert_eq!(known(value, half), expected);
        }
        assert_eq!(with_interval(40.0, [40.0, 40.0]), "40");
        assert_eq!(grouped(f64::INFINITY, 2), "infinite");
    }
}
