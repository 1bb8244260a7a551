//! Natives of `sun.*`.

mod misc;
mod nio;

use super::Row;

pub(super) fn tables() -> Vec<&'static [Row]> {
    vec![misc::ROWS, nio::ROWS]
}
