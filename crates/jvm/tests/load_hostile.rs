//! Hostile class files: an error, never a panic, a hang or unbounded memory.

use std::path::Path;
use std::time::{Duration, Instant};

use jvm::load::annotation;
use jvm::load::{At, ClassFile, Instr, Jdk, LoadError, Malformed, mutf8};

const JDK_17: &str = "/usr/lib/jvm/java-17-openjdk-amd64";

/// Everything a caller can do with the bytes.
fn exercise(bytes: &[u8]) -> bool {
    let class = match ClassFile::parse(bytes.into()) {
        Ok(class) => class,
        Err(error) => {
            let _ = error.to_string();
            return false;
        }
    };
    for index in 0..class.pool.len() {
        let _ = class.pool.get(index);
        let _ = class.pool.string(index);
    }
    for method in &class.methods {
        let _ = method.bytecode().map_err(|error| error.to_string());
        if let Some(raw) = &method.annotation_default {
            let _ = annotation::default_value(raw, &class.pool);
        }
    }
    let raws = class.methods.iter().map(|method| &method.annotations);
    for raws in
        raws.chain(class.fields.iter().map(|field| &field.annotations)).chain([&class.annotations]).flatten()
    {
        for raw in [&raws.visible, &raws.invisible].into_iter().flatten() {
            let _ = annotation::annotations(raw, &class.pool);
        }
        for raw in [&raws.visible_parameters, &raws.invisible_parameters].into_iter().flatten() {
            let _ = annotation::parameter_annotations(raw, &class.pool);
        }
    }
    true
}

/// Marsaglia's xorshift64: seeded, so that a failure repeats.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

fn seeds() -> Vec<std::sync::Arc<[u8]>> {
    let jdk = Jdk::open(Path::new(JDK_17)).unwrap();
    let names: Vec<String> = jdk.classes().into_iter().filter(|name| name.starts_with("java/")).collect();
    let classes = names.iter().step_by(names.len() / 60).map(|name| jdk.class(name).unwrap().unwrap());
    let module = jdk.module_resource("java.desktop", "module-info.class").unwrap().unwrap();
    classes.filter(|bytes| bytes.len() < 20_000).chain([module]).collect()
}

#[test]
fn mutations() {
    let seeds = seeds();
    assert!(seeds.len() > 40);
    let mut random = Random(0x5eed_1234_5678_9abc);
    let (mut survived, mut slowest) = (0, Duration::ZERO);
    const CASES: usize = 50_000;
    for case in 0..CASES {
        let mut bytes = seeds[case % seeds.len()].to_vec();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len());
            match random.below(6) {
                0 => bytes.truncate(at.max(1)),
                1 => bytes[at] ^= 1 << random.below(8),
                2 => bytes[at] = random.below(256) as u8,
                3 => {
                    let end = (at + 4).min(bytes.len());
                    bytes[at..end].fill(if random.below(2) == 0 { 0xff } else { 0 });
                }
                4 => {
                    let from = random.below(bytes.len());
                    let len = random.below(64).min(bytes.len() - from.max(at));
                    bytes.copy_within(from..from + len, at);
                }
                _ => {
                    let extra: Vec<u8> = (0..random.below(16)).map(|_| random.below(256) as u8).collect();
                    bytes.splice(at..at, extra);
                }
            }
        }
        let start = Instant::now();
        survived += usize::from(exercise(&bytes));
        slowest = slowest.max(start.elapsed());
    }
    // Both ways must be exercised; a class of 20 kB takes well below a millisecond.
    assert!(survived > CASES / 20 && survived < CASES, "{survived} of {CASES} still parse");
    assert!(slowest < Duration::from_secs(5), "{slowest:?}");
}

#[test]
fn every_truncation() {
    let bytes = Jdk::open(Path::new(JDK_17)).unwrap().class("java/util/Optional").unwrap().unwrap();
    for len in 0..bytes.len() {
        assert!(matches!(ClassFile::parse(bytes[..len].into()), Err(LoadError::Malformed(_))), "{len}");
    }
}

