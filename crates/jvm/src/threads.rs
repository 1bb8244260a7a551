//! Guest threads: who runs, who waits for what, who owns which monitor.
//!
//! Threads are fibers of the VM (`vm::FiberId` is the index here). One schedule: a thread runs until it blocks, ends
//! or has used its time slice; then the next in the order of their starts that can go on. Time is virtual: when nobody
//! can go on, the clock jumps to the earliest deadline. When there is none, that is a deadlock.

use rustc_hash::FxHashMap;
use vm::{FiberId, ObjId, Stop, Vm};

use crate::link::class_of_mirror;
use crate::natives::{Clock, Saved, thread_interrupted};
use crate::world::Jvm;

/// All threads of a run, and the monitors that are taken.
#[derive(Clone, Default)]
pub(crate) struct Threads {
    /// Whether the program runs, as opposed to the JDK's boot.
    pub running: bool,
    /// By fiber.
    pub list: Vec<Thread>,
    pub current: usize,
    monitors: FxHashMap<ObjId, Monitor>,
    /// Classes that are being initialised, by their mirrors, and by whom (JVMS §5.5).
    initialising: FxHashMap<ObjId, usize>,
}

#[derive(Clone, Debug)]
pub(crate) struct Thread {
    pub object: ObjId,
    pub state: State,
    /// When a wait, park or sleep ends by itself, in nanoseconds of the virtual clock.
    pub deadline: Option<i64>,
    /// A permit of `LockSupport.unpark`.
    pub permit: bool,
    /// Interrupted, before Java 14 (later the thread object has a field for it).
    pub interrupted: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Running,
    /// Wants the monitor of an object.
    Entering(ObjId),
    /// In `Object.wait`, having left the monitor as often as it had entered it.
    Waiting {
        object: ObjId,
        count: u32,
        notified: bool,
    },
    Parked,
    Sleeping,
    /// Another thread is initialising the class of this mirror.
    Initialising(ObjId),
    /// Made way for others once.
    Yielding,
    Ended,
}

#[derive(Clone, Copy, Debug)]
struct Monitor {
    owner: usize,
    count: u32,
}

impl Thread {
    pub fn new(object: ObjId) -> Thread {
        Thread { object, state: State::Running, deadline: None, permit: false, interrupted: false }
    }
}

impl Threads {
    /// Whether there is one thread, and it holds no monitor.
    pub fn is_alone(&self) -> bool {
        self.list.len() <= 1 && self.monitors.is_empty()
    }

    pub fn current(&mut self) -> &mut Thread {
        &mut self.list[self.current]
    }

    pub fn find(&mut self, object: ObjId) -> Option<&mut Thread> {
        self.list.iter_mut().find(|thread| thread.object == object)
    }

    pub fn owns(&self, object: ObjId) -> bool {
        self.monitors.get(&object).is_some_and(|monitor| monitor.owner == self.current)
    }

    fn may_enter(&self, thread: usize, object: ObjId) -> bool {
        self.monitors.get(&object).is_none_or(|monitor| monitor.owner == thread)
    }

    /// `false` if another thread owns the monitor.
    pub fn enter(&mut self, object: ObjId, times: u32) -> bool {
        let owner = self.current;
        let monitor = self.monitors.entry(object).or_insert(Monitor { owner, count: 0 });
        if monitor.owner != owner {
            self.list[owner].state = State::Entering(object);
            return false;
        }
        monitor.count += times;
        self.list[owner].state = State::Running;
        true
    }

    /// `false` if the current thread does not own the monitor.
    pub fn exit(&mut self, object: ObjId) -> bool {
        let current = self.current;
        let Some(monitor) = self.monitors.get_mut(&object).filter(|monitor| monitor.owner == current) else {
            return false;
        };
        monitor.count -= 1;
        if monitor.count == 0 {
            self.monitors.remove(&object);
        }
        true
    }

    /// Leaves a monitor altogether; how often it had been entered.
    pub fn release(&mut self, object: ObjId) -> u32 {
        self.monitors.remove(&object).map_or(0, |monitor| monitor.count)
    }

    /// Forgets all threads but the first. What they were initialising nobody waits for.
    pub fn keep_main(&mut self) {
        self.list.truncate(1);
        self.initialising.retain(|_, by| *by == 0);
    }

    pub fn begin_initialising(&mut self, mirror: ObjId) {
        self.initialising.insert(mirror, self.current);
    }

