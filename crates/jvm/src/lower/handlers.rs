//! Handlers that compilers write and no person did: they release a lock, close a resource, or pass an exception on behind `finally`.

use rustc_hash::FxHashSet;

use crate::load::instr::{Bytecode, Instr, Kind};
use crate::load::{ClassFile, Code};

/// Instructions that close one resource, at most: `t = …; if (r != null) try { r.close(); } catch (Throwable x) { t.addSuppressed(x); } throw t`.
const MOST_OF_CLOSING: usize = 16;

/// The pcs of code in handlers that stands nowhere in the source. The code of a `finally` does, copied or not.
pub(super) fn added(file: &ClassFile, code: &Code, bytecode: &Bytecode) -> FxHashSet<u16> {
    let mut found = FxHashSet::default();
    for handler in &code.handlers {
        let Some(start) = bytecode.index_of(handler.handler) else { continue };
        let instrs = bytecode.instrs.get(start..).unwrap_or_default();
        let Some((_, Instr::Store(Kind::Ref, kept))) = instrs.first() else { continue };
        // A `catch` of a person's has a name, as far as the class file tells names.
        if instrs.get(1).is_some_and(|(pc, _)| code.local(*kept, *pc).is_some()) {
            continue;
        }
        let throws = |pair: &[(u16, Instr)]| match pair {
            [(_, Instr::Load(Kind::Ref, slot)), (_, Instr::AThrow)] => slot == kept,
            _ => false,
        };
        let Some(end) = instrs.windows(2).position(throws) else { continue };
        let catches_all = match handler.catch_type {
            None => true,
            Some(class) => file.pool.class(class).is_ok_and(|class| class == "java/lang/Throwable"),
        };
        let body = instrs.get(1..end).unwrap_or_default();
        let releases = matches!(body, [(_, Instr::Load(..)), (_, Instr::MonitorExit)]);
        if catches_all && (releases || closes(file, body)) {
            found.extend(instrs.iter().take(end + 2).map(|(pc, _)| *pc));
        } else if handler.catch_type.is_none() {
            let passes_on = instrs.iter().take(1).chain(instrs.iter().skip(end).take(2));
            found.extend(passes_on.map(|(pc, _)| *pc));
        }
    }
    found
}

/// Whether nothing is done but to close a resource, and to note what that raises.
fn closes(file: &ClassFile, body: &[(u16, Instr)]) -> bool {
    let calls = body.iter().filter_map(|(_, instr)| match instr {
        Instr::InvokeVirtual(cp) | Instr::InvokeInterface(cp) => file.pool.method(*cp).ok(),
        _ => None,
    });
    let calls: Vec<(&str, &str)> = calls.map(|method| (method.name, method.descriptor)).collect();
    body.len() <= MOST_OF_CLOSING
        && calls == [("close", "()V"), ("addSuppressed", "(Ljava/lang/Throwable;)V")]
        && body.iter().all(|(_, instr)| {
            let moves = matches!(instr, Instr::Load(Kind::Ref, _) | Instr::Store(Kind::Ref, _));
            let calls = matches!(instr, Instr::InvokeVirtual(_) | Instr::InvokeInterface(_));
            moves || calls || matches!(instr, Instr::IfNull(..) | Instr::Goto(_))
        })
}