/// Builds a class named `T` with one static method `m()V`, whose code is given.
struct Builder {
    pool: Vec<Vec<u8>>,
    major: u16,
    code: Vec<u8>,
    handlers: Vec<[u16; 4]>,
    class_attributes: Vec<Vec<u8>>,
}

fn utf8(text: &[u8]) -> Vec<u8> {
    let mut entry = vec![1];
    entry.extend((text.len() as u16).to_be_bytes());
    entry.extend(text);
    entry
}

impl Builder {
    fn new() -> Builder {
        // #1 T  #2 class T  #3 java/lang/Object  #4 class Object  #5 m  #6 ()V  #7 Code
        let pool = vec![
            utf8(b"T"),
            vec![7, 0, 1],
            utf8(b"java/lang/Object"),
            vec![7, 0, 3],
            utf8(b"m"),
            utf8(b"()V"),
            utf8(b"Code"),
        ];
        Builder { pool, major: 61, code: vec![0xb1], handlers: Vec::new(), class_attributes: Vec::new() }
    }

    fn code(code: &[u8]) -> Builder {
        Builder { code: code.to_vec(), ..Builder::new() }
    }

    fn constant(mut self, entry: &[u8]) -> (Builder, u16) {
        self.pool.push(entry.to_vec());
        let index = self.pool.len() as u16;
        (self, index)
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0];
        bytes.extend(self.major.to_be_bytes());
        bytes.extend((self.pool.len() as u16 + 1).to_be_bytes());
        self.pool.iter().for_each(|entry| bytes.extend(entry));
        bytes.extend([0, 0x21, 0, 2, 0, 4, 0, 0, 0, 0, 0, 1]);
        bytes.extend([0, 9, 0, 5, 0, 6, 0, 1, 0, 7]);
        bytes.extend((12 + self.code.len() as u32 + 8 * self.handlers.len() as u32).to_be_bytes());
        bytes.extend([0, 4, 0, 4]);
        bytes.extend((self.code.len() as u32).to_be_bytes());
        bytes.extend(&self.code);
        bytes.extend((self.handlers.len() as u16).to_be_bytes());
        self.handlers.iter().flatten().for_each(|number| bytes.extend(number.to_be_bytes()));
        bytes.extend([0, 0]);
        bytes.extend((self.class_attributes.len() as u16).to_be_bytes());
        self.class_attributes.iter().for_each(|attribute| bytes.extend(attribute));
        bytes
    }

    fn parse(&self) -> Result<ClassFile, LoadError> {
        ClassFile::parse(self.bytes().into())
    }

    fn what(&self) -> &'static str {
        match self.parse() {
            Err(LoadError::Malformed(malformed)) => malformed.what,
            other => panic!("{other:?}"),
        }
    }

    fn decode(&self) -> Result<Vec<(u16, Instr)>, Malformed> {
        let class = self.parse().unwrap();
        class.methods[0].decode().map(|bytecode| bytecode.unwrap().instrs)
    }

    fn decode_error(&self) -> &'static str {
        self.decode().unwrap_err().what
    }
}

#[test]
fn versions() {
    let of = |major| Builder { major, ..Builder::new() };
    for major in [45, 52, 61, 69] {
        assert!(of(major).parse().is_ok());
    }
    let newer = of(70).parse().unwrap_err().to_string();
    assert_eq!(
        newer,
        "class T has class-file version 70.0, made by Java 26; supported are 45 to 69 (Java 1.1 to Java 25)"
    );
    assert!(of(44).parse().unwrap_err().to_string().contains("made by no known Java"));
    let text = ClassFile::parse(b"#!/bin/sh"[..].into()).unwrap_err().to_string();
    assert!(text.contains("is not a class file"), "{text}");
}

