//! Natives of `java.*`.

pub mod io;
pub mod lang;
mod net;
mod security;
mod util;
mod zip;

use super::Row;

pub(super) fn tables() -> Vec<&'static [Row]> {
    [io::tables(), lang::tables(), net::tables(), security::tables(), util::tables(), zip::tables()].concat()
}
