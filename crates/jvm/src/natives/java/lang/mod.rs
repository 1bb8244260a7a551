//! Natives of `java.lang`.

mod arrays;
mod chance;
mod character;
mod class;
mod class_define;
mod class_loader;
mod class_members;
mod clock;
mod identity;
mod integer;
mod invoke;
mod math;
mod module;
mod numbers;
mod object;
mod process;
mod references;
mod reflect;
mod stack_walker;
mod strict_math;
mod string;
mod string_affix;
mod string_compare;
mod string_map;
mod system;
mod text;
mod thread;
mod throwable;

pub use clock::Clock;

pub(crate) use class_members::{field_of_object, func_of_object};
pub(crate) use identity::{by_value, has_value_identity, same_by_value};
pub(crate) use system::decide_value;
pub(crate) use thread::{RUNNABLE, set_status, thread_interrupted};
pub(crate) use throwable::{line, recorded};

use crate::natives::Row;

pub(super) fn tables() -> Vec<&'static [Row]> {
    let mut tables = vec![
        arrays::ROWS,
        character::ROWS,
        chance::ROWS,
        class::ROWS,
        class_define::ROWS,
        class_loader::ROWS,
        class_members::ROWS,
        clock::ROWS,
        identity::ROWS,
        integer::ROWS,
        math::ROWS,
        module::ROWS,
        numbers::ROWS,
        object::ROWS,
        process::ROWS,
        references::ROWS,
        stack_walker::ROWS,
        strict_math::ROWS,
        string::ROWS,
        string_affix::ROWS,
        string_compare::ROWS,
        string_map::ROWS,
        system::ROWS,
        thread::ROWS,
        throwable::ROWS,
    ];
    tables.extend(invoke::tables());
    tables.extend(reflect::tables());
    tables
}
