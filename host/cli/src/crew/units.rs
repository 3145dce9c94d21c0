//! Sizes and lengths of time as people write them: `32MiB`, `20s`.

use std::time::Duration;

const SIZES: [(&str, u64); 4] = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("B", 1)];
const TIMES: [(&str, u64); 3] = [("ms", 1), ("min", 60_000), ("s", 1_000)];

/// So many bytes.
///
/// # Errors
/// How it is written instead.
pub fn size(text: &str) -> Result<u64, String> {
    scaled(text, &SIZES).ok_or_else(|| format!("`{text}` is no size; write one like `32MiB`"))
}

/// So long.
///
/// # Errors
/// How it is written instead.
pub fn time(text: &str) -> Result<Duration, String> {
    let millis = scaled(text, &TIMES);
    millis
        .map(Duration::from_millis)
        .ok_or_else(|| format!("`{text}` is no length of time; write one like `20s` or `500ms`"))
}

/// A length of time in whole milliseconds.
pub fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let (number, unit) =
        units.iter().find_map(|(name, unit)| Some((text.trim().strip_suffix(name)?, unit)))?;
    number.trim().parse::<u64>().ok()?.checked_mul(*unit)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{size, time};

    #[test]
    fn sizes_and_times_are_read_with_their_units() {
        assert_eq!(size("32MiB"), Ok(32 << 20));
        assert_eq!(size("64 KiB"), Ok(64 << 10));
        assert_eq!(time("20s"), Ok(Duration::from_secs(20)));
        assert_eq!(time("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(time("2min"), Ok(Duration::from_secs(120)));
    }

    #[test]
    fn a_number_without_a_unit_is_no_size() {
        assert!(size("32").unwrap_err().contains("`32MiB`"));
        assert!(time("soon").unwrap_err().contains("`20s`"));
        assert!(size("99999999999999999999GiB").is_err());
    }
}
