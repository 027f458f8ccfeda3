//! The clock of this machine, as the lab is handed it.

use std::sync::OnceLock;
use std::time::Instant;

use bellmino_lab::Clock;

/// Time that goes on whatever becomes of the time of day.
pub const CLOCK: Clock = Clock(|| {
    static BEGIN: OnceLock<Instant> = OnceLock::new();
    BEGIN.get_or_init(Instant::now).elapsed()
});
