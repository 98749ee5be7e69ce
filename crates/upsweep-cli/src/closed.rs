//! Standard streams that were closed when the program started.
//!
//! Rust's runtime opens `/dev/null` in place of a closed standard stream before `main`, so that no file that is opened
//! later gets its number. A result written there would be lost without a word, and an input read from there would be
//! empty. `/dev/null` itself proves nothing: a user who drops a result on purpose gives it too, and some open it for
//! reading and writing, as the runtime does. Only code that runs before the runtime can still see the closed stream.

use std::sync::atomic::{AtomicBool, Ordering};

/// Whether standard input, standard output and standard error, in this order, were closed when the program started.
static CLOSED: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];

/// Whether descriptor `number` is a standard stream that was closed when the program started.
pub(crate) fn was_closed(number: usize) -> bool {
    CLOSED.get(number).is_some_and(|closed| closed.load(Ordering::Relaxed))
}

#[cfg(target_os = "linux")]
#[allow(
    unsafe_code,
    reason = "std has nothing that runs before its runtime, and no way to ask for a descriptor that may be closed"
)]
mod early {
    use super::{CLOSED, Ordering};
    use std::ffi::c_int;

    const F_GETFD: c_int = 1;

    unsafe extern "C" {
        fn fcntl(descriptor: c_int, command: c_int, ...) -> c_int;
    }

    /// Records the closed streams. It runs before `main` on the only thread, when nothing of std is set up yet: it only
    /// asks the system and sets atomics.
    extern "C" fn look() {
        for (descriptor, closed) in (0..).zip(&CLOSED) {
            // SAFETY: F_GETFD takes no argument and touches no memory; for a closed descriptor it returns an error.
            let flags = unsafe { fcntl(descriptor, F_GETFD) };
            closed.store(flags < 0, Ordering::Relaxed);
        }
    }

    // SAFETY: the loader calls each address in this section once, as a C function. A function without parameters
    // ignores the arguments that the loader passes.
    #[used]
    #[unsafe(link_section = ".init_array")]
    static LOOK: extern "C" fn() = look;
}
