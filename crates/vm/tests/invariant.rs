//! The invariant of concolic execution: the term of a value, evaluated under the inputs of the run, is the value.
//!
//! Checked for random straight-line programs over every pure opcode, with memory between them: what is stored
//! at a symbolic index of a small array and loaded again must obey the same rule.

use ir::op::{Effect, OpResult, Operand};
use ir::{Builder, ClassId, FuncId, Module, Op, Reg, Type};
use term::Assignment;
use vm::{Outcome, TextLang, Val, Vm, sort_of};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// Values that matter more often than any others.
    fn bits(&mut self, ty: Type) -> u64 {
        let special_int = [0u64, 1, 2, 3, 31, 32, 63, 64, 127, 128, 255, 0x7fff, 0x8000, 0xffff];
        let pick = self.below(4);
        match ty {
            Type::I1 => self.next() & 1,
            Type::I32 => {
                let wide = match pick {
                    0 => special_int[self.below(special_int.len())],
                    1 => special_int[self.below(special_int.len())].wrapping_neg(),
                    2 => [0x7fff_ffff, 0x8000_0000, 0xffff_ffff][self.below(3)],
                    _ => self.next(),
                };
                wide & 0xffff_ffff
            }
            Type::I64 => match pick {
                0 => special_int[self.below(special_int.len())],
                1 => special_int[self.below(special_int.len())].wrapping_neg(),
                2 => [i64::MIN as u64, i64::MAX as u64, 1 << 32, u32::MAX as u64][self.below(4)],
                _ => self.next(),
            },
            Type::F32 => {
                let special = [0.0f32, -0.0, 1.0, -1.5, f32::INFINITY, f32::NEG_INFINITY, 1e-40, f32::MAX];
                match pick {
                    0 => special[self.below(special.len())].to_bits().into(),
                    1 => 0x7fc0_0000,
                    2 => (self.next() as i32 as f32 / 1000.0).to_bits().into(),
                    _ => {
                        let f = f32::from_bits(self.next() as u32);
                        if f.is_nan() { 0x7fc0_0000 } else { f.to_bits().into() }
                    }
                }
            }
            Type::F64 => {
                let special = [0.0f64, -0.0, 1.0, 0.1, f64::INFINITY, f64::NEG_INFINITY, 1e-310, f64::MAX];
                match pick {
                    0 => special[self.below(special.len())].to_bits(),
                    1 => 0x7ff8_0000_0000_0000,
                    2 => (self.next() as i64 as f64 / 1000.0).to_bits(),
                    _ => {
                        let f = f64::from_bits(self.next());
                        if f.is_nan() { 0x7ff8_0000_0000_0000 } else { f.to_bits() }
                    }
                }
            }
            Type::Ref | Type::Ptr => 0,
        }
    }
}

const SCALARS: [Type; 5] = [Type::I1, Type::I32, Type::I64, Type::F32, Type::F64];

/// Pure opcodes over scalars.
fn pure_ops() -> Vec<Op> {
    let scalar = |o: &Operand| matches!(o, Operand::Reg(ty) if SCALARS.contains(ty));
    Op::ALL
        .iter()
        .copied()
        .filter(|op| op.effect() == Effect::Pure && !op.operands().is_empty())
        .filter(|op| op.operands().iter().all(scalar) && matches!(op.result(), OpResult::Is(_)))
        .collect()
}

