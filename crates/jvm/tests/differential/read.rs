//! Guest values as values of the test kit; the terms of what is read are collected on the way.

use ir::MemType;
use jvm::Jvm;
use jvm::link::{ClassOrigin, string_units};
use jvm::load::{FieldType, access};
use jvm::observe;
use term::TermId;
use testkit::Value;
use vm::{Lang, ObjId, Outcome, Val, Vm};

/// A number or reference that was read: its term, if it has one, and its bits in this run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    pub term: TermId,
    pub bits: u64,
}

/// Reads a finished run.
#[derive(Default)]
pub struct Reader {
    /// Everything met, in order; references only if they are symbolic.
    pub leaves: Vec<Leaf>,
    /// How many leaves there are before the first array of symbolic length or symbolic reference.
    pub before_open: Option<usize>,
    /// A `toString` ran out of its budget, or an array was too long.
    pub incomplete: bool,
}

/// As long as what the oracle sends.
const MAX_LENGTH: u32 = 200_000;

/// As deep as the oracle looks.
const MAX_DEPTH: u32 = 8;

impl Reader {
    pub fn value(&mut self, vm: &mut Vm<Jvm>, val: Val, ty: &FieldType) -> Value {
        self.leaf(val.term, val.bits, matches!(ty, FieldType::Class(_) | FieldType::Array(_)));
        self.typed(vm, val.bits, ty, 0)
    }

    fn typed(&mut self, vm: &mut Vm<Jvm>, bits: u64, ty: &FieldType, depth: u32) -> Value {
        match ty {
            FieldType::Boolean => Value::Bool(bits & 1 != 0),
            FieldType::Byte => Value::Byte(bits as i8),
            FieldType::Short => Value::Short(bits as i16),
            FieldType::Char => Value::Char(bits as u16),
            FieldType::Int => Value::Int(bits as i32),
            FieldType::Long => Value::Long(bits as i64),
            FieldType::Float => Value::Float(f32::from_bits(bits as u32)),
            FieldType::Double => Value::Double(f64::from_bits(bits)),
            FieldType::Class(_) | FieldType::Array(_) => self.object(vm, ObjId(bits as u32), depth),
        }
    }

    /// A cell of an object.
    fn cell(&mut self, vm: &mut Vm<Jvm>, object: ObjId, offset: u32, cell: MemType) -> u64 {
        let bits = vm.load_bits(object, offset, cell);
        let term = vm.load(object, offset, cell).map_or(TermId::NONE, |val| val.term);
        self.leaf(term, bits, cell == MemType::Ref);
        bits
    }

    fn leaf(&mut self, term: TermId, bits: u64, reference: bool) {
        if term.is_some() || !reference {
            self.leaves.push(Leaf { term, bits });
        }
        if term.is_some() && reference {
            self.before_open.get_or_insert(self.leaves.len());
        }
    }

    fn length(&mut self, vm: &Vm<Jvm>, array: ObjId) -> u32 {
        let (term, len) = (vm.heap.len_term(array), vm.heap.len(array));
        self.leaves.push(Leaf { term, bits: len.into() });
        if term.is_some() {
            self.before_open.get_or_insert(self.leaves.len());
        }
        len
    }

