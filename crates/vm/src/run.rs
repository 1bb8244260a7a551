//! The step loop.
//!
//! It exists twice, made from one text: for frames no symbolic value has reached, and for frames that keep
//! a term for each register. A frame goes over from the first to the second when a term reaches it.

use crate::frame::Ret;
use crate::heap::ObjId;
use crate::lang::{Callable, Lang, Raise, Stop, Val};
use crate::machine::{Outcome, Vm, sort_of};
use crate::trace::{Edge, ElemKind};
use ir::{BlockId, Check, ClassId, FuncId, Function, MemType, Move, Op, Reg, StrId, Type};
use std::sync::Arc;
use term::TermId;

/// How the step loop goes on.
pub(crate) enum Flow {
    /// The frame on top changed, or its mode did.
    Reload,
    Done(Outcome),
}

impl<L: Lang> Vm<L> {
    /// Runs until the frame that ends the call is left.
    pub(crate) fn drive(&mut self) -> Outcome {
        loop {
            let Some(frame) = self.frames.last() else { return Outcome::Returned(None) };
            let flow = match (frame.symbolic, self.watch.is_some() || self.listening) {
                (false, false) => self.run::<false, false>(),
                (true, false) => self.run::<true, false>(),
                // Watched runs are few: one loop serves both kinds of frames.
                (_, true) => {
                    self.promote();
                    self.run::<true, true>()
                }
            };
            match flow {
                Ok(Flow::Reload) => {}
                Ok(Flow::Done(outcome)) => return outcome,
                Err(stop) => return Outcome::Stopped(stop),
            }
        }
    }

