//! Symbolic memory: whatever was stored how, the term that a load gives has the value that it loads.

use ir::text::parse_module;
use ir::{MemType, Type};
use term::{Assignment, Sort, TermId};
use vm::{ElemKind, ObjId, Origin, TextLang, Val, View, Vm, sort_of};

const CLASSES: &str = "class Pair {
  a: ref
  b: i64
}
class Small {
  c: i8
}
array Bytes of i8
array Bools of u8
array Shorts of i16
array Chars of u16
array Ints of i32
array Longs of i64
array Floats of f32
array Doubles of f64
";

fn machine() -> Vm<TextLang> {
    let module = parse_module(CLASSES).expect("a module").module;
    let mut vm = Vm::new(TextLang::new(module), 1 << 20);
    vm.freeze();
    vm.start_run(Assignment::default());
    vm
}

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

    fn below(&mut self, n: u32) -> u32 {
        (self.next() % u64::from(n)) as u32
    }
}

/// A new input with this value.
fn input(vm: &mut Vm<TextLang>, name: &str, sort: Sort, bits: u64) -> Val {
    let term = vm.pool.declare(name, sort);
    let var = vm.pool.var_of(term).expect("a variable");
    vm.inputs.model.set_bits(var, bits.into());
    Val { bits, term }
}

fn array(vm: &mut Vm<TextLang>, class: &str, len: u32) -> ObjId {
    let class = vm.lang.module().find_class(class).expect("a class");
    vm.new_array(class, len).expect("memory")
}

/// The term of a value has its value; NaNs are all alike.
fn check(vm: &Vm<TextLang>, val: Val, ty: Type, what: &str) {
    if val.term.is_none() {
        return;
    }
    let value = vm.inputs.model.eval(&vm.pool, val.term) as u64;
    let nan = |bits: u64| match ty {
        Type::F32 => f32::from_bits(bits as u32).is_nan(),
        Type::F64 => f64::from_bits(bits).is_nan(),
        _ => false,
    };
    let same = value == val.bits || (nan(value) && nan(val.bits));
    assert!(same, "{what}: loads {:x}, but the term {} is {value:x}", val.bits, vm.pool.display(val.term));
}

fn check_path(vm: &Vm<TextLang>, what: &str) {
    for elem in &vm.trace.elems {
        let taken = vm.trace.taken(elem);
        let holds = vm.inputs.model.eval(&vm.pool, taken) != 0;
        assert!(holds, "{what}: {} does not hold", vm.pool.display(taken));
    }
}

/// A value of a type, symbolic two times in three.
fn value(vm: &mut Vm<TextLang>, random: &mut Random, ty: Type, name: &str) -> Val {
    let bits = match ty {
        Type::I32 | Type::Ref => random.next() & 0xffff_ffff,
        Type::F32 => u64::from((random.next() as i32 as f32 / 7.0).to_bits()),
        Type::F64 => (random.next() as i64 as f64 / 7.0).to_bits(),
        _ => random.next(),
    };
    match random.below(3) {
        0 => Val::concrete(bits),
        _ => input(vm, name, sort_of(ty), bits),
    }
}

const TYPES: [MemType; 8] = [
    MemType::I8,
    MemType::U8,
    MemType::I16,
    MemType::U16,
    MemType::I32,
    MemType::I64,
    MemType::F32,
    MemType::F64,
];

