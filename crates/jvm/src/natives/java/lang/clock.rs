//! The virtual clock behind `System.currentTimeMillis` and `nanoTime`: it starts at a fixed instant and moves only
//! when it is read or slept on.

use crate::natives::support::arg;
use crate::natives::{Res, Saved, Vmj, natives};
use ledger::Kind;
use vm::Val;

/// Virtual time. Instants are chosen by whoever boots, so that perturbed worlds can differ.
#[derive(Clone, Debug)]
pub struct Clock {
    /// Wall-clock milliseconds since 1970 at the start.
    pub epoch_millis: i64,
    /// Monotonic nanoseconds so far.
    pub nanos: i64,
    /// The monotonic clock's arbitrary origin.
    pub origin: i64,
    /// A read takes so many nanoseconds.
    pub tick: i64,
    /// Whether reads are noted in the ledger; off while booting.
    pub noted: bool,
}

impl Default for Clock {
    fn default() -> Clock {
        // 2020-01-01T00:00:00Z.
        Clock { epoch_millis: 1_577_836_800_000, nanos: 0, origin: 1_000_000_000, tick: TICK, noted: false }
    }
}

/// A read takes this long, unless the world says otherwise.
const TICK: i64 = 1_000;

natives! {
    "java/lang/System" {
        "currentTimeMillis" "()J" = current_time_millis;
        "nanoTime" "()J" = nano_time;
    }
    "jdk/internal/misc/VM" {
        "getNanoTimeAdjustment" "(J)J" = nano_time_adjustment;
    }
    "sun/misc/VM" {
        "getNanoTimeAdjustment" "(J)J" = nano_time_adjustment;
    }
}

/// Lets time pass.
pub(super) fn advance(vm: &mut Vmj, nanos: i64) {
    let clock = vm.lang.state::<Saved<Clock>>();
    clock.nanos = clock.nanos.saturating_add(nanos);
}

fn read(vm: &mut Vmj) -> Clock {
    let tick = vm.lang.state::<Saved<Clock>>().tick;
    advance(vm, tick);
    let clock = (*vm.lang.state::<Saved<Clock>>()).clone();
    if clock.noted {
        vm.note(Kind::Environment, "the clock");
    }
    clock
}

fn current_time_millis(vm: &mut Vmj, _: &[Val]) -> Res<i64> {
    let clock = read(vm);
    Ok(clock.epoch_millis.wrapping_add(clock.nanos / 1_000_000))
}

fn nano_time(vm: &mut Vmj, _: &[Val]) -> Res<i64> {
    let clock = read(vm);
    Ok(clock.origin.wrapping_add(clock.nanos))
}

/// Nanoseconds since an offset in seconds, -1 if that is too far off.
fn nano_time_adjustment(vm: &mut Vmj, args: &[Val]) -> Res<i64> {
    let clock = read(vm);
    let seconds = clock.epoch_millis / 1000 + clock.nanos / 1_000_000_000;
    let nanos = clock.epoch_millis % 1000 * 1_000_000 + clock.nanos % 1_000_000_000;
    let difference = seconds.wrapping_sub(arg(args, 0).as_i64());
    match difference.unsigned_abs() < 1 << 32 {
        true => Ok(difference * 1_000_000_000 + nanos),
        false => Ok(-1),
    }
}
