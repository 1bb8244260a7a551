//! `javap` as the oracle of the decoder: same pcs, same opcodes, same operands.

use std::path::{Path, PathBuf};
use std::process::Command;

use jvm::load::{ClassFile, Instr, Jdk, mnemonic};

const JDK_17: &str = "/usr/lib/jvm/java-17-openjdk-amd64";

/// `pc: mnemonic operand` lines of all methods, switches with their cases, in javap's spelling.
fn ours(class: &ClassFile) -> Vec<String> {
    let mut lines = Vec::new();
    for method in &class.methods {
        let (Some(code), Some(bytecode)) = (&method.code, method.bytecode().unwrap()) else { continue };
        for (pc, instr) in &bytecode.instrs {
            let opcode = code.bytes[usize::from(*pc)];
            let (wide, opcode) =
                if opcode == 0xc4 { ("_w", code.bytes[usize::from(*pc) + 1]) } else { ("", opcode) };
            let mnemonic = mnemonic(opcode).unwrap();
            lines.push(format!("{pc}: {mnemonic}{wide}{}", operands(instr, mnemonic)));
            match instr {
                Instr::TableSwitch(switch) => {
                    let cases = switch.targets.iter().zip(switch.low..);
                    lines.extend(cases.map(|(target, key)| format!("{key}: {target}")));
                    lines.push(format!("default: {}", switch.default));
                }
                Instr::LookupSwitch(switch) => {
                    lines.extend(switch.cases.iter().map(|(key, target)| format!("{key}: {target}")));
                    lines.push(format!("default: {}", switch.default));
                }
                _ => {}
            }
        }
        for handler in &code.handlers {
            lines.push(format!("handler {} {} {}", handler.start, handler.end, handler.handler));
        }
    }
    lines
}

fn operands(instr: &Instr, mnemonic: &str) -> String {
    let short = mnemonic.contains('_') && !mnemonic.starts_with("if_");
    match instr {
        Instr::Int(value) if mnemonic.ends_with("push") => format!(" {value}"),
        Instr::Load(_, slot) | Instr::Store(_, slot) if !short => format!(" {slot}"),
        Instr::Ret(slot) => format!(" {slot}"),
        Instr::Iinc(slot, by) => format!(" {slot}, {by}"),
        Instr::If(_, target)
        | Instr::IfInts(_, target)
        | Instr::IfRefs(_, target)
        | Instr::IfNull(_, target)
        | Instr::Goto(target)
        | Instr::Jsr(target) => format!(" {target}"),
        Instr::NewArray(kind) => format!(" {}", format!("{kind:?}").to_lowercase()),
        Instr::MultiANewArray(cp, dimensions) => format!(" #{cp}, {dimensions}"),
        Instr::InvokeInterface(cp) | Instr::InvokeDynamic(cp) => format!(" #{cp}"),
        Instr::Ldc(cp)
        | Instr::Ldc2(cp)
        | Instr::GetStatic(cp)
        | Instr::PutStatic(cp)
        | Instr::GetField(cp)
        | Instr::PutField(cp)
        | Instr::InvokeVirtual(cp)
        | Instr::InvokeSpecial(cp)
        | Instr::InvokeStatic(cp)
        | Instr::New(cp)
        | Instr::ANewArray(cp)
        | Instr::CheckCast(cp)
        | Instr::InstanceOf(cp) => format!(" #{cp}"),
        _ => String::new(),
    }
}