    pub fn end_initialising(&mut self, mirror: ObjId) {
        self.initialising.remove(&mirror);
    }

    /// Whether a thread other than this one is initialising the class of a mirror.
    pub fn is_initialising_elsewhere(&self, thread: usize, mirror: ObjId) -> bool {
        self.initialising.get(&mirror).is_some_and(|by| *by != thread)
    }

    /// Wakes one thread that waits for the object, or all.
    pub fn notify(&mut self, object: ObjId, all: bool) {
        for thread in &mut self.list {
            if let State::Waiting { object: on, notified, .. } = &mut thread.state
                && *on == object
                && !*notified
            {
                *notified = true;
                if !all {
                    return;
                }
            }
        }
    }
}

/// Whether a thread could go on at this instant.
fn is_ready(vm: &Vm<Jvm>, index: usize, now: i64) -> bool {
    let thread = &vm.lang.threads.list[index];
    let woken = || thread.deadline.is_some_and(|at| at <= now) || is_interrupted(vm, thread);
    match thread.state {
        State::Running | State::Yielding => true,
        State::Entering(object) => vm.lang.threads.may_enter(index, object),
        State::Waiting { object, notified, .. } => {
            (notified || woken()) && vm.lang.threads.may_enter(index, object)
        }
        State::Parked => thread.permit || woken(),
        State::Sleeping => woken(),
        State::Initialising(mirror) => !vm.lang.threads.is_initialising_elsewhere(index, mirror),
        State::Ended => false,
    }
}

pub(crate) fn is_interrupted(vm: &Vm<Jvm>, thread: &Thread) -> bool {
    thread.interrupted || thread_interrupted(vm, thread.object)
}

/// What a whole time slice takes, in nanoseconds: sleepers must wake while others spin.
const SLICE_NANOS: i64 = 1_000_000;

/// Who runs next.
pub(crate) fn next(vm: &mut Vm<Jvm>) -> Result<FiberId, Stop> {
    if vm.lang.threads.current().state == State::Running {
        let clock = vm.lang.state::<Saved<Clock>>();
        clock.nanos = clock.nanos.saturating_add(SLICE_NANOS);
    }
    loop {
        let now = vm.lang.state::<Saved<Clock>>().nanos;
        let (count, current) = (vm.lang.threads.list.len(), vm.lang.threads.current);
        let order = (1..=count).map(|step| (current + step) % count);
        if let Some(chosen) = order.into_iter().find(|index| is_ready(vm, *index, now)) {
            vm.lang.threads.current = chosen;
            return Ok(FiberId(chosen as u32));
        }
        let alive = vm.lang.threads.list.iter().filter(|thread| thread.state != State::Ended);
        let earliest = alive.filter_map(|thread| thread.deadline).filter(|at| *at > now).min();
        vm.lang.state::<Saved<Clock>>().nanos = earliest.ok_or(Stop::Deadlock)?;
    }
}

/// What everybody waits for.
pub(crate) fn describe(vm: &mut Vm<Jvm>) -> String {
    let mut all = Vec::new();
    for index in 0..vm.lang.threads.list.len() {
        let thread = vm.lang.threads.list[index].clone();
        let class = |object: ObjId| vm.lang.classes[vm.heap.class(object)].java_name();
        let what = match thread.state {
            State::Ended => continue,
            State::Entering(object) => {
                let owner = vm.lang.threads.monitors.get(&object).map_or(0, |monitor| monitor.owner);
                format!("for a {} locked by {}", class(object), name(owner))
            }
            State::Waiting { object, .. } => format!("to be notified on a {}", class(object)),
            State::Parked => "to be unparked".to_string(),
            State::Initialising(mirror) => {
                let owner = vm.lang.threads.initialising.get(&mirror).copied().unwrap_or(0);
                let class = vm.lang.classes[class_of_mirror(vm, mirror)].java_name();
                format!("for {} to initialise {class}", name(owner))
            }
            State::Running | State::Sleeping | State::Yielding => "for nothing".to_string(),
        };
        let place = vm.place_of(FiberId(index as u32));
        all.push(format!("{} waits {what} in {place}", name(index)));
    }
    all.join("; ")
}

fn name(index: usize) -> String {
    match index {
        0 => "the main thread".to_string(),
        n => format!("thread {n}"),
    }
}
