//! Natives of `sun.*`.

mod nio;

use super::Row;

pub(super) fn tables() -> Vec<&'static [Row]> {
    vec![nio::ROWS]
}
