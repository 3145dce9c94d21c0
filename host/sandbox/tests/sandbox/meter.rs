//! What an operator needs to have sums and histograms of what calls used: a subscriber, and no
//! crate but `tracing`. A host that has one already makes a layer of the same.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing::{Event, Metadata, Subscriber};

/// All that was told under `switchboard::usage`.
#[derive(Clone, Default)]
pub(crate) struct Meter(Arc<Mutex<Told>>);

#[derive(Clone, Default)]
pub(crate) struct Told {
    /// Of each number, by the name of its field.
    pub(crate) series: BTreeMap<&'static str, Series>,
    /// How many calls ended so.
    pub(crate) outcomes: BTreeMap<String, u64>,
}

/// The values of one field.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Series {
    pub(crate) count: u64,
    pub(crate) sum: u64,
    /// How many had so many binary digits: a histogram of powers of two.
    pub(crate) digits: BTreeMap<u32, u64>,
}

impl Meter {
    /// Hears what this thread tells, for as long as the answer lives.
    pub(crate) fn listen(&self) -> DefaultGuard {
        tracing::subscriber::set_default(self.clone())
    }

    pub(crate) fn told(&self) -> Told {
        self.0.lock().unwrap().clone()
    }
}

impl Subscriber for Meter {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "switchboard::usage"
    }

    fn event(&self, event: &Event<'_>) {
        event.record(&mut *self.0.lock().unwrap());
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

impl Visit for Told {
    fn record_u64(&mut self, field: &Field, value: u64) {
        let series = self.series.entry(field.name()).or_default();
        series.count += 1;
        series.sum += value;
        *series.digits.entry(u64::BITS - value.leading_zeros()).or_default() += 1;
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "outcome" {
            *self.outcomes.entry(value.to_owned()).or_default() += 1;
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn fmt::Debug) {}
}
