//! Where programs ask for random numbers: the run is marked, the JDK's own code answers.

use crate::natives::support::own_body;
use crate::natives::{Res, Vmj, natives};
use crate::world::Jvm;
use vm::{NativeResult, Val};

natives! {
    "java/lang/Math" {
        "random" "()D" = symbolic math_random;
    }
    "java/util/Collections" {
        "shuffle" "(Ljava/util/List;)V" = symbolic shuffle;
    }
    "java/util/Random" {
        "seedUniquifier" "()J" = symbolic seed;
    }
    "java/util/concurrent/ThreadLocalRandom" {
        "current" "()Ljava/util/concurrent/ThreadLocalRandom;" = symbolic current;
    }
}

fn math_random(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    marked(vm, "java/lang/Math", "random", "()D", args)
}

fn shuffle(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    marked(vm, "java/util/Collections", "shuffle", "(Ljava/util/List;)V", args)
}

fn seed(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    marked(vm, "java/util/Random", "seedUniquifier", "()J", args)
}

fn current(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    let class = "java/util/concurrent/ThreadLocalRandom";
    marked(vm, class, "current", "()Ljava/util/concurrent/ThreadLocalRandom;", args)
}

/// Runs the method's own body.
fn marked(vm: &mut Vmj, class: &str, name: &str, descriptor: &str, args: &[Val]) -> Res<NativeResult<Jvm>> {
    vm.lang.worlds.random = true;
    own_body(vm, (class, name, descriptor), args)
}
