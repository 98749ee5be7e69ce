//! Where memory is missing the program says so and ends with exit code 1.
//!
//! Most of what asks for memory cannot live without: `Vec::push`, and what a dependency does. Where the allocator has nothing for
//! it, Rust's runtime aborts, and no stable Rust changes that. So this allocator does not come back with nothing: it ends the program.
//!
//! What can live without gets the chance to say whose memory is missing, and to leave in order. An allocator cannot see who asks: these
//! places say it beforehand, by [`upsweep::memory`]. A place that does not, such as a dependency's own `try_reserve`, costs a message no
//! more than the name of a file.
//!
//! An unfinished output has no name on Linux, and nothing is left of it; where it has one, it stays, as when a signal kills the program.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The system's allocator, or the end.
pub(crate) struct OrEnd;

// SAFETY: all memory is the system's, in the layouts asked for.
#[allow(unsafe_code, reason = "an allocator is")]
unsafe impl GlobalAlloc for OrEnd {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the layout is as large as the caller has promised.
        found(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the layout is as large as the caller has promised.
        found(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the memory is the system's, of this layout, and the size is one that the caller may ask for.
        found(unsafe { System.realloc(memory, layout, size) }, size)
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the memory is the system's, of this layout.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// `memory`, if it is there or its absence is answered.
#[inline]
fn found(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() && !upsweep::memory::is_asking() {
        end(bytes);
    }
    memory
}

/// Nothing here may ask for memory, wait for a lock, or run what is to be run at a program's end.
#[cold]
fn end(bytes: usize) -> ! {
    static ENDS: AtomicBool = AtomicBool::new(false);
    if ENDS.swap(true, Ordering::SeqCst) {
        // Another thread speaks.
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

/// Writes to standard error past its lock, which this thread may hold.
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
