//! Global allocator that ends the program with a message and exit code 1 if memory runs out.
//!
//! Most allocations have no way to report a failure: `Vec::push`, and those of dependencies. If the allocator returns
//! null there, Rust's runtime aborts, and no stable Rust changes that. So this allocator ends the program instead of
//! returning null.
//!
//! Code that handles a failed allocation gets null: it can name the input whose memory is missing, and leave in order.
//! An allocator cannot see its caller, so this code announces itself beforehand by [`upsweep_core::memory`]. Code that does
//! not, such as a dependency's own `try_reserve`, only costs the message the name of the file.
//!
//! An unfinished output has no name on Linux, and nothing is left of it. Where it has a name, it stays, as when a
//! signal kills the program.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// System allocator that ends the program if an allocation fails.
pub(crate) struct OrEnd;

// SAFETY: every method passes its layout on to the system's allocator and returns what that returns, or ends the
// program.
#[allow(unsafe_code, reason = "an allocator is")]
unsafe impl GlobalAlloc for OrEnd {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the layout's size is not 0, as the caller of `alloc` promises.
        found(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the layout's size is not 0, as the caller of `alloc_zeroed` promises.
        found(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller of `realloc` guarantees that `memory` was allocated here, so by the system, with this
        // layout, and that the new size is not 0.
        found(unsafe { System.realloc(memory, layout, size) }, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller of `dealloc` guarantees that `memory` was allocated here, so by the system, with this
        // layout.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Returns `memory`, or ends the program if it is null and the caller has not announced by [`upsweep_core::memory`]
/// that it handles a failed allocation.
#[inline]
fn found(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() && !upsweep_core::memory::is_asking() {
        end(bytes);
    }
    memory
}

/// Ends the program with a message. Nothing here may allocate, wait for a lock, or run exit handlers.
#[cold]
fn end(bytes: usize) -> ! {
    static ENDS: AtomicBool = AtomicBool::new(false);
    if ENDS.swap(true, Ordering::SeqCst) {
        // Another thread is already ending the program with this message.
        loop {
            std::thread::sleep(Duration::from_secs(1));
        }
    }
    let mut line = [0; 100];
    let room = line.len();
    let mut rest = &mut line[..];
    let _ = writeln!(rest, "upsweep: not enough memory: there are no {bytes} bytes more");
    let len = room - rest.len();
    say(line.get(..len).unwrap_or_default());
    signal_hook::low_level::exit(1)
}

/// Writes `line` to standard error without the lock of [`std::io::stderr`], which this thread may hold.
#[cfg(unix)]
fn say(line: &[u8]) {
    use std::os::fd::AsFd;
    if let Ok(error) = std::io::stderr().as_fd().try_clone_to_owned() {
        let _ = std::fs::File::from(error).write_all(line);
    }
}

#[cfg(not(unix))]
fn say(line: &[u8]) {
    let _ = std::io::stderr().write_all(line);
}
