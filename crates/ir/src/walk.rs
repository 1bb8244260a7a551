//! The way of one activation through a function, step by step, as runs record it for criteria that ask for more than
//! single points. Here for the same reason as coverage points: the machine marks it and stands above that crate.

use crate::types::BlockId;

/// A step of an activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Move {
    /// A block is entered: the first one when the function is called, a landing block after [`Move::Raise`].
    Block(BlockId),
    /// The branch at this code index takes the successor at this position.
    Take { index: u32, successor: u32 },
    /// An exception left the instruction at this code index.
    Raise(u32),
}
