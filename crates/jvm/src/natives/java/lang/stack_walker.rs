//! `java.lang.StackWalker`: the VM fills batches of frames, the JDK's own code streams them.

use super::throwable::{Place, places};
use crate::load::access;
use crate::natives::support::*;
use crate::natives::{Res, Saved, Vmj, natives};
use crate::world::Jvm;
use ir::FuncId;
use vm::{NativeResult, ObjId, Val};

natives! {
    "java/lang/StackStreamFactory" {
        "checkStackWalkModes" "()Z" = yes;
    }
    "java/lang/StackStreamFactory$AbstractStackWalker" {
        "callStackWalk" "(JIII[Ljava/lang/Object;)Ljava/lang/Object;" = call_stack_walk;
        "callStackWalk" "(IILjdk/internal/vm/ContinuationScope;Ljdk/internal/vm/Continuation;II[Ljava/lang/Object;)Ljava/lang/Object;" = call_stack_walk_21;
        "fetchStackFrames" "(JJII[Ljava/lang/Object;)I" = fetch_stack_frames;
        "fetchStackFrames" "(IJIII[Ljava/lang/Object;)I" = fetch_stack_frames_21;
    }
    "java/lang/StackFrameInfo" {
        "expandStackFrameInfo" "()V" = expand;
    }
}

/// The frames of the walk under way, how many of them are the program's, and how many were handed out.
#[derive(Clone, Default)]
struct Walk {
    frames: Vec<(u32, u32)>,
    known: usize,
    next: usize,
}

/// The anchor that the JDK hands back; any number but 0 will do.
const ANCHOR: i64 = 1;
/// `StackStreamFactory.FILL_CLASS_REFS_ONLY`, in all versions so far.
const CLASSES_ONLY: i64 = 2;

fn yes(_: &mut Vmj, _: &[Val]) -> Res<bool> {
    Ok(true)
}

fn call_stack_walk(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    let [mode, skip, batch, start] = [1, 2, 3, 4].map(|i| arg(args, i).as_i64());
    walk(vm, arg(args, 0), mode, skip, batch, start, arg(args, 5).as_obj())
}

fn call_stack_walk_21(vm: &mut Vmj, args: &[Val]) -> Res<NativeResult<Jvm>> {
    let [mode, skip, batch, start] = [1, 2, 5, 6].map(|i| arg(args, i).as_i64());
    walk(vm, arg(args, 0), mode, skip, batch, start, arg(args, 7).as_obj())
}

fn walk(
    vm: &mut Vmj,
    this: Val,
    mode: i64,
    skip: i64,
    batch: i64,
    start: i64,
    buffer: ObjId,
) -> Res<NativeResult<Jvm>> {
    let walker = |func: FuncId| {
        let name = &*vm.lang.classes[vm.lang.funcs[func].class].name;
        name == "java/lang/StackWalker" || name.starts_with("java/lang/StackStreamFactory")
    };
    let own = places(vm).skip_while(|place| walker(place.func));
    let mut frames: Vec<(u32, u32)> = own.map(|place| (place.func.0, place.pc)).collect();
    let known = frames.len();
    frames.extend(callers(vm)?.into_iter().map(|func| (func.0, 0)));
    let skipped = (skip.max(0) as usize).min(frames.len());
    let known = known.saturating_sub(skipped);
    **vm.lang.state::<Saved<Walk>>() = Walk { frames: frames.split_off(skipped), known, next: 0 };
    let end = fill(vm, mode, batch, start, buffer)?;
    let class = find_class(vm, "java/lang/StackStreamFactory$AbstractStackWalker")?;

    let func = vm.lang.declared(class, "doStackWalk", "(JIIII)Ljava/lang/Object;");
    let Some(func) = func else { return Err(unsupported("native", "StackWalker of this JDK")) };
    let count = if counts(vm)? { end - start as i32 } else { batch as i32 };
    let args = vec![
        this,
        Val::i64(ANCHOR),
        Val::i32(skip as i32),
        Val::i32(count),
        Val::i32(start as i32),
        Val::i32(end),
    ];
    Ok(NativeResult::Call(func, args))
}

/// Who called the method under test is somebody, but nobody's business: in a world with other hashes it is another.
fn callers(vm: &mut Vmj) -> Res<Vec<FuncId>> {
    if vm.lang.worlds.context.is_none() {
        return Ok(Vec::new());
    }
    let run = method(vm, "java/lang/Thread", "run", "()V")?;
    Ok(match vm.salt {
        0 => vec![run],
        _ => vec![method(vm, "java/util/concurrent/FutureTask", "run", "()V")?, run],
    })
}

fn fetch_stack_frames(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    let [mode, batch, start] = [1, 3, 4].map(|i| arg(args, i).as_i64());
    fill(vm, mode, batch, start, arg(args, 5).as_obj())
}

fn fetch_stack_frames_21(vm: &mut Vmj, args: &[Val]) -> Res<i32> {
    let [mode, batch, start] = [1, 4, 5].map(|i| arg(args, i).as_i64());
    let end = fill(vm, mode, batch, start, arg(args, 6).as_obj())?;
    Ok(if counts(vm)? { end - start as i32 } else { end })
}

