//! Times as plain values. Nothing here reads a clock.

use core::time::Duration;
use std::fmt;
use std::ops::Add;

use serde::{Deserialize, Serialize};

/// A length of time in milliseconds.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Millis(pub u64);

impl Millis {
    /// So many seconds.
    pub const fn seconds(count: u64) -> Self {
        Self(count * 1_000)
    }

    /// So many minutes.
    pub const fn minutes(count: u64) -> Self {
        Self::seconds(count * 60)
    }

    /// So many days.
    pub const fn days(count: u64) -> Self {
        Self::minutes(count * 24 * 60)
    }
}

/// A length of time in microseconds.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Micros(pub u64);

impl From<Duration> for Micros {
    /// Whole microseconds; a length no number holds is the longest.
    fn from(length: Duration) -> Self {
        Self(u64::try_from(length.as_micros()).unwrap_or(u64::MAX))
    }
}

impl Add for Micros {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl fmt::Display for Millis {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} ms", self.0)
    }
}

/// A reading of the wall clock: milliseconds since 1970 in UTC. It may jump; it is for people.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct WallTime(pub u64);

impl WallTime {
    /// The date and the time of day in UTC, to the second, as RFC 3339 has it.
    pub fn date_and_time(self) -> String {
        let seconds = self.0 / 1_000;
        let (year, month, day) = civil(seconds / 86_400);
        let (hours, minutes) = (seconds / 3_600 % 24, seconds / 60 % 60);
        format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{:02}Z", seconds % 60)
    }
}

impl Add<Millis> for WallTime {
    type Output = Self;
    fn add(self, length: Millis) -> Self {
        Self(self.0.saturating_add(length.0))
    }
}

/// Year, month and day of the so-manieth day since 1970. Years are counted from March, so that the
/// leap day is a year's last and months have a regular length.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
    (era * 400 + year, month, day)
}

impl fmt::Display for WallTime {
    /// Prints the time of day in UTC: `09:41:07.250Z`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, millis) = (self.0 / 1_000, self.0 % 1_000);
        let (hours, minutes) = (seconds / 3_600 % 24, seconds / 60 % 60);
        write!(out, "{hours:02}:{minutes:02}:{:02}.{millis:03}Z", seconds % 60)
    }
}

/// A reading of a clock that never goes back: milliseconds since some moment of this process.
/// It means nothing after a restart and is therefore never stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Monotonic(pub u64);

impl Monotonic {
    /// How long ago `earlier` was; zero if it is later.
    pub fn since(self, earlier: Self) -> Millis {
        Millis(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Millis> for Monotonic {
    type Output = Self;
    fn add(self, length: Millis) -> Self {
        Self(self.0.saturating_add(length.0))
    }
}
