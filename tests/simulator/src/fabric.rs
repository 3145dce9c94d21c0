//! What a host of a history stands on: time, chance, the pace of its disk, and places to die at.

use std::sync::Arc;
use std::time::Duration;

use switchboard_core::{Monotonic, Stamp, WallTime};
use switchboard_runtime::{BoxFuture, Clock, FailPoint, FailPoints, Pace};

use crate::panics::end;
use crate::world::Host;

/// Of one host.
pub(crate) struct Fabric(pub(crate) Arc<Host>);

impl Pace for Fabric {
    fn next(&self) -> BoxFuture<'_, ()> {
        let world = &self.0.world;
        let takes = match world.strikes(world.plan.rates.slow_jobs) {
            true => world.chance.up_to(Duration::from_secs(20)),
            false => world.chance.up_to(Duration::from_millis(3)),
        };
        Box::pin(tokio::time::sleep(takes))
    }
}

impl Clock for Fabric {
    fn stamp(&self) -> Stamp {
        let Host { world, .. } = &*self.0;
        let age = u64::try_from(self.0.age().as_millis()).unwrap_or(u64::MAX);
        let entropy = u128::from(world.chance.bits()) << 64 | u128::from(world.chance.bits());
        Stamp { wall: WallTime(world.wall() + age), now: Monotonic(age), entropy }
    }
}

impl FailPoints for Fabric {
    fn reached(&self, point: FailPoint, _: &[&'static str]) {
        let world = &self.0.world;
        if !self.0.is_dead() && world.strikes(world.plan.rates.point_kills) {
            world.witness().count(format!("hosts killed at {point:?}"));
            self.0.die();
            end();
        }
    }
}