    #[allow(unsafe_code)]
    fn run<const SYM: bool, const WATCH: bool>(&mut self) -> Result<Flow, Stop> {
        let Some(frame) = self.frames.last() else { return Ok(Flow::Reload) };
        // SAFETY: the frame on top owns a reference to this function, and every path below that pushes,
        // pops or replaces the top frame leaves this call or takes the new top frame's function (`reload!`)
        // before the function is looked at again.
        let mut function: &Function = unsafe { &*Arc::as_ptr(&frame.function) };
        let mut base = frame.base as usize;
        let mut tracked = frame.tracked;
        let mut func = frame.func;
        let mut pc = frame.pc as usize;
        // Kept in a register; `sync!` writes it back.
        let mut steps = self.steps;

        macro_rules! v {
            ($r:expr) => {
                self.vals[base + $r as usize]
            };
        }
        macro_rules! t {
            ($r:expr) => {
                self.terms[base + $r as usize]
            };
        }
        macro_rules! val {
            ($r:expr) => {
                Val { bits: v!($r), term: if SYM { t!($r) } else { TermId::NONE } }
            };
        }
        // Others look at the frame's pc: exceptions, places, sites. Whatever can leave this call comes after it.
        macro_rules! sync {
            () => {
                self.steps = steps;
                if let Some(frame) = self.frames.last_mut() {
                    frame.pc = pc as u32;
                }
            };
        }
        // Goes on in the frame that is on top now; without leaving this call if this loop is the one for it.
        macro_rules! reload {
            () => {{
                let Some(frame) = self.frames.last() else { return Ok(Flow::Reload) };
                if WATCH || frame.symbolic != SYM {
                    return Ok(Flow::Reload);
                }
                // SAFETY: as above.
                function = unsafe { &*Arc::as_ptr(&frame.function) };
                base = frame.base as usize;
                tracked = frame.tracked;
                func = frame.func;
                pc = frame.pc as usize;
                continue;
            }};
            ($outcome:expr) => {
                match $outcome {
                    Some(outcome) => return Ok(Flow::Done(outcome)),
                    None => reload!(),
                }
            };
        }
        macro_rules! set {
            ($inst:expr, $bits:expr) => {{
                let bits = $bits;
                v!($inst.dst.0) = bits;
                if SYM {
                    t!($inst.dst.0) = TermId::NONE;
                }
            }};
        }
        // A value with a term ends the concrete loop.
        macro_rules! set_val {
            ($inst:expr, $val:expr) => {{
                let val: Val = $val;
                v!($inst.dst.0) = val.bits;
                if SYM {
                    t!($inst.dst.0) = val.term;
                } else if val.term.is_some() {
                    self.promote();
                    t!($inst.dst.0) = val.term;
                    pc += 1;
                    sync!();
                    return Ok(Flow::Reload);
                }
            }};
        }
        macro_rules! binary {
            ($inst:expr, |$x:ident, $y:ident| $body:expr) => {{
                let ($x, $y) = (v!($inst.a), v!($inst.b));
                let bits = $body;
                if SYM {
                    let (tx, ty) = (t!($inst.a), t!($inst.b));
                    t!($inst.dst.0) = if (tx.0 | ty.0) == 0 {
                        TermId::NONE
                    } else {
                        self.binary_term($inst.op, ($x, tx), ($y, ty))
                    };
                }
                v!($inst.dst.0) = bits;
            }};
        }
        macro_rules! unary {
            ($inst:expr, |$x:ident| $body:expr) => {{
                let $x = v!($inst.a);
                let bits = $body;
                if SYM {
                    let tx = t!($inst.a);
                    t!($inst.dst.0) = if tx.is_none() { TermId::NONE } else { self.unary_term($inst.op, tx) };
                }
                v!($inst.dst.0) = bits;
            }};
        }
        macro_rules! i32s {
            ($inst:expr, |$x:ident, $y:ident| $body:expr) => {
                binary!($inst, |p, q| {
                    let ($x, $y) = (p as u32 as i32, q as u32 as i32);
                    ($body) as u32 as u64
                })
            };
        }
        macro_rules! i64s {
            ($inst:expr, |$x:ident, $y:ident| $body:expr) => {
                binary!($inst, |p, q| {
                    let ($x, $y) = (p as i64, q as i64);
                    ($body) as u64
                })
            };
        }
        macro_rules! f32s {
            ($inst:expr, |$x:ident, $y:ident| $body:expr) => {
                binary!($inst, |p, q| {
                    let ($x, $y) = (f32::from_bits(p as u32), f32::from_bits(q as u32));
                    $body
                })
            };
        }
        macro_rules! f64s {
            ($inst:expr, |$x:ident, $y:ident| $body:expr) => {
                binary!($inst, |p, q| {
                    let ($x, $y) = (f64::from_bits(p), f64::from_bits(q));
                    $body
                })
            };
        }
        macro_rules! goto {
            ($block:expr) => {{
                let block = BlockId($block);
                pc = function.blocks[block].start as usize;
                if tracked {
                    self.trace.blocks.insert((func, block));
                    if self.walking {
                        self.walk(Move::Block(block));
                    }
                }
                if steps >= self.poll_at {
                    sync!();
                    self.check_budget()?;
                    if self.slice_over() {
                        let done = self.switch()?;
                        reload!(done);
                    }
                }
                continue;
            }};
        }
        macro_rules! edge {
            ($successor:expr) => {
                if tracked {
                    let (index, successor) = (pc as u32, $successor);
                    self.trace.edges.insert(Edge { func, index, successor });
                    if self.walking {
                        self.walk(Move::Take { index, successor });
                    }
                }
            };
        }
        macro_rules! fail {
            ($check:expr, $a:expr, $b:expr) => {{
                sync!();
                self.raise(Raise::Check { check: $check, a: $a, b: $b })?;
                reload!();
            }};
        }
        macro_rules! load {
            ($inst:expr, $ty:expr) => {{
                let object = ObjId(v!($inst.a) as u32);
                if SYM && t!($inst.a).is_some() {
                    sync!();
                    let val = self.load_through(val!($inst.a), $inst.b, $ty)?;
                    set_val!($inst, val);
                } else if self.heap.has_shadow(object) {
                    sync!();
                    let val = self.load(object, $inst.b, $ty)?;
                    set_val!($inst, val);
                } else {
                    set!($inst, self.load_bits(object, $inst.b, $ty));
                }
            }};
        }
        macro_rules! store {
            ($inst:expr, $ty:expr) => {{
                let object = ObjId(v!($inst.a) as u32);
                let val = val!($inst.c);
                if SYM && t!($inst.a).is_some() {
                    sync!();
                    self.deref(val!($inst.a))?;
                }
                if (SYM && val.term.is_some()) || self.heap.has_shadow(object) {
                    sync!();
                    self.store(object, $inst.b, $ty, val)?;
                } else {
                    self.store_bits(object, $inst.b, $ty, val.bits);
                }
            }};
        }
        macro_rules! aload {
            ($inst:expr, $ty:expr) => {{
                let array = ObjId(v!($inst.a) as u32);
                let index = val!($inst.b);
                if SYM && t!($inst.a).is_some() {
                    sync!();
                    self.deref(val!($inst.a))?;
                }
                if (SYM && index.term.is_some()) || self.heap.has_shadow(array) {
                    sync!();
                    let val = self.load_elem(array, index, $ty)?;
                    set_val!($inst, val);
                } else {
                    set!($inst, self.load_bits(array, index.bits as u32 * $ty.size(), $ty));
                }
            }};
        }
        macro_rules! astore {
            ($inst:expr, $ty:expr) => {{
                let array = ObjId(v!($inst.a) as u32);
                let (index, val) = (val!($inst.b), val!($inst.c));
                if SYM && t!($inst.a).is_some() {
                    sync!();
                    self.deref(val!($inst.a))?;
                }
                if (SYM && (index.term.0 | val.term.0) != 0) || self.heap.has_shadow(array) {
                    sync!();
                    self.store_elem(array, index, $ty, val)?;
                } else {
                    self.store_bits(array, index.bits as u32 * $ty.size(), $ty, val.bits);
                }
            }};
        }

        loop {
            let inst = function.code[pc];
            steps += 1;
            if WATCH && tracked {
                self.watch_line(func, function.positions[pc].line);
            }
            match inst.op {
                Op::ConstI1 | Op::ConstI32 | Op::ConstF32 => set!(inst, inst.a as u64),
                Op::ConstI64 | Op::ConstF64 => set!(inst, inst.a as u64 | (inst.b as u64) << 32),
                Op::Null => set!(inst, 0),
                Op::Copy => {
                    v!(inst.dst.0) = v!(inst.a);
                    if SYM {
                        t!(inst.dst.0) = t!(inst.a);
                    }
                }
                Op::Select => {
                    let (condition, x, y) = (val!(inst.a), val!(inst.b), val!(inst.c));
                    let chosen = if condition.bits != 0 { x } else { y };
                    if SYM && condition.term.is_some() {
                        let sort = sort_of(function.regs[inst.dst].ty);
                        let (tx, ty) = (self.term(x, sort), self.term(y, sort));
                        let term = self.pool.ite(condition.term, tx, ty);
                        t!(inst.dst.0) = self.symbolic(term);
                        v!(inst.dst.0) = chosen.bits;
                    } else {
                        set_val!(inst, chosen);
                    }
                }
                Op::Str => {
                    sync!();
                    let object = L::string(self, StrId(inst.a))?;
                    set!(inst, object.0 as u64)
                }
                Op::ClassRef => {
                    sync!();
                    let object = L::class_object(self, ClassId(inst.a))?;
                    set!(inst, object.0 as u64)
                }

                Op::AddI32 => i32s!(inst, |x, y| x.wrapping_add(y)),
                Op::SubI32 => i32s!(inst, |x, y| x.wrapping_sub(y)),
                Op::MulI32 => i32s!(inst, |x, y| x.wrapping_mul(y)),
                Op::SDivI32 => i32s!(inst, |x, y| if y == 0 { 0 } else { x.wrapping_div(y) }),
                Op::SRemI32 => i32s!(inst, |x, y| if y == 0 { 0 } else { x.wrapping_rem(y) }),
                Op::UDivI32 => i32s!(inst, |x, y| (x as u32).checked_div(y as u32).unwrap_or(0)),
                Op::URemI32 => i32s!(inst, |x, y| (x as u32).checked_rem(y as u32).unwrap_or(0)),
                Op::AndI32 => i32s!(inst, |x, y| x & y),
                Op::OrI32 => i32s!(inst, |x, y| x | y),
                Op::XorI32 => i32s!(inst, |x, y| x ^ y),
                Op::ShlI32 => i32s!(inst, |x, y| x.wrapping_shl(y as u32)),
                Op::LShrI32 => i32s!(inst, |x, y| (x as u32).wrapping_shr(y as u32)),
                Op::AShrI32 => i32s!(inst, |x, y| x.wrapping_shr(y as u32)),
                Op::NegI32 => unary!(inst, |x| (x as u32 as i32).wrapping_neg() as u32 as u64),
                Op::AddI64 => i64s!(inst, |x, y| x.wrapping_add(y)),
                Op::SubI64 => i64s!(inst, |x, y| x.wrapping_sub(y)),
                Op::MulI64 => i64s!(inst, |x, y| x.wrapping_mul(y)),
                Op::SDivI64 => i64s!(inst, |x, y| if y == 0 { 0 } else { x.wrapping_div(y) }),
                Op::SRemI64 => i64s!(inst, |x, y| if y == 0 { 0 } else { x.wrapping_rem(y) }),
                Op::UDivI64 => i64s!(inst, |x, y| (x as u64).checked_div(y as u64).unwrap_or(0)),
                Op::URemI64 => i64s!(inst, |x, y| (x as u64).checked_rem(y as u64).unwrap_or(0)),
                Op::AndI64 => i64s!(inst, |x, y| x & y),
                Op::OrI64 => i64s!(inst, |x, y| x | y),
                Op::XorI64 => i64s!(inst, |x, y| x ^ y),
                Op::ShlI64 => i64s!(inst, |x, y| x.wrapping_shl(y as u32)),
                Op::LShrI64 => i64s!(inst, |x, y| (x as u64).wrapping_shr(y as u32)),
                Op::AShrI64 => i64s!(inst, |x, y| x.wrapping_shr(y as u32)),
                Op::NegI64 => unary!(inst, |x| (x as i64).wrapping_neg() as u64),
                Op::NotI1 => unary!(inst, |x| x ^ 1),
                Op::AndI1 => binary!(inst, |x, y| x & y),
                Op::OrI1 => binary!(inst, |x, y| x | y),

                Op::EqRef if self.by_value && v!(inst.a) != v!(inst.b) => {
                    sync!();
                    let val = self.same_object(val!(inst.a), val!(inst.b))?;
                    set_val!(inst, val);
                }
                Op::EqRef => {
                    // What a method is called on carries no term, and yet it may be an input that has a choice.
                    if v!(inst.a) != v!(inst.b) && !self.choices.is_empty() {
                        sync!();
                        self.demand_same(ObjId(v!(inst.a) as u32), ObjId(v!(inst.b) as u32));
                    }
                    i32s!(inst, |x, y| x == y)
                }
                Op::EqI32 => i32s!(inst, |x, y| x == y),
                Op::NeI32 => i32s!(inst, |x, y| x != y),
                Op::SltI32 => i32s!(inst, |x, y| x < y),
                Op::SleI32 => i32s!(inst, |x, y| x <= y),
                Op::UltI32 => i32s!(inst, |x, y| (x as u32) < y as u32),
                Op::UleI32 => i32s!(inst, |x, y| x as u32 <= y as u32),
                Op::EqI64 => i64s!(inst, |x, y| x == y),
                Op::NeI64 => i64s!(inst, |x, y| x != y),
                Op::SltI64 => i64s!(inst, |x, y| x < y),
                Op::SleI64 => i64s!(inst, |x, y| x <= y),
                Op::UltI64 => i64s!(inst, |x, y| (x as u64) < y as u64),
                Op::UleI64 => i64s!(inst, |x, y| x as u64 <= y as u64),
                Op::EqF32 => f32s!(inst, |x, y| (x == y) as u64),
                Op::LtF32 => f32s!(inst, |x, y| (x < y) as u64),
                Op::LeF32 => f32s!(inst, |x, y| (x <= y) as u64),
                Op::EqF64 => f64s!(inst, |x, y| (x == y) as u64),
                Op::LtF64 => f64s!(inst, |x, y| (x < y) as u64),
                Op::LeF64 => f64s!(inst, |x, y| (x <= y) as u64),
                Op::IsNull => unary!(inst, |x| (x == 0) as u64),
                Op::CmpI64 => i64s!(inst, |x, y| three_way(x.cmp(&y))),
                Op::CmplF32 => f32s!(inst, |x, y| x.partial_cmp(&y).map_or(u32::MAX as u64, three_way)),
                Op::CmpgF32 => f32s!(inst, |x, y| x.partial_cmp(&y).map_or(1, three_way)),
                Op::CmplF64 => f64s!(inst, |x, y| x.partial_cmp(&y).map_or(u32::MAX as u64, three_way)),
                Op::CmpgF64 => f64s!(inst, |x, y| x.partial_cmp(&y).map_or(1, three_way)),

                Op::AddF32 => f32s!(inst, |x, y| result_f32(x, y, x + y)),
                Op::SubF32 => f32s!(inst, |x, y| result_f32(x, y, x - y)),
                Op::MulF32 => f32s!(inst, |x, y| result_f32(x, y, x * y)),
                Op::DivF32 => f32s!(inst, |x, y| result_f32(x, y, x / y)),
                Op::RemF32 => f32s!(inst, |x, y| result_f32(x, y, x % y)),
                Op::NegF32 => unary!(inst, |x| x ^ 0x8000_0000),
                Op::AddF64 => f64s!(inst, |x, y| result_f64(x, y, x + y)),
                Op::SubF64 => f64s!(inst, |x, y| result_f64(x, y, x - y)),
                Op::MulF64 => f64s!(inst, |x, y| result_f64(x, y, x * y)),
                Op::DivF64 => f64s!(inst, |x, y| result_f64(x, y, x / y)),
                Op::RemF64 => f64s!(inst, |x, y| result_f64(x, y, x % y)),
                Op::NegF64 => unary!(inst, |x| x ^ (1 << 63)),

                Op::I1ToI32 => unary!(inst, |x| x),
                Op::I32ToI8 => unary!(inst, |x| x as i8 as i32 as u32 as u64),
                Op::I32ToU8 => unary!(inst, |x| x as u8 as u64),
                Op::I32ToI16 => unary!(inst, |x| x as i16 as i32 as u32 as u64),
                Op::I32ToU16 => unary!(inst, |x| x as u16 as u64),
                Op::I32ToI64 => unary!(inst, |x| x as u32 as i32 as i64 as u64),
                Op::U32ToI64 => unary!(inst, |x| x as u32 as u64),
                Op::I64ToI32 => unary!(inst, |x| x as u32 as u64),
                Op::I32ToF32 => unary!(inst, |x| (x as u32 as i32 as f32).to_bits() as u64),
                Op::I32ToF64 => unary!(inst, |x| (x as u32 as i32 as f64).to_bits()),
                Op::I64ToF32 => unary!(inst, |x| (x as i64 as f32).to_bits() as u64),
                Op::I64ToF64 => unary!(inst, |x| (x as i64 as f64).to_bits()),
                Op::F32ToF64 => unary!(inst, |x| (f32::from_bits(x as u32) as f64).to_bits()),
                Op::F64ToF32 => unary!(inst, |x| (f64::from_bits(x) as f32).to_bits() as u64),
                Op::F32ToI32 => unary!(inst, |x| f32::from_bits(x as u32) as i32 as u32 as u64),
                Op::F32ToI64 => unary!(inst, |x| f32::from_bits(x as u32) as i64 as u64),
                Op::F64ToI32 => unary!(inst, |x| f64::from_bits(x) as i32 as u32 as u64),
                Op::F64ToI64 => unary!(inst, |x| f64::from_bits(x) as i64 as u64),
                Op::F32Bits | Op::F64Bits => {
                    if SYM && t!(inst.a).is_some() {
                        sync!();
                        let val = self.float_bits(inst.op, val!(inst.a))?;
                        set_val!(inst, val);
                    } else {
                        set!(inst, v!(inst.a));
                    }
                }
                Op::BitsF32 | Op::BitsF64 => unary!(inst, |x| x),

                Op::Guard => {
                    let condition = val!(inst.b);
                    if SYM && condition.term.is_some() {
                        sync!();
                        let kind = ElemKind::Check(check_of(inst.a));
                        self.decide(kind, condition.term, condition.bits != 0)?;
                    }
                    if condition.bits == 0 {
                        fail!(check_of(inst.a), 0, 0);
                    }
                }
                Op::GuardNonNull => {
                    let object = val!(inst.a);
                    if SYM && object.term.is_some() {
                        sync!();
                        let null = self.pool.bv(32, 0);
                        let some = self.pool.ne(object.term, null);
                        self.decide(ElemKind::Check(Check::Null), some, object.bits != 0)?;
                    }
                    if object.bits == 0 {
                        fail!(Check::Null, 0, 0);
                    }
                }
                Op::GuardBounds => {
                    let (array, index) = (val!(inst.a), val!(inst.b));
                    if SYM && array.term.is_some() {
                        sync!();
                        self.deref(array)?;
                    }
                    let len = self.heap.len(array.as_obj());
                    let inside = (index.bits as u32) < len;
                    let len_term = self.heap.len_term(array.as_obj());
                    if (SYM && index.term.is_some()) || len_term.is_some() {
                        sync!();
                        let i = self.term(index, sort_of(Type::I32));
                        let n = self.term(Val { bits: len as u64, term: len_term }, sort_of(Type::I32));
                        let condition = self.pool.ult(i, n);
                        self.decide(ElemKind::Check(Check::Bounds), condition, inside)?;
                    }
                    if !inside {
                        fail!(Check::Bounds, index.bits, len as u64);
                    }
                }
                Op::GuardNonZeroI32 | Op::GuardNonZeroI64 => {
                    let divisor = val!(inst.a);
                    if SYM && divisor.term.is_some() {
                        sync!();
                        let sort = self.pool.sort(divisor.term);
                        let zero = self.pool.constant(sort, 0);
                        let nonzero = self.pool.ne(divisor.term, zero);
                        self.decide(ElemKind::Check(Check::DivZero), nonzero, divisor.bits != 0)?;
                    }
                    if divisor.bits == 0 {
                        fail!(Check::DivZero, 0, 0);
                    }
                }
                Op::GuardNonNegative => {
                    let size = val!(inst.a);
                    let fits = size.as_i32() >= 0;
                    if SYM && size.term.is_some() {
                        sync!();
                        let zero = self.pool.bv(32, 0);
                        let condition = self.pool.sle(zero, size.term);
                        self.decide(ElemKind::Check(Check::NegativeSize), condition, fits)?;
                    }
                    if !fits {
                        fail!(Check::NegativeSize, size.bits, 0);
                    }
                }
                Op::GuardCast => {
                    let object = val!(inst.a);
                    let class = ClassId(inst.b);
                    if SYM && object.term.is_some() {
                        sync!();
                        let of = self.instance_of(object, class)?;
                        let of_term = self.term(of, sort_of(Type::I1));
                        let null = self.pool.bv(32, 0);
                        let is_null = self.pool.eq(object.term, null);
                        let condition = self.pool.or(is_null, of_term);
                        let holds = object.bits == 0 || of.bits != 0;
                        self.decide(ElemKind::Check(Check::Cast), condition, holds)?;
                    }
                    let id = object.as_obj();
                    if !id.is_null() {
                        let has = self.heap.class(id);
                        if has != class && !self.lang.is_subclass(has, class) {
                            fail!(Check::Cast, object.bits, class.0 as u64);
                        }
                    }
                }
                Op::GuardStore => {
                    let (array, elem) = (val!(inst.a), val!(inst.b));
                    if SYM && (array.term.0 | elem.term.0) != 0 {
                        sync!();
                        self.deref(array)?;
                        if elem.term.is_some() {
                            let null = self.pool.bv(32, 0);
                            let is_null = self.pool.eq(elem.term, null);
                            self.decide(ElemKind::Which, is_null, elem.bits == 0)?;
                        }
                    }
                    if !elem.as_obj().is_null() {
                        if SYM && elem.term.is_some() {
                            self.dispatch_class(elem)?;
                        }
                        let array_class = self.heap.class(array.as_obj());
                        let elem_class = self.heap.class(elem.as_obj());
                        if !self.lang.may_store(array_class, elem_class) {
                            fail!(Check::Store, elem.bits, array.bits);
                        }
                    }
                }
                Op::GuardInit => {
                    let class = ClassId(inst.a);
                    if !L::is_initialised(self, class) {
                        sync!();
                        let initialiser = L::initialiser(self, class)?;
                        let done = self.enter(initialiser, &[], Ret::Into(Reg::NONE))?;
                        reload!(done);
                    }
                }

                Op::LoadI8 => load!(inst, MemType::I8),
                Op::LoadU8 => load!(inst, MemType::U8),
                Op::LoadI16 => load!(inst, MemType::I16),
                Op::LoadU16 => load!(inst, MemType::U16),
                Op::LoadI32 => load!(inst, MemType::I32),
                Op::LoadI64 => load!(inst, MemType::I64),
                Op::LoadF32 => load!(inst, MemType::F32),
                Op::LoadF64 => load!(inst, MemType::F64),
                Op::LoadRef => load!(inst, MemType::Ref),
                Op::StoreI8 => store!(inst, MemType::I8),
                Op::StoreI16 => store!(inst, MemType::I16),
                Op::StoreI32 => store!(inst, MemType::I32),
                Op::StoreI64 => store!(inst, MemType::I64),
                Op::StoreF32 => store!(inst, MemType::F32),
                Op::StoreF64 => store!(inst, MemType::F64),
                Op::StoreRef => store!(inst, MemType::Ref),
                Op::Statics => {
                    sync!();
                    let object = L::statics(self, ClassId(inst.a))?;
                    set!(inst, object.0 as u64)
                }
                Op::ALoadI8 => aload!(inst, MemType::I8),
                Op::ALoadU8 => aload!(inst, MemType::U8),
                Op::ALoadI16 => aload!(inst, MemType::I16),
                Op::ALoadU16 => aload!(inst, MemType::U16),
                Op::ALoadI32 => aload!(inst, MemType::I32),
                Op::ALoadI64 => aload!(inst, MemType::I64),
                Op::ALoadF32 => aload!(inst, MemType::F32),
                Op::ALoadF64 => aload!(inst, MemType::F64),
                Op::ALoadRef => aload!(inst, MemType::Ref),
                Op::AStoreI8 => astore!(inst, MemType::I8),
                Op::AStoreI16 => astore!(inst, MemType::I16),
                Op::AStoreI32 => astore!(inst, MemType::I32),
                Op::AStoreI64 => astore!(inst, MemType::I64),
                Op::AStoreF32 => astore!(inst, MemType::F32),
                Op::AStoreF64 => astore!(inst, MemType::F64),
                Op::AStoreRef => astore!(inst, MemType::Ref),
                Op::ArrayLen => {
                    if SYM && t!(inst.a).is_some() {
                        sync!();
                        self.deref(val!(inst.a))?;
                    }
                    let array = ObjId(v!(inst.a) as u32);
                    let len = Val { bits: self.heap.len(array) as u64, term: self.heap.len_term(array) };
                    set_val!(inst, len);
                }
                Op::New => {
                    sync!();
                    let object = self.new_object(ClassId(inst.a))?;
                    set!(inst, object.0 as u64)
                }
                Op::NewArray => {
                    sync!();
                    let len = val!(inst.b);
                    let array = self.new_array(ClassId(inst.a), len.bits as u32)?;
                    if SYM && len.term.is_some() {
                        self.heap.shadow_mut(array).len = len.term;
                    }
                    set!(inst, array.0 as u64)
                }
                Op::InstanceOf => {
                    sync!();
                    let val = self.instance_of(val!(inst.a), ClassId(inst.b))?;
                    set_val!(inst, val);
                }
                Op::MonitorEnter => {
                    sync!();
                    let object = self.deref(val!(inst.a))?;
                    if !L::monitor_enter(self, object)? {
                        // The instruction is run again when this fiber goes on.
                        let done = self.switch()?;
                        reload!(done);
                    }
                }
                Op::MonitorExit => {
                    sync!();
                    let object = self.deref(val!(inst.a))?;
                    if !L::monitor_exit(self, object)? {
                        fail!(Check::Monitor, 0, 0);
                    }
                }

                Op::Call | Op::CallVirt | Op::CallIface => {
                    sync!();
                    let list = function.list(inst.b);
                    let callee = match inst.op {
                        Op::Call => FuncId(inst.a),
                        _ => {
                            let receiver = val!(list[0].0);
                            let class = if SYM && receiver.term.is_some() {
                                self.dispatch_class(receiver)?
                            } else {
                                self.heap.class(receiver.as_obj())
                            };
                            let found = if inst.op == Op::CallVirt {
                                self.lang.virtual_function(class, inst.a).ok_or(Raise::Check {
                                    check: Check::Dispatch,
                                    a: class.0 as u64,
                                    b: inst.a as u64,
                                })
                            } else {
                                self.lang.interface_function(class, FuncId(inst.a))
                            };
                            match found {
                                Ok(callee) => callee,
                                Err(raise) => {
                                    self.raise(raise)?;
                                    reload!();
                                }
                            }
                        }
                    };
                    let ready = match self.callables.get(callee.0 as usize) {
                        Some(Some(Callable::Ir(target))) => Some(target.clone()),
                        _ => None,
                    };
                    match ready {
                        Some(target) => {
                            let symbolic = SYM && list.iter().any(|r| t!(r.0).is_some());
                            if let Some(to) =
                                self.push_frame(callee, target, Ret::Into(inst.dst), symbolic)?
                            {
                                for (i, r) in list.iter().enumerate() {
                                    self.vals[to + i] = v!(r.0);
                                    if SYM && symbolic {
                                        self.terms[to + i] = t!(r.0);
                                    }
                                }
                                if WATCH && self.listening {
                                    let args: Vec<u64> = list.iter().map(|r| v!(r.0)).collect();
                                    L::called(self, Some(func), callee, &args);
                                }
                            }
                            if steps >= self.poll_at {
                                self.check_budget()?;
                            }
                            reload!();
                        }
                        None => {
                            let args: Vec<Val> = list.iter().map(|r| val!(r.0)).collect();
                            let done = self.enter(callee, &args, Ret::Into(inst.dst))?;
                            reload!(done);
                        }
                    }
                }
                Op::Catch => {
                    let caught = self.frames.last().map_or(ObjId::NULL, |f| f.caught);
                    set!(inst, caught.0 as u64)
                }

                Op::Jump => goto!(inst.a),
                Op::Br => {
                    let condition = val!(inst.a);
                    let taken = condition.bits != 0;
                    if SYM && condition.term.is_some() {
                        sync!();
                        self.decide(ElemKind::Branch, condition.term, taken)?;
                    }
                    edge!(if taken { 0 } else { 1 });
                    goto!(if taken { inst.b } else { inst.c })
                }
                Op::Note => {
                    let condition = val!(inst.a);
                    let holds = condition.bits != 0;
                    if SYM && condition.term.is_some() {
                        sync!();
                        self.decide(ElemKind::Branch, condition.term, holds)?;
                    }
                    edge!(if holds { 0 } else { 1 });
                }
                Op::Switch => {
                    let value = val!(inst.a);
                    let table = &function.tables[inst.b as usize];
                    let found = table.cases.binary_search_by_key(&value.as_i32(), |(k, _)| *k);
                    if SYM && value.term.is_some() {
                        sync!();
                        self.decide_switch(value.term, table, found.ok())?;
                    }
                    let (position, target) = match found {
                        Ok(i) => (i, table.cases[i].1),
                        Err(_) => (table.cases.len(), table.default),
                    };
                    edge!(position as u32);
                    goto!(target.0)
                }
                Op::Ret | Op::RetVal => {
                    let val = (inst.op == Op::RetVal).then(|| val!(inst.a));
                    self.steps = steps;
                    let Some(frame) = self.frames.pop() else { return Ok(Flow::Reload) };
                    let done = self.deliver(val, frame.ret)?;
                    reload!(done)
                }
                Op::Throw => {
                    sync!();
                    let exception = self.deref(val!(inst.a))?;
                    self.note_thrown(exception, true);
                    let done = self.unwind(exception)?;
                    reload!(done)
                }
                Op::Trap => {
                    sync!();
                    let raise = self.lang.trap_raise(check_of(inst.a), StrId(inst.b));
                    self.raise(raise)?;
                    reload!();
                }
            }
            pc += 1;
        }
    }

