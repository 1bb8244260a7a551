//! Bytecode that javac does not write: subroutines, wide forms, stack acrobatics, broken code, missing classes.

mod lower_common;

use std::cell::RefCell;
use std::path::Path;

use jvm::Jvm;
use jvm::link::ClassOrigin;
use jvm::load::ClassFile;
use lower_common::{JDK, booted, compile_on, open};
use vm::{Outcome, Val, Vm};

/// A class file with one static method `run`, and constants for it.
struct Assembler {
    pool: Vec<Vec<u8>>,
}

impl Assembler {
    fn new() -> Assembler {
        Assembler { pool: Vec::new() }
    }

    fn constant(&mut self, tag: u8, bytes: &[u8]) -> u16 {
        let entry = [&[tag], bytes].concat();
        let known = self.pool.iter().position(|e| *e == entry);
        let index = known.unwrap_or_else(|| {
            self.pool.push(entry);
            self.pool.len() - 1
        });
        index as u16 + 1
    }

    fn utf8(&mut self, text: &str) -> u16 {
        let bytes = [&(text.len() as u16).to_be_bytes(), text.as_bytes()].concat();
        self.constant(1, &bytes)
    }

    fn class(&mut self, name: &str) -> u16 {
        let name = self.utf8(name);
        self.constant(7, &name.to_be_bytes())
    }

    fn member(&mut self, tag: u8, class: &str, name: &str, descriptor: &str) -> u16 {
        let (class, name, descriptor) = (self.class(class), self.utf8(name), self.utf8(descriptor));
        let pair = self.constant(12, &[name.to_be_bytes(), descriptor.to_be_bytes()].concat());
        self.constant(tag, &[class.to_be_bytes(), pair.to_be_bytes()].concat())
    }

    /// Handlers are start, end, target, class.
    fn finish(mut self, descriptor: &str, code: &[u8], handlers: &[[u16; 4]]) -> ClassFile {
        let (this, object) = (self.class("Raw"), self.class("java/lang/Object"));
        let (name, descriptor, attribute) = (self.utf8("run"), self.utf8(descriptor), self.utf8("Code"));
        let mut body = Vec::new();
        body.extend(20u16.to_be_bytes());
        body.extend(300u16.to_be_bytes());
        body.extend((code.len() as u32).to_be_bytes());
        body.extend(code);
        body.extend((handlers.len() as u16).to_be_bytes());
        body.extend(handlers.iter().flatten().flat_map(|word| word.to_be_bytes()));
        body.extend(0u16.to_be_bytes());
        let mut file: Vec<u8> = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 48];
        file.extend((self.pool.len() as u16 + 1).to_be_bytes());
        file.extend(self.pool.iter().flatten());
        for word in [0x21, this, object, 0, 0, 1, 9, name, descriptor, 1, attribute] {
            file.extend(word.to_be_bytes());
        }
        file.extend((body.len() as u32).to_be_bytes());
        file.extend(body);
        file.extend(0u16.to_be_bytes());
        ClassFile::parse(file.into()).expect("the class is well-formed")
    }
}

/// What a run did, with the class of what it threw.
#[derive(Debug, PartialEq)]
enum Did {
    Returned(i32),
    Threw(String),
}

/// Runs in a world that the tests of a thread share.
fn run(file: ClassFile, args: &[Val]) -> Did {
    thread_local! {
        static WORLD: RefCell<Option<Vm<Jvm>>> = const { RefCell::new(None) };
    }
    WORLD.with_borrow_mut(|world| {
        let vm = world.get_or_insert_with(|| booted(JDK, &std::env::temp_dir()));
        vm.start_run(Default::default());
        let class = vm.lang.define(file, ClassOrigin::User, true).expect("the class links");
        let func = vm.lang.classes[class].functions().next().expect("a method");
        match vm.call(func, args) {
            Outcome::Returned(Some(value)) => Did::Returned(value.as_i32()),
            Outcome::Threw(exception) => {
                Did::Threw(vm.lang.classes[vm.heap.class(exception)].name.to_string())
            }
            other => panic!("{other:?}"),
        }
    })
}

fn returns(descriptor: &str, code: &[u8], args: &[Val]) -> i32 {
    match run(Assembler::new().finish(descriptor, code, &[]), args) {
        Did::Returned(value) => value,
        other => panic!("{other:?}"),
    }
}

