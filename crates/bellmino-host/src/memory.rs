//! What the system tells of memory, as the lab is handed it.

use std::fs;

use bellmino_lab::Memory;

/// The memory of this machine: most of what is free, 4 GiB where the system does not tell.
pub const MEMORY: Memory = Memory {
    free: || Some(status_bytes("/proc/meminfo", "MemAvailable:").map_or(4 << 30, |free| free / 10 * 9)),
    peak: || status_bytes("/proc/self/status", "VmHWM:"),
};

/// A number of bytes that the system tells, where it does.
fn status_bytes(file: &str, key: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(key))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kibibytes| 1024 * kibibytes)
}