    /// Records which way a switch on a symbolic value went. Cases that go to one block are one alternative.
    fn decide_switch(
        &mut self,
        value: TermId,
        table: &ir::SwitchTable,
        found: Option<usize>,
    ) -> Result<(), Stop> {
        let mut targets: Vec<BlockId> = Vec::new();
        let mut conditions: Vec<TermId> = Vec::new();
        let mut any = self.pool.bool(false);
        for (case, target) in &table.cases {
            let constant = self.pool.bv(32, *case as u32 as u64);
            let hit = self.pool.eq(value, constant);
            any = self.pool.or(any, hit);
            match targets.iter().position(|t| t == target) {
                Some(i) => conditions[i] = self.pool.or(conditions[i], hit),
                None => {
                    targets.push(*target);
                    conditions.push(hit);
                }
            }
        }
        let none = self.pool.not(any);
        let default = match targets.iter().position(|t| *t == table.default) {
            Some(i) => {
                conditions[i] = self.pool.or(conditions[i], none);
                i
            }
            None => {
                conditions.push(none);
                conditions.len() - 1
            }
        };
        let choice = match found {
            Some(i) => targets.iter().position(|t| *t == table.cases[i].1).unwrap_or(default),
            None => default,
        };
        self.decide_among(ElemKind::Branch, &conditions, choice as u32)
    }
}

