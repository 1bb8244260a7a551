//! Natives of `java.lang.reflect`.

mod array;

use crate::natives::Row;

pub(super) fn tables() -> Vec<&'static [Row]> {
    vec![array::ROWS]
}
