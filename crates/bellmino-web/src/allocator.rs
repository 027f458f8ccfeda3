//! Memory that goes back to the system when its page has gone.
//!
//! A solver's numbers are a few blocks of many MiB. The GNU allocator maps such blocks by themselves and returns them as soon as
//! they are free, but the first one that is freed raises the size from which it does so, up to 32 MiB; from then on they come
//! out of the heaps of its threads and stay there. After fifty heavy pages had gone, the lab kept 118 MiB of which it used 68.

/// Blocks of this size and more are mapped by themselves.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MAPPED: libc::c_int = 1 << 20;

/// Has large blocks returned to the system as soon as they are free, whatever was freed before. Says whether the allocator will;
/// others than that of GNU are left as they are.
pub fn return_large_blocks() -> bool {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // SAFETY: two numbers go in and a number comes out. If the allocator refuses, it is as it was.
        unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, MAPPED) == 1 }
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    false
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;
    use std::hint::black_box;

    /// Memory of this process in MiB.
    fn resident() -> u64 {
        let text = std::fs::read_to_string("/proc/self/statm").unwrap();
        text.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 256
    }

    /// By itself the allocator keeps the second block: the first one has taught it to, and something small lies above.
    #[test]
    fn large_blocks_are_returned() {
        assert!(return_large_blocks());
        let block = |size: usize| black_box(vec![1u8; size << 20]);
        drop(block(31));
        let blocks: Vec<_> = (0..4).map(|_| (block(30), black_box(vec![1u8; 100]))).collect();
        let (full, (large, small)) = (resident(), blocks.into_iter().unzip::<_, _, Vec<_>, Vec<_>>());
        drop(large);
        let left = resident();
        drop(small);
        assert!(full > left + 80, "{full} MiB with the blocks, {left} without");
    }
}
