//! Memory: the lab does not ask the system, it is told.

/// Who knows how much memory there is.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// Most of what is free, in bytes; no limit where nobody knows.
    pub free: fn() -> Option<u64>,
    /// The most that this process has used so far, where the system tells.
    pub peak: fn() -> Option<u64>,
}

impl Memory {
    /// Nobody knows.
    pub const UNKNOWN: Memory = Memory { free: || None, peak: || None };
}

impl Default for Memory {
    fn default() -> Memory {
        Memory::UNKNOWN
    }
}
