//! Natives of `jdk.internal.*` (`sun.misc` and `sun.reflect` before Java 9).

mod constant_pool;
mod misc;
mod properties;
mod reflect;
mod resources;
mod unsafe_access;
mod unsafe_class;
mod unsafe_memory;

pub(crate) use misc::{NOTHING, REGISTER};
pub use properties::Environment;
pub(crate) use unsafe_access::{BASE as OFFSET_BASE, at_address, put_at_address};
pub(crate) use unsafe_memory::{allocate, block_at};

use super::Row;

pub(super) fn tables() -> Vec<&'static [Row]> {
    vec![
        constant_pool::ROWS,
        misc::ROWS,
        properties::ROWS,
        reflect::ROWS,
        resources::ROWS,
        unsafe_access::ROWS,
        unsafe_access::ROWS_11,
        unsafe_access::ROWS_8,
        unsafe_class::ROWS,
        unsafe_memory::ROWS,
    ]
}