/// Accesses of every size at every offset, at symbolic indices, and copies, between two arrays of one class.
#[test]
fn loads_have_the_values_of_their_terms() {
    let classes = ["Bytes", "Bools", "Shorts", "Chars", "Ints", "Longs", "Floats", "Doubles"];
    for seed in 0..600 {
        let mut random = Random(seed);
        let mut vm = machine();
        let which = random.below(8) as usize;
        let class = classes[which];
        let elem = vm.lang_elem(class);
        let len = 2 + random.below(6);
        let arrays = [array(&mut vm, class, len), array(&mut vm, class, len)];
        if random.below(2) == 0 {
            make_input(&mut vm, &mut random, arrays[0], elem, len);
        }
        let bytes = len * elem.size();
        for step in 0..30 {
            let what = format!("seed {seed}, {class}, step {step}");
            let object = arrays[random.below(2) as usize];
            match random.below(6) {
                // Through the back door: any type at any offset.
                0 | 1 => {
                    let ty = TYPES[random.below(8) as usize];
                    if ty.size() > bytes {
                        continue;
                    }
                    let offset = random.below(bytes - ty.size() + 1);
                    if random.below(2) == 0 {
                        let val = value(&mut vm, &mut random, ty.reg_type(), &format!("v{step}"));
                        vm.store(object, offset, ty, val).expect("room");
                    }
                    let val = vm.load(object, offset, ty).expect("room");
                    check(&vm, val, ty.reg_type(), &format!("{what}: {ty} at {offset}"));
                }
                // Elements, at indices that may be symbolic.
                2..=4 => {
                    let at = u64::from(random.below(len));
                    let index = match random.below(2) {
                        0 => Val::concrete(at),
                        _ => input(&mut vm, &format!("i{step}"), Sort::Bv(32), at),
                    };
                    if random.below(2) == 0 {
                        let val = value(&mut vm, &mut random, elem.reg_type(), &format!("v{step}"));
                        vm.store_elem(object, index, elem, val).expect("room");
                    }
                    let at = input(&mut vm, &format!("j{step}"), Sort::Bv(32), random.below(len).into());
                    let val = vm.load_elem(object, at, elem).expect("room");
                    check(&vm, val, elem.reg_type(), &what);
                }
                _ => {
                    let count = random.below(len + 1);
                    let (from, to) = (random.below(len - count + 1), random.below(len - count + 1));
                    let other = arrays[random.below(2) as usize];
                    vm.copy_elems(object, from, other, to, count, elem).expect("room");
                }
            }
        }
        for object in arrays {
            for i in 0..len {
                let val = vm.load(object, i * elem.size(), elem).expect("room");
                check(&vm, val, elem.reg_type(), &format!("seed {seed}, {class}[{i}] at the end"));
            }
        }
        check_path(&vm, &format!("seed {seed}"));
    }
}

trait Elem {
    fn lang_elem(&self, class: &str) -> MemType;
}

impl Elem for Vm<TextLang> {
    fn lang_elem(&self, class: &str) -> MemType {
        use vm::Lang;
        let class = self.lang.module().find_class(class).expect("a class");
        self.lang.class_info(class).elem.expect("an array class")
    }
}

/// Makes the elements of an array those of an input, the way the array can show them.
fn make_input(vm: &mut Vm<TextLang>, random: &mut Random, object: ObjId, elem: MemType, len: u32) {
    let (view, sort) = match (elem, random.below(3)) {
        (MemType::I8, 0) => (View::LowBytes { decided: 0 }, Sort::Bv(16)),
        (MemType::I8, 1) if len.is_multiple_of(2) => (View::BothBytes, Sort::Bv(16)),
        _ => (View::Whole, Vm::<TextLang>::cell_sort(elem)),
    };
    let sequence = vm.inputs.sequence(&mut vm.pool, "a", sort);
    let units = if view == View::BothBytes { len / 2 } else { len };
    for i in 0..units {
        let term = vm.inputs.elem(&mut vm.pool, sequence, i);
        let mut bits = random.next() & (u64::MAX >> (64 - sort.bits()));
        if sort.is_float() {
            bits = if sort == Sort::F32 { (i as f32).to_bits().into() } else { f64::from(i).to_bits() };
        }
        match view {
            View::Whole => vm.store_bits(object, i * elem.size(), elem, bits),
            View::LowBytes { .. } => {
                bits &= 0xff;
                vm.heap.write_u8(object, i, bits as u8);
            }
            View::BothBytes => vm.heap.write_u16(object, i * 2, bits as u16),
        }
        let var = vm.pool.var_of(term).expect("a variable");
        vm.inputs.model.set_bits(var, bits.into());
    }
    vm.heap.shadow_mut(object).origin = Some(Origin::new(sequence, view));
}

/// `a[i] = 0; a[j] = 1; a[i]`: 1 if and only if i is j.
#[test]
fn a_write_at_one_symbolic_index_shows_at_another() {
    let mut vm = machine();
    let object = array(&mut vm, "Ints", 4);
    let i = input(&mut vm, "i", Sort::Bv(32), 1);
    let j = input(&mut vm, "j", Sort::Bv(32), 2);
    vm.store_elem(object, i, MemType::I32, Val::i32(0)).expect("room");
    vm.store_elem(object, j, MemType::I32, Val::i32(1)).expect("room");
    let val = vm.load_elem(object, i, MemType::I32).expect("room");
    assert_eq!(val.bits, 0);
    let mut model = vm.inputs.model.clone();
    assert_eq!(model.eval(&vm.pool, val.term), 0);
    model.set_bits(vm.pool.var_of(j.term).expect("a variable"), 1);
    assert_eq!(model.eval(&vm.pool, val.term), 1);
    assert!(vm.trace.elems.is_empty(), "merged, not decided");
}

