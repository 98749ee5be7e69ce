//! Which standard streams were closed when the program started.
//!
//! Rust's runtime opens `/dev/null` in the place of those before `main`, so that no file that is opened later gets their numbers: a
//! result that goes there would be lost without a word, and an input that comes from there would be an empty one. `/dev/null` itself
//! tells nothing: who drops a result on purpose gives it too, and some open it for reading and writing, as the runtime does. Only
//! what runs before the runtime can still see it.

use std::sync::atomic::{AtomicBool, Ordering};

/// Standard input, standard output, standard error.
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

    /// Runs before `main` on the only thread, when nothing of std is there yet: it asks the system and sets atomics, no more.
    extern "C" fn look() {
        for (descriptor, closed) in (0..).zip(&CLOSED) {
            // SAFETY: F_GETFD takes no argument and touches no memory; of a closed descriptor it says that.
            let flags = unsafe { fcntl(descriptor, F_GETFD) };
            closed.store(flags < 0, Ordering::Relaxed);
        }
    }

    // SAFETY: the loader calls each address in this section once, as a C function; those that take no arguments ignore the
    // ones that it gives.
    #[used]
    #[unsafe(link_section = ".init_array")]
    static LOOK: extern "C" fn() = look;
}