/// A program over three inputs of each type, with an array of ints written and read at computed indices.
fn program(random: &mut Random, ops: &[Op], length: usize, ints: ClassId) -> ir::Function {
    let params: Vec<Type> = SCALARS.iter().flat_map(|ty| [*ty; 3]).collect();
    let mut builder = Builder::new("f", &params, Some(Type::I32));
    let mut regs: Vec<(Type, Reg)> = params.iter().zip(0..).map(|(ty, i)| (*ty, Reg(i))).collect();
    let len = builder.const_i32(4);
    let mask = builder.const_i32(3);
    let array = builder.value(Type::Ref, Op::NewArray, ints.0, len.0, 0);
    for _ in 0..length {
        let of = |random: &mut Random, regs: &[(Type, Reg)], ty: Type| {
            let fitting: Vec<Reg> = regs.iter().filter(|(t, _)| *t == ty).map(|(_, r)| *r).collect();
            // Later registers more often: deeper terms.
            let from = if random.below(3) == 0 { 0 } else { fitting.len().saturating_sub(4) };
            fitting[from + random.below(fitting.len() - from)]
        };
        let pick = random.below(10);
        let int = of(random, &regs, Type::I32);
        if pick == 0 {
            let index = builder.value(Type::I32, Op::AndI32, int.0, mask.0, 0);
            let value = of(random, &regs, Type::I32);
            builder.effect(Op::AStoreI32, array.0, index.0, value.0);
        } else if pick == 1 {
            let index = builder.value(Type::I32, Op::AndI32, int.0, mask.0, 0);
            let value = builder.value(Type::I32, Op::ALoadI32, array.0, index.0, 0);
            regs.push((Type::I32, value));
        } else if pick == 2 {
            let ty = SCALARS[random.below(SCALARS.len())];
            let condition = of(random, &regs, Type::I1);
            let (x, y) = (of(random, &regs, ty), of(random, &regs, ty));
            let value = builder.value(ty, Op::Select, condition.0, x.0, y.0);
            regs.push((ty, value));
        } else {
            let op = ops[random.below(ops.len())];
            let words: Vec<u32> = op
                .operands()
                .iter()
                .map(|o| match o {
                    Operand::Reg(ty) => of(random, &regs, *ty).0,
                    _ => 0,
                })
                .collect();
            // The divisor of a division is guarded; an odd number is never zero.
            let mut words = [words[0], words.get(1).copied().unwrap_or(0)];
            match op {
                Op::SDivI32 | Op::SRemI32 | Op::UDivI32 | Op::URemI32 => {
                    let one = builder.const_i32(1);
                    words[1] = builder.value(Type::I32, Op::OrI32, words[1], one.0, 0).0;
                }
                Op::SDivI64 | Op::SRemI64 | Op::UDivI64 | Op::URemI64 => {
                    let one = builder.const_i64(1);
                    words[1] = builder.value(Type::I64, Op::OrI64, words[1], one.0, 0).0;
                }
                _ => {}
            }
            let OpResult::Is(ty) = op.result() else { continue };
            let value = builder.value(ty, op, words[0], words[1], 0);
            regs.push((ty, value));
        }
    }
    // Everything flows into the result.
    let mut result = of_all(&mut builder, &regs[params.len()..]);
    let last = builder.value(Type::I32, Op::ALoadI32, array.0, mask.0, 0);
    result = builder.value(Type::I32, Op::XorI32, result.0, last.0, 0);
    builder.ret(Some(result));
    builder.finish()
}

/// A mixture of all values, in which a change of any one shows.
fn of_all(builder: &mut Builder, regs: &[(Type, Reg)]) -> Reg {
    let mut result = builder.const_i32(0);
    for (ty, reg) in regs {
        let int = match ty {
            Type::I1 => builder.value(Type::I32, Op::I1ToI32, reg.0, 0, 0),
            Type::I32 => *reg,
            Type::I64 => {
                let folded = builder.const_i32(32);
                let high = builder.value(Type::I64, Op::LShrI64, reg.0, folded.0, 0);
                let mixed = builder.value(Type::I64, Op::XorI64, high.0, reg.0, 0);
                builder.value(Type::I32, Op::I64ToI32, mixed.0, 0, 0)
            }
            Type::F32 => builder.value(Type::I32, Op::F32Bits, reg.0, 0, 0),
            _ => {
                let bits = builder.value(Type::I64, Op::F64Bits, reg.0, 0, 0);
                let folded = builder.const_i32(32);
                let high = builder.value(Type::I64, Op::LShrI64, bits.0, folded.0, 0);
                let mixed = builder.value(Type::I64, Op::XorI64, high.0, bits.0, 0);
                builder.value(Type::I32, Op::I64ToI32, mixed.0, 0, 0)
            }
        };
        let three = builder.const_i32(31);
        let scaled = builder.value(Type::I32, Op::MulI32, result.0, three.0, 0);
        result = builder.value(Type::I32, Op::AddI32, scaled.0, int.0, 0);
    }
    result
}

fn machine(function: ir::Function) -> (Vm<TextLang>, FuncId) {
    let mut module = ir::text::parse_module("array Ints of i32\n").expect("a module").module;
    let func = module.func_id("f");
    module.define(func, function);
    let errors = ir::verify_module(&module);
    assert!(errors.is_empty(), "{errors:?}\n{}", text(&module));
    let mut vm = Vm::new(TextLang::new(module), 1 << 20);
    vm.freeze();
    (vm, func)
}

fn text(module: &Module) -> String {
    ir::text::print_module(module)
}