/// An index inside a symbolic length but beyond this run's is another run's business, and said so.
#[test]
fn an_index_stays_inside_the_length_of_the_run() {
    let mut vm = machine();
    let object = array(&mut vm, "Ints", 4);
    let n = input(&mut vm, "n", Sort::Bv(32), 4);
    vm.heap.shadow_mut(object).len = n.term;
    let i = input(&mut vm, "i", Sort::Bv(32), 3);
    vm.store_elem(object, i, MemType::I32, Val::i32(5)).expect("room");
    assert_eq!(vm.trace.elems.len(), 1);
    assert_eq!(vm.trace.elems[0].kind, ElemKind::Which);
    check_path(&vm, "inside");
}

/// A reference that may be one of two objects reads a field of both, without a decision; an object that has no
/// such field is one this path has excluded.
#[test]
fn a_field_is_read_through_a_symbolic_reference() {
    let mut vm = machine();
    let class = |vm: &Vm<TextLang>, name: &str| vm.lang.module().find_class(name).expect("a class");
    let (pair, small) = (class(&vm, "Pair"), class(&vm, "Small"));
    let first = vm.new_object(pair).expect("memory");
    let second = vm.new_object(pair).expect("memory");
    let third = vm.new_object(small).expect("memory");
    vm.heap.write_u64(first, 8, 11);
    vm.heap.write_u64(second, 8, 22);
    let c = input(&mut vm, "c", Sort::Bool, 1);
    let d = input(&mut vm, "d", Sort::Bool, 1);
    let id = |vm: &mut Vm<TextLang>, o: ObjId| vm.pool.bv(32, o.0.into());
    let (one, two, three) = (id(&mut vm, first), id(&mut vm, second), id(&mut vm, third));
    let rest = vm.pool.ite(d.term, two, three);
    let term: TermId = vm.pool.ite(c.term, one, rest);
    let reference = Val { bits: first.0.into(), term };
    let val = vm.load_through(reference, 8, MemType::I64).expect("room");
    assert_eq!(val.bits, 11);
    assert!(vm.trace.elems.is_empty(), "merged, not decided");
    let mut model = vm.inputs.model.clone();
    assert_eq!(model.eval(&vm.pool, val.term), 11);
    model.set_bits(vm.pool.var_of(c.term).expect("a variable"), 0);
    assert_eq!(model.eval(&vm.pool, val.term), 22);
    let of = vm.instance_of(reference, small).expect("room");
    assert_eq!(model.eval(&vm.pool, of.term), 0);
    model.set_bits(vm.pool.var_of(d.term).expect("a variable"), 0);
    assert_eq!(model.eval(&vm.pool, of.term), 1);
}

/// A table that was frozen, looked up at indices of which more and more is known.
#[test]
fn an_index_that_can_only_be_a_few_is_looked_up_among_those() {
    let module = parse_module(CLASSES).expect("a module").module;
    let mut vm = Vm::new(TextLang::new(module), 1 << 20);
    let table = array(&mut vm, "Ints", 8);
    for i in 0..8 {
        vm.store_bits(table, i * 4, MemType::I32, u64::from(i * i));
    }
    vm.freeze();
    vm.start_run(Assignment::default());
    let index = input(&mut vm, "i", Sort::Bv(32), 5);
    let all = vm.load_elem(table, index, MemType::I32).expect("a value");
    check(&vm, all, Type::I32, "any element");
    let [four, seven] = [4, 7].map(|k| vm.pool.bv(32, k));
    let (least, most) = (vm.pool.ule(four, index.term), vm.pool.ult(index.term, seven));
    vm.decide(ElemKind::Branch, least, true).expect("a decision");
    vm.decide(ElemKind::Branch, most, true).expect("a decision");
    // What follows is no decision.
    vm.decide(ElemKind::Branch, least, true).expect("none");
    let three = vm.pool.bv(32, 3);
    let above = vm.pool.ult(three, index.term);
    vm.decide(ElemKind::Branch, above, true).expect("none");
    assert_eq!(vm.trace.elems.len(), 2);
    let few = vm.load_elem(table, index, MemType::I32).expect("a value");
    check(&vm, few, Type::I32, "one of three elements");
    assert!(vm.pool.display(few.term).to_string().len() < vm.pool.display(all.term).to_string().len());
    // A table that was changed is another one.
    vm.store(table, 20, MemType::I32, Val::concrete(77)).expect("stored");
    let changed = vm.load_elem(table, index, MemType::I32).expect("a value");
    assert_eq!(changed.bits, 77);
    check(&vm, changed, Type::I32, "a changed element");
    let five = vm.pool.bv(32, 5);
    let exactly = vm.pool.eq(index.term, five);
    vm.decide(ElemKind::Branch, exactly, true).expect("a decision");
    assert_eq!(vm.load_elem(table, index, MemType::I32), Ok(Val::concrete(77)));
}