#[test]
fn switches_that_lie() {
    let switch = |op: u8, words: &[i32]| {
        let mut code = vec![0x03, op, 0, 0];
        words.iter().for_each(|word| code.extend(word.to_be_bytes()));
        code.push(0xb1);
        Builder::code(&code)
    };
    // Offsets count from the opcode at 1.
    let good = switch(0xaa, &[19, 5, 5, 19]).decode().unwrap();
    assert!(
        matches!(&good[1].1, Instr::TableSwitch(s) if s.low == 5 && s.targets == [20] && s.default == 20)
    );
    let too_many = "switch has more cases than the code has bytes";
    assert_eq!(switch(0xaa, &[0, i32::MIN, i32::MAX]).decode_error(), too_many);
    assert_eq!(switch(0xaa, &[0, 0, i32::MAX]).decode_error(), too_many);
    assert_eq!(switch(0xaa, &[0, 5, 3]).decode_error(), too_many);
    assert_eq!(switch(0xaa, &[12, 5, 4]).decode_error(), "tableswitch has high below low");
    assert_eq!(switch(0xab, &[0, i32::MAX]).decode_error(), too_many);
    assert_eq!(switch(0xab, &[0, -1]).decode_error(), too_many);
    assert_eq!(switch(0xab, &[0, 2, 7, 0, 7, 0]).decode_error(), "lookupswitch keys are not sorted");
    assert!(switch(0xab, &[11, 0]).decode().is_ok());
}

#[test]
fn code_that_leads_astray() {
    let cases: &[(&[u8], &str)] = &[
        (&[0xa7, 0x7f, 0xff], "branches out of the code"),
        (&[0xa7, 0xff, 0xff], "branches out of the code"),
        (&[0xc8, 0x80, 0, 0, 0], "branches out of the code"),
        (&[0xa7, 0, 1], "branches into the middle of an instruction"),
        (&[0xa7, 0, 3], "branches out of the code"),
        (&[0x00], "control falls off the end of the code"),
        (&[0xb2, 0], "ends too early"),
        (&[0xca], "unknown opcode"),
        (&[0xc4, 0x60, 0, 0], "wide before an opcode that has no wide form"),
        (&[0x15, 4, 0xb1], "local variable is beyond max_locals"),
        (&[0x16, 3, 0xb1], "local variable is beyond max_locals"),
        (&[0xc4, 0x84, 0xff, 0xff, 0, 1, 0xb1], "local variable is beyond max_locals"),
        (&[0xbc, 3, 0xb1], "operand is out of range"),
        (&[0xc5, 0, 2, 0, 0xb1], "multianewarray has no dimension"),
        (&[0xba, 0, 2, 0, 1, 0xb1], "invokedynamic has wrong operands"),
    ];
    for (code, what) in cases {
        assert_eq!(Builder::code(code).decode_error(), *what, "{code:x?}");
    }
    let error = Builder::code(&[0x00, 0xca]).decode().unwrap_err();
    assert_eq!(error.to_string(), "malformed class T in m()V at bytecode 1: unknown opcode");
    assert!(Builder::code(&[]).what().starts_with("code length"));
}

#[test]
fn handlers() {
    let with =
        |handler: [u16; 4]| Builder { handlers: vec![handler], ..Builder::code(&[0x11, 0, 7, 0x57, 0xb1]) };
    assert!(with([0, 5, 4, 0]).decode().is_ok());
    for outside in [[0, 6, 4, 0], [3, 3, 4, 0], [4, 3, 4, 0], [0, 3, 5, 0]] {
        assert_eq!(with(outside).what(), "exception handler is out of the code");
    }
    for between in [[1, 3, 4, 0], [0, 2, 4, 0], [0, 3, 1, 0]] {
        assert_eq!(with(between).decode_error(), "exception handler is not on instruction boundaries");
    }
    // Overlapping handlers are legal: the first that fits is taken.
    let overlapping = Builder { handlers: vec![[0, 4, 4, 0], [3, 5, 3, 2]], ..with([0, 5, 4, 0]) };
    assert!(overlapping.decode().is_ok());
}

