//! The threads of the CPU.

use crate::failure::{note, quoted};
use rayon::{ThreadBuilder, ThreadPoolBuilder};
use std::sync::{Barrier, Once};
use std::{io, thread};

/// The variable that says how many; rayon's own, so that it means the same as in other programs.
const VARIABLE: &str = "RAYON_NUM_THREADS";
/// No machine has more cores of use, and rayon starts as many threads as it is told to.
const MOST: usize = 1024;
/// More than a thread asks for before it computes: a stack of 2 MiB, one for signals, and what is to be done at its end.
const OF_THREAD: u64 = 4 << 20;
/// Where a thread that has started meets the one that has started it.
static STARTED: Barrier = Barrier::new(2);

/// Starts the threads that compute, the first time it is called, from the thread that will call the library. Says how many
/// there are.
pub(crate) fn started() -> String {
    static START: Once = Once::new();
    START.call_once(start);
    match rayon::current_num_threads() {
        1 => "1 thread".to_owned(),
        n => format!("{n} threads"),
    }
}

fn start() {
    let threads = ThreadPoolBuilder::new().num_threads(wanted());
    let started = if addresses_left().is_some() {
        threads.spawn_handler(start_one).start_handler(|_| _ = STARTED.wait()).build_global()
    } else {
        threads.build_global()
    };
    let Err(error) = started else { return };
    // Where rayon cannot start its threads (a limit of processes), its own first use would panic.
    note(&format!("the CPU's threads do not start ({error}): one computes. {VARIABLE} asks for fewer"));
    match ThreadPoolBuilder::new().num_threads(1).use_current_thread().build() {
        // The pool of this thread, for as long as the program runs.
        Ok(pool) => std::mem::forget(pool),
        Err(error) => note(&format!("one thread does not compute either: {error}")),
    }
}

/// The bytes of addresses that there still are, where they are limited (`ulimit -v`).
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

/// Starts a thread if there are addresses for it, and waits until it computes: of one that finds none for its signals' stack, or to note
/// what is to be done at its end, the program would end by a signal.
fn start_one(thread: ThreadBuilder) -> io::Result<()> {
    if addresses_left().is_some_and(|left| left < OF_THREAD) {
        return Err(io::ErrorKind::OutOfMemory.into());
    }
    thread::Builder::new().spawn(move || thread.run())?;
    STARTED.wait();
    Ok(())
}

/// The number of threads that the environment asks for; 0 is one for each core.
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
