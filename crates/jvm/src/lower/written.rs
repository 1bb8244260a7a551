//! What the bytecode tells of how conditions were written, and the IR no longer does: where statements begin, which stores keep their
//! value on the stack (`(x = f()) > 0`), and what record patterns take apart.

use crate::load::instr::{Bytecode, Instr};
use crate::load::{CallSites, ClassFile, Code};

pub(super) struct Written {
    /// The first pcs of basic blocks, sorted.
    leaders: Vec<u16>,
    /// By leader: the line of the statement that begins with the block, if one may.
    statements: Vec<Option<u32>>,
    /// The pcs of stores to memory that are part of an expression, sorted.
    kept: Vec<u16>,
    /// The pcs of calls by which record patterns read components.
    components: Vec<(u16, u16)>,
    /// Kotlin's compiler says of each operand which line it stands on, and assigning is no expression there.
    is_kotlin: bool,
    /// As the compiler gave them: those of inlined code are not where it was called.
    lines: Vec<(u16, u16)>,
}

impl Written {
    /// `leaders` are the first pcs of basic blocks.
    pub fn new(file: &ClassFile, code: &Code, bytecode: &Bytecode, mut leaders: Vec<u16>) -> Written {
        let mut lines = code.lines.clone();
        lines.sort_by_key(|(pc, _)| *pc);
        leaders.sort_unstable();
        leaders.dedup();
        let is_kotlin = file.is_kotlin();
        let sites = file.call_sites().unwrap_or_default();
        let begins = |pc: &u16| match is_kotlin {
            true => kotlin_statement(&lines, bytecode, &leaders, &sites, *pc),
            false => statement(&lines, bytecode, *pc),
        };
        let statements = leaders.iter().map(begins).collect();
        let is_kept = |(at, (pc, _)): (usize, &(u16, Instr))| keeps_value(bytecode, at).then_some(*pc);
        let kept = bytecode.instrs.iter().enumerate().filter_map(is_kept).collect();
        Written { leaders, statements, kept, components: components(file, code, bytecode), is_kotlin, lines }
    }

    /// The line of the statement that the block with this pc begins with, if it may begin with one.
    pub fn statement(&self, pc: u32) -> Option<u32> {
        let after = self.leaders.partition_point(|leader| u32::from(*leader) <= pc);
        self.statements.get(after.checked_sub(1)?).copied().flatten()
    }

    /// The line of a pc, 0 if none is known.
    pub fn line(&self, pc: u32) -> u32 {
        let after = self.lines.partition_point(|(start, _)| u32::from(*start) <= pc);
        after.checked_sub(1).map_or(0, |at| self.lines[at].1.into())
    }

    /// Whether what the store at this pc stores is used by the same expression.
    pub fn is_kept(&self, pc: u32) -> bool {
        self.kept.binary_search_by_key(&pc, |at| u32::from(*at)).is_ok()
    }

    /// Whether a record pattern reads a component here.
    pub fn is_component(&self, pc: u32) -> bool {
        self.components.iter().any(|(start, end)| (u32::from(*start)..u32::from(*end)).contains(&pc))
    }

    pub fn has_components(&self) -> bool {
        !self.components.is_empty()
    }

    /// Whether a condition may store what it tests in a variable.
    pub fn may_assign(&self) -> bool {
        !self.is_kotlin
    }
}

/// Statements begin with an entry of the line table. So does what a pattern names (`o instanceof String s`), which comes before the rest of
/// its block and is passed over, and a call that takes nothing from the stack: whether `isReady()` on a line of its own is another
/// statement or goes on with `a &&` is not to be seen, and it is taken for the latter, which asks for more.
fn statement(lines: &[(u16, u16)], bytecode: &Bytecode, leader: u16) -> Option<u32> {
    let mut index = bytecode.index_of(leader)?;
    let instr = |index: usize| bytecode.instrs.get(index).map(|(_, instr)| instr);
    while let (Some(Instr::Load(_, from)), Some(Instr::CheckCast(to)), Some(Instr::Store(..))) =
        (instr(index), instr(index + 1), instr(index + 2))
    {
        // `String s = (String) o;` that nothing has asked for is a statement of its own.
        let asked = bytecode.instrs.windows(2).any(|pair| match (&pair[0].1, &pair[1].1) {
            (Instr::Load(_, of), Instr::InstanceOf(class)) => of == from && class == to,
            _ => false,
        });
        if !asked {
            break;
        }
        index += 3;
    }
    let (pc, first) = bytecode.instrs.get(index)?;
    let entry = lines.binary_search_by_key(pc, |(at, _)| *at).ok()?;
    let is_call = matches!(first, Instr::InvokeStatic(_) | Instr::InvokeDynamic(_));
    (!is_call).then_some(lines[entry].1.into())
}

/// Kotlin's line table tells operands and statements alike. Only what stands behind a jump that is all there is between two conditions
/// (`if (a || b) continue`) is another statement for certain, and where code begins or ends that was copied from an inline function.
fn kotlin_statement(
    lines: &[(u16, u16)],
    bytecode: &Bytecode,
    leaders: &[u16],
    sites: &CallSites,
    leader: u16,
) -> Option<u32> {
    let before = bytecode.index_of(leader)?.checked_sub(1)?;
    let (pc, instr) = bytecode.instrs.get(before)?;
    let is_alone = matches!(instr, Instr::Goto(_)) && leaders.binary_search(pc).is_ok();
    let entry = lines.binary_search_by_key(&leader, |(at, _)| *at).ok()?;
    let line = lines[entry].1;
    let is_copied =
        sites.is_copied(line) || entry.checked_sub(1).is_some_and(|before| sites.is_copied(lines[before].1));
    (is_alone || is_copied).then_some(line.into())
}

/// Whether a store to a field or an array leaves its value on the stack: it was copied below what tells the place, before it was stored or,
/// with `x++`, before it was changed.
fn keeps_value(bytecode: &Bytecode, at: usize) -> bool {
    let before = bytecode.instrs[..at].iter().rev().map(|(_, instr)| instr);
    let mut before = before.skip_while(|instr| {
        let constant = matches!(instr, Instr::Int(_) | Instr::Long(_) | Instr::Float(_) | Instr::Double(_));
        constant || matches!(instr, Instr::Binary(..) | Instr::Convert(_))
    });
    let copied = before.next();
    match &bytecode.instrs[at].1 {
        Instr::PutField(_) => matches!(copied, Some(Instr::DupX1 | Instr::Dup2X1)),
        Instr::PutStatic(_) => matches!(copied, Some(Instr::Dup | Instr::Dup2)),
        Instr::ArrayStore(_) => matches!(copied, Some(Instr::DupX2 | Instr::Dup2X2)),
        _ => false,
    }
}

/// Calls whose exceptions become a `MatchException`, which nobody can write: `astore e; new MatchException; …`.
fn components(file: &ClassFile, code: &Code, bytecode: &Bytecode) -> Vec<(u16, u16)> {
    let wraps = |handler: u16| {
        let index = bytecode.index_of(handler);
        let made = index.and_then(|index| bytecode.instrs.get(index + 1)).map(|(_, instr)| instr);
        matches!(made, Some(Instr::New(cp)) if file.pool.class(*cp).is_ok_and(|c| c == "java/lang/MatchException"))
    };
    code.handlers.iter().filter(|h| wraps(h.handler)).map(|h| (h.start, h.end)).collect()
}