#[test]
fn constants() {
    // A class that names itself, a member that is its own class, a handle of a wrong kind.
    let (builder, class) = Builder::new().constant(&[7, 0, 8]);
    let (builder, member) = builder.constant(&[10, 0, 9, 0, 9]);
    let (builder, handle) = builder.constant(&[15, 12, 0, 9]);
    let (builder, _) = builder.constant(&[5, 0, 0, 0, 0, 0, 0, 0, 9]);
    let mut builder = builder;
    builder.pool.push(Vec::new());
    let pool = builder.parse().unwrap().pool;
    let what = |result: Result<&str, Malformed>| result.unwrap_err();
    assert_eq!(
        what(pool.class(class)),
        Malformed { class: "T".into(), at: At::Constant(8), what: "is not a text" }
    );
    assert_eq!(pool.method(member).unwrap_err().what, "is not a name and type");
    assert_eq!(pool.method_handle(handle).unwrap_err().what, "has an unknown method handle kind");
    assert_eq!(pool.long(11).unwrap(), 9);
    for index in [0, 12, 13, u16::MAX] {
        assert_eq!(pool.get(index).unwrap_err().what, "index is not valid");
    }

    assert_eq!(Builder::new().constant(&[2]).0.what(), "unknown constant tag");
    for bad in [&[0xff][..], &[0x00], &[0xc3], &[0xe0, 0x80], &[0xf0, 0x9f, 0x98, 0x80], &[0x80]] {
        assert_eq!(Builder::new().constant(&utf8(bad)).0.what(), "text is not modified UTF-8", "{bad:x?}");
    }
}

#[test]
fn texts() {
    let check = |units: &[u16]| {
        let encoded = mutf8::encode(units);
        assert_eq!(mutf8::decode(&encoded).as_deref(), Some(units));
        let (builder, text) = Builder::new().constant(&utf8(&encoded));
        let (builder, string) = builder.constant(&[8, 0, text as u8]);
        let pool = builder.parse().unwrap().pool;
        assert_eq!(pool.string(string).unwrap(), units);
        let plain = String::from_utf16(units).ok();
        assert_eq!(pool.utf8(text).ok(), plain.as_deref());
    };
    check(&[]);
    check(&[0, 65, 0]);
    check(&"grüße, 世界, 😀".encode_utf16().collect::<Vec<_>>());
    check(&[0xd83d]);
    check(&[0xde00, 0xd83d, 65]);
    check(&(0..=u16::MAX).step_by(7).collect::<Vec<_>>());
}

#[test]
fn attributes() {
    let with = |name: &[u8], content: &[u8]| {
        let (mut builder, index) = Builder::new().constant(&utf8(name));
        let mut attribute = index.to_be_bytes().to_vec();
        attribute.extend((content.len() as u32).to_be_bytes());
        attribute.extend(content);
        builder.class_attributes.push(attribute);
        builder
    };
    assert!(with(b"Unknown", &[1, 2, 3]).parse().is_ok());
    assert!(with(b"SourceFile", &[0, 1]).parse().is_ok());
    assert_eq!(with(b"SourceFile", &[0, 1, 0]).what(), "attribute has a wrong length");
    assert_eq!(with(b"SourceFile", &[0]).what(), "ends too early");
    assert_eq!(with(b"SourceFile", &[0, 2]).what(), "refers to a constant that is not a text");
    assert_eq!(with(b"NestMembers", &[0xff, 0xff]).what(), "ends too early");
    // Too old to have a nest: there it is an unknown attribute.
    assert!(Builder { major: 52, ..with(b"NestMembers", &[0xff, 0xff]) }.parse().is_ok());

    let mut huge = with(b"SourceFile", &[0, 1]);
    huge.class_attributes[0][2..6].fill(0xff);
    assert_eq!(huge.what(), "ends too early");

    // Annotations nested without end.
    let nested: Vec<u8> = [0, 1].into_iter().chain([0, 1, 0, 1, 0, 5, b'@'].repeat(9000)).collect();
    let class = with(b"RuntimeVisibleAnnotations", &nested).parse().unwrap();
    let raw = class.annotations.as_ref().unwrap().visible.as_ref().unwrap();
    assert_eq!(
        annotation::annotations(raw, &class.pool).unwrap_err().what,
        "annotation is nested too deeply"
    );
}