fn javap(files: &[PathBuf]) -> Vec<String> {
    let output = Command::new(format!("{JDK_17}/bin/javap")).args(["-c", "-p"]).args(files).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines = Vec::new();
    for line in text.lines() {
        let (line, _comment) = line.split_once("//").unwrap_or((line, ""));
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let is_number = |word: &str| word.strip_suffix(':').unwrap_or(word).parse::<i64>().is_ok();
        match words.as_slice() {
            ["default:", target] => lines.push(format!("default: {target}")),
            [from, to, target, "any"] | [from, to, target, "Class", _]
                if is_number(from) && is_number(to) =>
            {
                lines.push(format!("handler {from} {to} {target}"));
            }
            // The argument count that follows the constant is dropped: we validate it and keep no copy.
            [pc, op @ ("invokeinterface" | "invokedynamic"), cp, ..] => {
                lines.push(format!("{pc} {op} {}", cp.trim_end_matches(',')));
            }
            [pc, op @ ("tableswitch" | "lookupswitch"), ..] => lines.push(format!("{pc} {op}")),
            [pc, rest @ ..] if pc.ends_with(':') && is_number(pc) => {
                lines.push(format!("{pc} {}", rest.join(" ").trim_end()));
            }
            _ => {}
        }
    }
    lines
}

fn compare(files: &[PathBuf]) -> usize {
    let mut mine = Vec::new();
    for file in files {
        let class = ClassFile::parse(std::fs::read(file).unwrap().into()).unwrap_or_else(|e| panic!("{e}"));
        mine.extend(ours(&class));
    }
    let theirs = javap(files);
    for (index, (mine, theirs)) in mine.iter().zip(&theirs).enumerate() {
        assert_eq!(mine, theirs, "line {index}");
    }
    assert_eq!(mine.len(), theirs.len());
    mine.len()
}

#[test]
fn decodes_what_javap_shows() {
    let jdk = Jdk::open(Path::new(JDK_17)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let names = [
        "java/lang/String",
        "java/lang/Math",
        "java/lang/Double",
        "java/lang/Character",
        "java/lang/CharacterData00",
        "java/util/HashMap",
        "java/util/regex/Pattern",
        "java/math/BigInteger",
        "java/util/Formatter",
        "java/util/concurrent/ConcurrentHashMap",
        "java/lang/invoke/MethodHandles$Lookup",
        "sun/security/ssl/CipherSuite",
        "jdk/internal/math/FloatingDecimal",
        "java/lang/invoke/LambdaForm",
        "jdk/internal/org/objectweb/asm/ClassReader",
    ];
    let files: Vec<PathBuf> = names
        .iter()
        .enumerate()
        .map(|(index, name)| {
            let file = folder.path().join(format!("C{index}.class"));
            std::fs::write(&file, jdk.class(name).unwrap().unwrap()).unwrap();
            file
        })
        .collect();
    assert!(compare(&files) > 30_000);
}

/// Wide locals and far jumps, which the JDK's own code hardly has.
#[test]
fn decodes_wide_forms_as_javap_does() {
    let folder = tempfile::tempdir().unwrap();
    let mut source = String::from("class Wide { static long f(int n) {\n");
    for index in 0..300 {
        source += &format!("long v{index} = n + {index}; ");
    }
    source += "int far = n; far += 1000; far++; double d = far; float g = n; Object o = \"x\"; int[][][] a = new int[n][2][];\n";
    source += "for (int i = 0; i < n; i++) { switch (i) { case 1: case 2: far++; break; case 1000: far--; default: far += 7; }\n";
    for index in 0..2500 {
        source += &format!("v{} += v{} * i;\n", index % 300, (index * 7) % 300);
    }
    source += "} return v1 + far + (long) d + (long) g + o.hashCode() + a.length; } }";
    std::fs::write(folder.path().join("Wide.java"), source).unwrap();
    let status = Command::new(format!("{JDK_17}/bin/javac"))
        .arg("-d")
        .arg(folder.path())
        .arg(folder.path().join("Wide.java"))
        .status()
        .unwrap();
    assert!(status.success());
    let file = folder.path().join("Wide.class");
    assert!(compare(std::slice::from_ref(&file)) > 10_000);
    let class = ClassFile::parse(std::fs::read(file).unwrap().into()).unwrap();
    let code = class.method("f", "(I)J").unwrap().code.as_ref().unwrap();
    assert!(
        code.bytes.contains(&0xc4) && code.bytes.contains(&0xc8),
        "the source no longer makes wide forms"
    );
}
