//! Locks that outlive a panic: what a thread left behind when it failed is whole, since every change is made in one go.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Waits for the value and takes it, whoever had it before.
pub fn locked<T: ?Sized>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}