    fn object(&mut self, vm: &mut Vm<Jvm>, object: ObjId, depth: u32) -> Value {
        if object.is_null() {
            return Value::Null;
        }
        let class = vm.heap.class(object);
        let name = vm.lang.classes[class].java_name();
        if name == "java.lang.String" {
            let known = &vm.lang.known;
            let value = vm.heap.read_ref(object, known.string_value);
            if known.string_coder.is_some() {
                for i in 0..self.length(vm, value) {
                    self.cell(vm, value, i, MemType::I8);
                }
            }
            return Value::Str(string_units(vm, object));
        }
        if let Some(prim) = box_type(&name) {
            let field = vm.lang.classes[class].fields.iter().find(|f| &*f.name == "value" && !f.is_static());
            let (offset, cell) = field.map(|f| (f.offset, f.ty)).expect("a box has a value");
            let bits = self.cell(vm, object, offset, cell);
            return Value::boxed(self.typed(vm, bits, &prim, depth));
        }
        if vm.heap.len(object) > MAX_LENGTH {
            self.incomplete = true;
            return Value::Null;
        }
        if let Some(FieldType::Array(elem)) = FieldType::parse(&vm.lang.classes[class].name)
            && vm.lang.classes[class].is_array()
            && depth < MAX_DEPTH
        {
            let text = vm.lang.classes[class].name[1..].to_string();
            let cell = Jvm::class_info(&vm.lang, class).elem.unwrap_or(MemType::Ref);
            let item = |this: &mut Self, vm: &mut Vm<Jvm>, i: u32| {
                let bits = this.cell(vm, object, i * cell.size(), cell);
                this.typed(vm, bits, &elem, depth + 1)
            };
            let len = self.length(vm, object);
            return Value::Array(text, (0..len).map(|i| item(self, vm, i)).collect());
        }
        if let observe::Seen::Enum(declared, constant) = shallow(vm, object) {
            return Value::Enum(vm.lang.classes[declared].java_name(), constant);
        }
        let text = self.text_of(vm, object);
        let shown = name.find("$$Lambda").map_or(name.as_str(), |at| &name[..at + "$$Lambda".len()]);
        Value::Object(shown.to_string(), text)
    }

    /// Instance fields of classes under test, superclasses first.
    pub fn fields(&mut self, vm: &mut Vm<Jvm>, object: ObjId) -> Vec<(String, Value)> {
        let class = vm.heap.class(object);
        let chain: Vec<_> = vm.lang.classes[class].ancestors.to_vec();
        let mut found = Vec::new();
        for at in chain {
            let owner = &vm.lang.classes[at];
            if owner.origin == ClassOrigin::Library || owner.is_interface() {
                continue;
            }
            let fields: Vec<_> = owner
                .fields
                .iter()
                .filter(|f| !f.is_static() && f.access & access::SYNTHETIC == 0)
                .map(|f| (f.name.to_string(), f.descriptor.to_string(), f.offset, f.ty))
                .collect();
            for (name, descriptor, offset, cell) in fields {
                let Some(ty) = FieldType::parse(&descriptor) else { continue };
                let bits = self.cell(vm, object, offset, cell);
                found.push((name, self.typed(vm, bits, &ty, 0)));
            }
        }
        found
    }

    /// What an overridden `toString` says.
    fn text_of(&mut self, vm: &mut Vm<Jvm>, object: ObjId) -> Option<String> {
        let class = vm.heap.class(object);
        let resolved = vm.lang.method(class, "toString", "()Ljava/lang/String;").ok()?;
        let func = Jvm::virtual_function(&vm.lang, class, vm.lang.funcs[resolved].slot)?;
        if vm.lang.funcs[func].class == vm.lang.known.object {
            return None;
        }
        match vm.call(func, &[Val::obj(object)]) {
            Outcome::Returned(Some(text)) if text.bits == 0 => Some("null".to_string()),
            Outcome::Returned(Some(text)) => Some(String::from_utf16_lossy(&string_units(vm, text.as_obj()))),
            Outcome::Stopped(_) => {
                self.incomplete = true;
                None
            }
            _ => None,
        }
    }
}

/// Enums only; nothing is asked of the guest for other objects.
fn shallow(vm: &mut Vm<Jvm>, object: ObjId) -> observe::Seen {
    let class = vm.heap.class(object);
    let is_enum = vm.lang.loaded("java/lang/Enum").is_some_and(|base| vm.lang.is_subclass(class, base));
    if is_enum { observe::see_object(vm, object) } else { observe::Seen::Null }
}

fn box_type(name: &str) -> Option<FieldType> {
    Some(match name {
        "java.lang.Boolean" => FieldType::Boolean,
        "java.lang.Byte" => FieldType::Byte,
        "java.lang.Short" => FieldType::Short,
        "java.lang.Character" => FieldType::Char,
        "java.lang.Integer" => FieldType::Int,
        "java.lang.Long" => FieldType::Long,
        "java.lang.Float" => FieldType::Float,
        "java.lang.Double" => FieldType::Double,
        _ => return None,
    })
}
