//! Any bytes as a class file: parse it, then read everything a caller can ask of it.
#![no_main]

use jvm::load::{ClassFile, RawAnnotations, annotation};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let class = match ClassFile::parse(data.into()) {
        Ok(class) => class,
        Err(error) => {
            let _ = error.to_string();
            return;
        }
    };
    for index in 0..class.pool.len() {
        let _ = class.pool.get(index);
        let _ = class.pool.string(index);
    }
    let read = |raws: &Option<Box<RawAnnotations>>| {
        if let Some(raws) = raws {
            for raw in [&raws.visible, &raws.invisible].into_iter().flatten() {
                let _ = annotation::annotations(raw, &class.pool);
            }
            for raw in [&raws.visible_parameters, &raws.invisible_parameters].into_iter().flatten() {
                let _ = annotation::parameter_annotations(raw, &class.pool);
            }
        }
    };
    read(&class.annotations);
    class.fields.iter().for_each(|field| read(&field.annotations));
    for method in &class.methods {
        read(&method.annotations);
        if let Some(raw) = &method.annotation_default {
            let _ = annotation::default_value(raw, &class.pool);
        }
        if let Ok(Some(bytecode)) = method.bytecode() {
            // What decoding promises: targets are instructions, and the code does not run off its end.
            for (_, instr) in &bytecode.instrs {
                instr.targets(|target| assert!(bytecode.index_of(target).is_some()));
            }
            assert!(bytecode.instrs.last().is_some_and(|(_, last)| last.ends_flow()));
        }
    }
});
