//! Thread pool of the CPU.

use crate::failure::{note, quoted};
use rayon::prelude::*;
use rayon::{ThreadBuilder, ThreadPoolBuilder};
use std::sync::{Barrier, Mutex, Once, PoisonError};
use std::{io, thread};

/// Environment variable that sets the number of threads. It is rayon's own, so that it means the same as in other
/// programs.
const VARIABLE: &str = "RAYON_NUM_THREADS";
/// Maximum number of threads. No machine has more cores of use, and rayon starts as many threads as it is asked for.
const MOST: usize = 1024;
/// Bytes of address space for a thread, more than it takes until it computes: a stack of 2 MiB, a signal stack, and the
/// cleanup at its end.
const OF_THREAD: u64 = 4 << 20;
/// Barrier at which a new thread and the thread that has started it meet.
static STARTED: Barrier = Barrier::new(2);

/// Returns the number of threads that compute, as text. The first call starts them, and must come from the thread that
/// will call the library.
pub(crate) fn started() -> String {
    static START: Once = Once::new();
    START.call_once(start);
    match rayon::current_num_threads() {
        1 => "1 thread".to_owned(),
        n => format!("{n} threads"),
    }
}

/// Calls `of` with the number of each item and the item, on all threads of the pool, until one fails. What is called is a
/// `dyn Fn`, so that rayon is compiled once and not for each type of elements.
///
/// # Errors
/// That of an item that fails.
pub(crate) fn each<T: Send, E: Send>(
    items: impl IntoIterator<Item = T>,
    of: &(dyn Fn(usize, T) -> Result<(), E> + Sync),
) -> Result<(), E> {
    // Each is locked once, by the thread that takes it.
    let items: Vec<_> = items.into_iter().map(|item| Mutex::new(Some(item))).collect();
    let take = |at: usize| items[at].lock().unwrap_or_else(PoisonError::into_inner).take();
    all(items.len(), &|at| take(at).map_or(Ok(()), |item| of(at, item)))
}

fn all<E: Send>(count: usize, of: &(dyn Fn(usize) -> Result<(), E> + Sync)) -> Result<(), E> {
    (0..count).into_par_iter().try_for_each(of)
}

fn start() {
    let threads = ThreadPoolBuilder::new().num_threads(wanted());
    let started = if addresses_left().is_some() {
        threads.spawn_handler(start_one).start_handler(|_| _ = STARTED.wait()).build_global()
    } else {
        threads.build_global()
    };
    let Err(error) = started else { return };
    // If rayon cannot start its threads, because of a limit on processes for instance, its own first use would panic.
    note(&format!("the CPU's threads do not start ({error}): one computes. {VARIABLE} asks for fewer"));
    match ThreadPoolBuilder::new().num_threads(1).use_current_thread().build() {
        // The pool that consists of this thread stays for as long as the program runs.
        Ok(pool) => std::mem::forget(pool),
        Err(error) => note(&format!("one thread does not compute either: {error}")),
    }
}

/// Returns how many bytes of address space are left, if they are limited (`ulimit -v`).
pub fn addresses_left() -> Option<u64> {
    #[cfg(target_os = "linux")]
    {
        let limit = rustix::process::getrlimit(rustix::process::Resource::As).current?;
        let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
        let pages: u64 = pages.split(' ').next()?.parse().ok()?;
        Some(limit.saturating_sub(pages * rustix::param::page_size() as u64))
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// Starts a thread if there is address space for it, and waits until it runs. A thread without space for its signal
/// stack or its cleanup would end the program by a signal.
fn start_one(thread: ThreadBuilder) -> io::Result<()> {
    if addresses_left().is_some_and(|left| left < OF_THREAD) {
        return Err(io::ErrorKind::OutOfMemory.into());
    }
    thread::Builder::new().spawn(move || thread.run())?;
    STARTED.wait();
    Ok(())
}

/// Returns the number of threads that the environment variable asks for. 0 stands for one for each core.
fn wanted() -> usize {
    let Some(text) = std::env::var_os(VARIABLE).filter(|text| !text.is_empty()) else { return 0 };
    let text = text.to_string_lossy();
    match text.trim().parse::<usize>() {
        Ok(n) if n <= MOST => n,
        Ok(_) => {
            note(&format!("{VARIABLE}={text}: {MOST} threads are started, which is the most"));
            MOST
        }
        Err(_) => {
            note(&format!(
                "{VARIABLE} is {}, which is no number of threads: there is one for each core",
                quoted(&text)
            ));
            0
        }
    }
}
