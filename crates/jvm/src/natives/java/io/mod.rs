//! Natives of `java.io`: the virtual console and file system.

mod file_system;
mod files;
mod streams;

pub(crate) use files::{
    CLASS_PATH, Entry, NotOpened, look_up, normal, note_change, note_connection, open, open_folder,
};
pub use files::{Files, tried_to_reach_out};
pub use streams::Console;

use crate::natives::Row;

pub(super) fn tables() -> Vec<&'static [Row]> {
    vec![file_system::ROWS, streams::ROWS]
}
