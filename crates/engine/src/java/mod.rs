//! Java: how subjects are set up, run and turned into test cases.

mod arrange;
mod asserts;
mod beyond;
pub mod case;
pub mod cheapest;
mod circles;
mod claims;
pub mod entries;
pub mod explore;
mod facts;
mod given;
mod guard;
mod handlers;
mod hindrance;
pub mod kotlin;
mod lasting;
mod onward;
pub mod outcome;
mod owed;
pub mod propose;
mod reach;
mod recorded;
mod session;
mod settle;
mod shorten;
mod simplify;
pub mod spelling;
pub mod subject;
pub mod suspect;
mod telling;
mod turns;
mod typed;
mod unreached;
pub mod value;
mod warm_up;

pub use session::processor_time;