#[test]
fn terms_have_the_values_of_the_run() {
    let ops = pure_ops();
    assert!(ops.len() > 80, "only {} pure opcodes", ops.len());
    for seed in 0..400 {
        let mut random = Random(seed);
        let length = 1 + random.below(25);
        let function = program(&mut random, &ops, length, ClassId(0));
        let types: Vec<Type> = function.regs.values().take(function.params as usize).map(|r| r.ty).collect();
        let (mut vm, func) = machine(function);
        for _ in 0..5 {
            let bits: Vec<u64> = types.iter().map(|ty| random.bits(*ty)).collect();
            let concrete: Vec<Val> = bits.iter().map(|b| Val::concrete(*b)).collect();
            vm.start_run(Assignment::default());
            let expected = vm.call(func, &concrete);
            assert!(vm.trace.elems.is_empty(), "a run without inputs decides nothing");

            let mut model = Assignment::default();
            let mut args = Vec::new();
            for (i, ty) in types.iter().enumerate() {
                let term = vm.pool.declare(&format!("p{i}"), sort_of(*ty));
                model.set_bits(vm.pool.var_of(term).expect("a variable"), bits[i].into());
                // Some arguments stay concrete, so that both kinds of operands meet.
                let symbolic = random.below(4) != 0;
                args.push(if symbolic { Val { bits: bits[i], term } } else { Val::concrete(bits[i]) });
            }
            vm.start_run(model.clone());
            let outcome = vm.call(func, &args);
            let (Outcome::Returned(Some(a)), Outcome::Returned(Some(b))) = (&expected, &outcome) else {
                panic!("seed {seed}: {expected:?} and {outcome:?}");
            };
            let program = || text(vm.lang.module());
            assert_eq!(a.bits, b.bits, "seed {seed}: the loops differ\n{}", program());
            if b.term.is_some() {
                let value = model.eval(&vm.pool, b.term) as u64;
                assert_eq!(value, b.bits, "seed {seed}: the term differs for {bits:x?}\n{}", program());
            }
            for elem in &vm.trace.elems {
                let holds = model.eval(&vm.pool, vm.trace.taken(elem)) != 0;
                assert!(holds, "seed {seed}: a decision does not hold\n{}", program());
            }
        }
    }
}

/// Each opcode alone, on many operands: names the culprit where the test above only shows a seed.
#[test]
fn each_opcode_has_the_right_term() {
    for op in pure_ops() {
        let OpResult::Is(ret) = op.result() else { continue };
        let types: Vec<Type> = op
            .operands()
            .iter()
            .map(|o| match o {
                Operand::Reg(ty) => *ty,
                _ => Type::I32,
            })
            .collect();
        let mut builder = Builder::new("f", &types, Some(ret));
        let value = builder.value(ret, op, 0, 1, 0);
        builder.ret(Some(value));
        let mut function = builder.finish();
        function.code[0].b = if types.len() > 1 { 1 } else { 0 };
        let (mut vm, func) = machine(function);
        let mut random = Random(op as u64);
        for _ in 0..200 {
            let bits: Vec<u64> = types.iter().map(|ty| random.bits(*ty)).collect();
            let is_division = op.name().contains("div.i") || op.name().contains("rem.i");
            if is_division && bits[1] == 0 {
                continue;
            }
            for symbolic in 1..1u32 << types.len() {
                let mut model = Assignment::default();
                let mut args = Vec::new();
                for (i, ty) in types.iter().enumerate() {
                    let term = vm.pool.declare(&format!("p{i}"), sort_of(*ty));
                    model.set_bits(vm.pool.var_of(term).expect("a variable"), bits[i].into());
                    let is_symbolic = symbolic >> i & 1 == 1;
                    args.push(if is_symbolic { Val { bits: bits[i], term } } else { Val::concrete(bits[i]) });
                }
                vm.start_run(model.clone());
                let Outcome::Returned(Some(val)) = vm.call(func, &args) else { panic!("{}", op.name()) };
                if val.term.is_none() {
                    continue;
                }
                let value = model.eval(&vm.pool, val.term) as u64;
                // A NaN is a NaN: the machine keeps its payload, terms do not have one.
                let nan = |bits: u64| match ret {
                    Type::F32 => f32::from_bits(bits as u32).is_nan(),
                    Type::F64 => f64::from_bits(bits).is_nan(),
                    _ => false,
                };
                let same = value == val.bits || (nan(value) && nan(val.bits));
                assert!(same, "{} of {bits:x?}: {:x}, but the term is {value:x}", op.name(), val.bits);
            }
        }
    }
}