/// Whether this JDK is told how many frames there are; older ones are told where they end.
fn counts(vm: &mut Vmj) -> Res<bool> {
    let buffer = find_class(vm, "java/lang/StackStreamFactory$FrameBuffer")?;
    Ok(vm.lang.declared(buffer, "isAtBottom", "()Z").is_some())
}

/// Puts the next frames into the buffer; says where they end.
fn fill(vm: &mut Vmj, mode: i64, batch: i64, start: i64, buffer: ObjId) -> Res<i32> {
    let walk = vm.lang.state::<Saved<Walk>>();
    let from = walk.next;
    let room = batch.max(0) as usize;
    let taken: Vec<(u32, u32)> = walk.frames.iter().skip(from).take(room).copied().collect();
    walk.next = from + taken.len();
    // Whether they are looked at is not known: the JDK fetches a few more frames than it is asked for.
    if from + taken.len() > walk.known {
        vm.note(ledger::Kind::Environment, "the callers of the method under test");
    }
    let mut at = start as u32;
    for (func, pc) in taken {
        if at >= vm.heap.len(buffer) {
            break;
        }
        let place = Place { func: FuncId(func), pc };
        let class = vm.lang.funcs[place.func].class;
        let class = mirror(vm, class)?;
        if mode & CLASSES_ONLY != 0 && vm.lang.path.jdk().feature < 22 {
            vm.heap.write_ref(buffer, at * 4, class);
        } else {
            let frame = vm.heap.read_ref(buffer, at * 4);
            match frame.is_null() {
                true => vm.heap.write_ref(buffer, at * 4, class),
                false => fill_frame(vm, frame, place, class, mode & CLASSES_ONLY != 0)?,
            }
        }
        at += 1;
    }
    Ok(at as i32)
}

/// A `StackFrameInfo`: its member name knows class, name, type and function.
fn fill_frame(vm: &mut Vmj, frame: ObjId, place: Place, class: ObjId, classes_only: bool) -> Res<()> {
    let func = &vm.lang.funcs[place.func];
    let (name, descriptor, flags) = (func.name.clone(), func.descriptor.clone(), func.access as i32);
    let bci = vm.lang.ir(place.func).and_then(|f| f.positions.get(place.pc as usize).map(|p| p.offset));
    set_i32(vm, frame, "bci", bci.unwrap_or(0) as i32)?;
    let member = get_ref(vm, frame, "memberName");
    if !member.is_null() {
        set_ref(vm, member, "clazz", class)?;
        let name = interned(vm, &name)?;
        set_ref(vm, member, "name", name)?;
        let descriptor = interned(vm, &descriptor)?;
        set_ref(vm, member, "type", descriptor)?;
        // IS_METHOD, as MemberName spells it.
        set_i32(vm, member, "flags", flags | 0x10000)?;
        set_i32(vm, member, "vm.target", place.func.0 as i32)?;
        return Ok(());
    }
    let known = get_i32(vm, frame, "flags");
    set_i32(vm, frame, "flags", known | (flags & access::NATIVE as i32))?;
    if classes_only {
        return set_ref(vm, frame, "classOrMemberName", class);
    }
    let resolved = new_object(vm, "java/lang/invoke/ResolvedMethodName")?;
    set_ref(vm, resolved, "vmholder", class)?;
    set_i32(vm, resolved, "vm.target", place.func.0 as i32)?;
    set_ref(vm, frame, "classOrMemberName", resolved)
}

/// The function of a `StackFrameInfo`.
fn func_of(vm: &Vmj, frame: ObjId) -> Option<FuncId> {
    let member = match get_ref(vm, frame, "memberName") {
        none if none.is_null() => get_ref(vm, frame, "classOrMemberName"),
        member => member,
    };
    (!member.is_null()).then(|| FuncId(get(vm, member, "vm.target") as u32))
}

/// Where a `StackFrameInfo` stands.
pub(super) fn place_of(vm: &mut Vmj, frame: ObjId) -> Option<Place> {
    let func = func_of(vm, frame)?;
    vm.lang.funcs.get(func)?;
    let bci = get_i32(vm, frame, "bci") as u32;
    let function = vm.lang.ir(func);
    let pc = function.and_then(|f| f.positions.iter().position(|p| p.offset == bci)).unwrap_or(0);
    Some(Place { func, pc: pc as u32 })
}

fn expand(vm: &mut Vmj, args: &[Val]) -> Res<()> {
    let this = arg(args, 0).as_obj();
    let Some(func) = func_of(vm, this) else { return Ok(()) };
    let Some(func) = vm.lang.funcs.get(func) else { return Ok(()) };
    let (name, descriptor) = (func.name.clone(), func.descriptor.clone());
    let name = interned(vm, &name)?;
    set_ref(vm, this, "name", name)?;
    let descriptor = interned(vm, &descriptor)?;
    set_ref(vm, this, "type", descriptor)
}
