//! Java: how subjects are set up, run and turned into test cases.

mod arrange;
pub mod case;
pub mod cheapest;
mod claims;
pub mod entries;
pub mod explore;
pub mod kotlin;
pub mod outcome;
pub mod propose;
mod session;
mod settle;
pub mod spelling;
pub mod subject;
pub mod suspect;
mod turns;
mod unreached;
pub mod value;
mod warm_up;