#[test]
fn names_and_descriptors() {
    let with = |name: &[u8], descriptor: &[u8]| {
        let mut builder = Builder::new();
        (builder.pool[4], builder.pool[5]) = (utf8(name), utf8(descriptor));
        builder
    };
    for name in [&b""[..], b"a/b", b"a;", b"[a", b"a.b", b"<a>"] {
        assert_eq!(with(name, b"()V").what(), "method has an illegal name");
    }
    let deep = [b"(".as_slice(), &[b'['; 256], b"I)V"].concat();
    let many = [b"(".as_slice(), &[b'J'; 128], b")V"].concat();
    for descriptor in
        [&b""[..], b"V", b"()", b"(V)V", b"(L;)V", b"(La)V", b"()VV", b"(Q)V", b"([)V", &deep, &many]
    {
        assert_eq!(with(b"m", descriptor).what(), "method has an illegal descriptor");
    }
    assert_eq!(with(b"m", b"(DDD)V").what(), "arguments do not fit max_locals");
}

/// Half a megabyte that names the same 64 kB texts 65535 times: parsed in no time and without copies.
#[test]
fn repeated_large_texts() {
    let mut builder = Builder::new();
    let name = vec![b'm'; 65_535];
    let descriptor = [b"(".as_slice(), &b"L".repeat(255 * 128), b";)V"].concat();
    builder.pool[4] = utf8(&name);
    builder.pool[5] = utf8(&descriptor);
    let mut bytes = builder.bytes();
    // Drop the method and the attributes; declare 65535 abstract methods instead.
    let method_size = 10 + 4 + 12 + builder.code.len() + 2;
    bytes.truncate(bytes.len() - method_size);
    let at = bytes.len() - 2;
    bytes[at..].fill(0xff);
    for _ in 0..65_535 {
        bytes.extend([0x04, 0x01, 0, 5, 0, 6, 0, 0]);
    }
    bytes.extend([0, 0]);
    let start = Instant::now();
    let class = ClassFile::parse(bytes.into()).unwrap();
    assert_eq!(class.methods.len(), 65_535);
    assert!(std::sync::Arc::ptr_eq(&class.methods[0].name, &class.methods[65_534].name));
    assert!(std::sync::Arc::ptr_eq(&class.methods[0].ty, &class.methods[65_534].ty));
    assert!(start.elapsed() < Duration::from_secs(5));
}

/// The index of a real image with random damage: opens or not, answers or errs, and does not hang.
#[test]
fn damaged_images() {
    use std::io::Read;
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join("lib")).unwrap();
    std::fs::write(home.path().join("release"), "JAVA_VERSION=\"17\"").unwrap();
    let mut good = Vec::new();
    std::fs::File::open(format!("{JDK_17}/lib/modules"))
        .unwrap()
        .take(4 << 20)
        .read_to_end(&mut good)
        .unwrap();
    let mut random = Random(42);
    let (mut opened, mut failed) = (0, 0);
    for case in 0..120 {
        let mut bad = good.clone();
        match case % 3 {
            0 => {
                let at = random.below(28);
                bad[at] = random.below(256) as u8;
            }
            1 => (0..2000).for_each(|_| {
                let at = 28 + random.below(bad.len() - 28);
                bad[at] = random.below(256) as u8;
            }),
            _ => bad.truncate(random.below(good.len())),
        }
        std::fs::write(home.path().join("lib/modules"), &bad).unwrap();
        match Jdk::open(home.path()) {
            Ok(jdk) => {
                opened += 1;
                for name in ["java/lang/Object", "java/lang/String", "sun/misc/Unsafe", "nothing/At/All"] {
                    let _ = jdk.class(name).map(|bytes| bytes.map(ClassFile::parse));
                    let _ = jdk.resource(name);
                }
                let _ = jdk.classes();
            }
            Err(error) => {
                failed += 1;
                let _ = error.to_string();
            }
        }
    }
    assert!(opened > 10 && failed > 10, "{opened} opened, {failed} failed");
}