fn throws(file: ClassFile, args: &[Val]) -> String {
    match run(file, args) {
        Did::Threw(class) => class,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_subroutine_is_called_from_two_places() {
    // s = 1; jsr sub; jsr sub; return s;  sub: s = s * 10 + 7; ret
    let code = [
        0x04, 0x3b, // 0: iconst_1; istore_0
        0xa8, 0, 8, // 2: jsr 10
        0xa8, 0, 5, // 5: jsr 10
        0x1a, 0xac, // 8: iload_0; ireturn
        0x4c, // 10: astore_1
        0x1a, 0x10, 10, 0x68, 0x10, 7, 0x60, 0x3b, // 11: s * 10 + 7
        0xa9, 1, // 19: ret 1
    ];
    assert_eq!(returns("()I", &code, &[]), 177);
}

#[test]
fn subroutines_nest_and_may_be_left_without_ret() {
    // Outer calls inner; inner leaves both by a jump when the parameter is 0.
    let code = [
        0xa8, 0, 6, // 0: jsr 6
        0x08, 0xac, // 3: iconst_5; ireturn
        0x00, // 5
        0x4c, // 6: astore_1
        0xa8, 0, 5, // 7: jsr 12
        0xa9, 1,    // 10: ret 1
        0x4d, // 12: astore_2
        0x1a, 0x99, 0, 5, // 13: iload_0; ifeq 19
        0xa9, 2, // 17: ret 2
        0x03, 0xac, // 19: iconst_0; ireturn
    ];
    assert_eq!(returns("(I)I", &code, &[Val::i32(1)]), 5);
    assert_eq!(returns("(I)I", &code, &[Val::i32(0)]), 0);
}

#[test]
fn a_subroutine_in_a_loop_that_is_left_by_a_jump_ends() {
    // do { jsr sub; back: } …; sub: pop; if (--n > 0) goto loop; return n + 40
    let code = [
        0xa8, 0, 3,    // 0: jsr 3
        0x57, // 3: pop
        0x84, 0, 0xff, // 4: iinc 0 -1
        0x1a, 0x9d, 0xff, 0xf8, // 7: iload_0; ifgt 0
        0x1a, 0x10, 40, 0x60, 0xac, // 11
    ];
    assert_eq!(returns("(I)I", &code, &[Val::i32(3)]), 40);
}

#[test]
fn wide_locals_and_increments() {
    let code = [
        0xc4, 0x36, 1, 4, // wide istore 260 (of the parameter, pushed below)
    ];
    let mut whole = vec![0x1a];
    whole.extend(code);
    whole.extend([0xc4, 0x84, 1, 4, 0xfc, 0x18]); // wide iinc 260, -1000
    whole.extend([0xc4, 0x15, 1, 4, 0xac]); // wide iload 260; ireturn
    assert_eq!(returns("(I)I", &whole, &[Val::i32(7)]), -993);
}

#[test]
fn stack_forms_move_words_as_the_specification_says() {
    // dup_x2 over two ints: 1 2 3 -> 3 1 2 3
    let code = [0x04, 0x05, 0x06, 0x5b, 0x68, 0x60, 0x60, 0xac];
    assert_eq!(returns("()I", &code, &[]), 3 + 1 + 6);
    // dup2_x1 of a long under which an int lies: i L -> L i L; l2i of all: L + i - L
    let code = [0x08, 0x0a, 0x5d, 0x88, 0x64, 0x3b, 0x88, 0x1a, 0x60, 0xac];
    assert_eq!(returns("()I", &code, &[]), (5 - 1) + 1);
    // swap, and dup2_x2 of two longs: A B -> B A B
    let code = [0x09, 0x0a, 0x5e, 0x65, 0x65, 0x88, 0x05, 0x5f, 0x64, 0xac];
    assert_eq!(returns("()I", &code, &[]), 2 - (1 - (0 - 1)));
}

#[test]
fn a_local_that_is_overwritten_while_on_the_stack_keeps_its_old_value_there() {
    // x; x; x = 9; x; -> old old 9
    let code = [0x1a, 0x59, 0x10, 9, 0x3b, 0x1a, 0x68, 0x60, 0xac];
    assert_eq!(returns("(I)I", &code, &[Val::i32(4)]), 4 + 4 * 9);
}

#[test]
fn a_loop_with_a_value_on_the_stack() {
    // 100; do { x } while (--n > 0) with the sum kept on the stack.
    let code = [
        0x10, 100, // 0: bipush 100
        0x1a, 0x60, // 2: iload_0; iadd
        0x84, 0, 0xff, // 4: iinc 0 -1
        0x1a, 0x9d, 0xff, 0xfa, // 7: iload_0; ifgt 2
        0xac, // 11
    ];
    assert_eq!(returns("(I)I", &code, &[Val::i32(4)]), 100 + 4 + 3 + 2 + 1);
}

#[test]
fn broken_code_is_a_verify_error_where_it_is_called() {
    let cases: &[&[u8]] = &[
        &[0x60, 0xac],                                                 // iadd on nothing
        &[0x09, 0xac],                                                 // long returned as int
        &[0x1a, 0x99, 0, 4, 0x03, 0x04, 0xac],                         // different heights at a join
        &[0x1a, 0x99, 0, 7, 0x09, 0xa7, 0, 4, 0x03, 0x57, 0x03, 0xac], // different types at a join
        &[0x15, 9, 0xac],                                              // a local that nothing wrote
        &[0x1a, 0xb0],                                                 // int returned as reference
        &[0x0a, 0x5f, 0xac],                                           // swap of half a long
        &[0xa9, 0],                                                    // ret outside
        &[0x12, 99, 0xac],                                             // no such constant
    ];
    for code in cases {
        let file = Assembler::new().finish("(I)I", code, &[]);
        assert_eq!(throws(file, &[Val::i32(1)]), "java/lang/VerifyError", "{code:x?}");
    }
}

#[test]
fn what_is_missing_fails_where_it_is_used_and_only_there() {
    let missing = |build: &dyn Fn(&mut Assembler) -> Vec<u8>, argument: i32| {
        let mut assembler = Assembler::new();
        let used = build(&mut assembler);
        // if (n == 0) return 0; else use it
        let mut code = vec![0x1a, 0x9a, 0, 5, 0x03, 0xac];
        code.extend(used);
        let file = assembler.finish("(I)I", &code, &[]);
        if argument == 0 {
            assert_eq!(run(file, &[Val::i32(0)]), Did::Returned(0));
            return String::new();
        }
        throws(file, &[Val::i32(argument)])
    };
    let with = |op: u8, cp: u16, tail: &[u8]| [&[op][..], &cp.to_be_bytes(), tail].concat();
    type Build = Box<dyn Fn(&mut Assembler) -> Vec<u8>>;
    let cases: Vec<(Build, &str)> = vec![
        (Box::new(move |a| with(0xbb, a.class("no/Such"), &[0x57, 0x03, 0xac])), "NoClassDefFoundError"),
        (
            Box::new(move |a| with(0xb2, a.member(9, "java/lang/System", "nope", "I"), &[0xac])),
            "NoSuchFieldError",
        ),
        (
            Box::new(move |a| with(0xb8, a.member(10, "java/lang/Math", "nope", "()I"), &[0xac])),
            "NoSuchMethodError",
        ),
        (
            Box::new(move |a| with(0xb8, a.member(10, "java/lang/Object", "hashCode", "()I"), &[0xac])),
            "IncompatibleClassChangeError",
        ),
        (
            Box::new(move |a| with(0xb8, a.member(11, "java/lang/Math", "abs", "()I"), &[0xac])),
            "IncompatibleClassChangeError",
        ),
        (Box::new(move |a| with(0xbb, a.class("java/util/List"), &[0x57, 0x03, 0xac])), "InstantiationError"),
        (
            Box::new(move |a| [&[0x12][..], &[a.class("no/Such") as u8], &[0x57, 0x03, 0xac]].concat()),
            "NoClassDefFoundError",
        ),
    ];
    for (build, expected) in &cases {
        assert_eq!(missing(build, 1), format!("java/lang/{expected}"));
        missing(build, 0);
    }
}

#[test]
fn null_passes_a_cast_to_a_class_that_does_not_exist() {
    let mut assembler = Assembler::new();
    let [high, low] = assembler.class("no/Such").to_be_bytes();
    let code = [0x01, 0xc0, high, low, 0xc1, high, low, 0xac];
    let file = assembler.finish("()I", &code, &[]);
    assert_eq!(run(file, &[]), Did::Returned(0));
}

#[test]
fn a_handler_for_a_missing_class_fails_when_it_is_looked_for() {
    let mut assembler = Assembler::new();
    let missing = assembler.class("no/Such");
    // 1 / n, handler returns 3
    let code = [0x04, 0x1a, 0x6c, 0xac, 0x57, 0x06, 0xac];
    let file = assembler.finish("(I)I", &code, &[[0, 4, 4, missing]]);
    assert_eq!(throws(file.clone(), &[Val::i32(0)]), "java/lang/NoClassDefFoundError");
    assert_eq!(run(file, &[Val::i32(1)]), Did::Returned(1));
}

/// Damaged class files: whatever parses must lower to something that verifies.
#[test]
fn damaged_bytecode_never_panics() {
    let sources = [
        ("Control.java", include_str!("lower_programs/Control.java")),
        ("Lambdas.java", include_str!("lower_programs/Lambdas.java")),
        ("Strings.java", include_str!("lower_programs/Strings.java")),
    ];
    let folder = compile_on(JDK, &sources, &["-g"]);
    let mut jvm = open(folder.path());
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below.max(1) as u64) as usize
    };
    let mut lowered = 0;
    for name in ["Control", "Lambdas", "Strings", "Strings$P", "Lambdas$Tri"] {
        let bytes = std::fs::read(Path::new(folder.path()).join(format!("{name}.class"))).expect("compiled");
        for _ in 0..150 {
            let mut damaged = bytes.clone();
            for _ in 0..1 + next(3) {
                let at = next(damaged.len());
                damaged[at] = match next(3) {
                    0 => damaged[at] ^ (1 << next(8)),
                    1 => next(256) as u8,
                    _ => damaged[next(bytes.len())],
                };
            }
            let Ok(file) = ClassFile::parse(damaged.into()) else { continue };
            let Ok(class) = jvm.define(file, ClassOrigin::User, true) else { continue };
            for func in jvm.classes[class].functions() {
                let Some(function) = jvm.ir(func) else { continue };
                assert!(ir::verify(&function, &jvm).is_empty());
                lowered += 1;
            }
        }
    }
    assert!(lowered > 1000, "{lowered}");
}
