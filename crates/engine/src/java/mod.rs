//! Java: how subjects are set up, run and turned into test cases.

mod arrange;
mod beyond;
pub mod case;
pub mod cheapest;
mod circles;
mod claims;
pub mod entries;
pub mod explore;
mod hindrance;
pub mod kotlin;
mod lasting;
mod onward;
pub mod outcome;
mod owed;
pub mod propose;
mod reach;
mod session;
mod settle;
mod simplify;
pub mod spelling;
pub mod subject;
pub mod suspect;
mod telling;
mod turns;
mod unreached;
pub mod value;
mod warm_up;
