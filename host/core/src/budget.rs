//! Token buckets: how often one sender may send one target (SEND-11).

use crate::limits::Limits;
use crate::time::{Millis, Monotonic};

/// One bucket. It begins full, also after a restart: nothing was promised to anyone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Bucket {
    tokens: u32,
    /// Since when the next token grows.
    since: Monotonic,
}

impl Bucket {
    pub(crate) fn full(limits: &Limits, now: Monotonic) -> Self {
        Self { tokens: limits.bucket, since: now }
    }

    /// The bucket as it is now.
    fn grown(self, limits: &Limits, now: Monotonic) -> Self {
        let grown = now.since(self.since).0 / limits.bucket_refill.0;
        let tokens = u64::from(self.tokens).saturating_add(grown);
        if tokens >= u64::from(limits.bucket) {
            return Self::full(limits, now);
        }
        let since = self.since + Millis(grown * limits.bucket_refill.0);
        Self { tokens: u32::try_from(tokens).unwrap_or(limits.bucket), since }
    }

    /// Takes a token and says how many are left.
    ///
    /// # Errors
    /// After how long there will be one.
    pub(crate) fn take(&mut self, limits: &Limits, now: Monotonic) -> Result<u32, Millis> {
        *self = self.grown(limits, now);
        match self.tokens.checked_sub(1) {
            Some(left) => {
                self.tokens = left;
                Ok(left)
            }
            None => Err(Millis(limits.bucket_refill.0 - now.since(self.since).0)),
        }
    }
}