/// The bits of an arithmetic result. Which of two NaN operands shows in the result is left open by IEEE 754 and by
/// Rust; here it is the first, quiet, as on the machines the JVM runs on, and the same in both loops.
#[inline(always)]
fn result_f32(x: f32, y: f32, result: f32) -> u64 {
    if result.is_nan() {
        const QUIET: u32 = 0x0040_0000;
        return match (x.is_nan(), y.is_nan()) {
            (true, _) => (x.to_bits() | QUIET) as u64,
            (false, true) => (y.to_bits() | QUIET) as u64,
            (false, false) => result.to_bits() as u64,
        };
    }
    result.to_bits() as u64
}

/// See [`result_f32`].
#[inline(always)]
fn result_f64(x: f64, y: f64, result: f64) -> u64 {
    if result.is_nan() {
        const QUIET: u64 = 0x0008_0000_0000_0000;
        return match (x.is_nan(), y.is_nan()) {
            (true, _) => x.to_bits() | QUIET,
            (false, true) => y.to_bits() | QUIET,
            (false, false) => result.to_bits(),
        };
    }
    result.to_bits()
}

fn three_way(ordering: std::cmp::Ordering) -> u64 {
    ordering as i32 as u32 as u64
}

fn check_of(word: u32) -> Check {
    Check::ALL.get(word as usize).copied().unwrap_or(Check::Link)
}
