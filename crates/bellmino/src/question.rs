//! What analyse asks of an exact solver beside its question.

use bellmino_exact::Watch;
use bellmino_host::MEMORY;

use crate::interrupt;

/// Lets a solver go on until the user interrupts it.
pub struct Interruptible;

impl Watch for Interruptible {
    fn go_on(&self) -> bool {
        interrupt::go_on()
    }
}

/// Most of what is free, where the system tells.
pub fn free_memory() -> u64 {
    (MEMORY.free)().unwrap_or(u64::MAX)
}
