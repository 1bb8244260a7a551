//! State of natives that lives outside the heap and goes back with it between runs.

use crate::world::RunState;
use std::ops::{Deref, DerefMut};

/// A value with the copy that [`reset`](RunState::reset) goes back to. The copy is taken back only if the value
/// was touched.
#[derive(Default)]
pub struct Saved<T> {
    now: T,
    frozen: T,
    touched: bool,
}

impl<T> Deref for Saved<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.now
    }
}

impl<T> DerefMut for Saved<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.touched = true;
        &mut self.now
    }
}

impl<T: Clone + Send + 'static> RunState for Saved<T> {
    fn fork(&self) -> Box<dyn RunState> {
        // Not `Clone`: copying the value must not copy this.
        Box::new(Saved { now: self.now.clone(), frozen: self.frozen.clone(), touched: self.touched })
    }

    fn freeze(&mut self) {
        self.frozen = self.now.clone();
        self.touched = false;
    }

    fn is_untouched(&self) -> bool {
        !self.touched
    }

    fn reset(&mut self) {
        if self.touched {
            self.now = self.frozen.clone();
            self.touched = false;
        }
    }
}
