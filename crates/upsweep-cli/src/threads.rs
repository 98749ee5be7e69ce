//! The threads of the CPU.

use crate::failure::{note, quoted};
use rayon::ThreadPoolBuilder;
use std::sync::Once;

/// The variable that says how many; rayon's own, so that it means the same as in other programs.
const VARIABLE: &str = "RAYON_NUM_THREADS";
/// No machine has more cores of use, and rayon starts as many threads as it is told to.
const MOST: usize = 1024;

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
    let Err(error) = ThreadPoolBuilder::new().num_threads(wanted()).build_global() else { return };
    // Where rayon cannot start its threads (a limit of processes), its own first use would panic.
    note(&format!("the CPU's threads do not start ({error}): one computes. {VARIABLE} asks for fewer"));
    match ThreadPoolBuilder::new().num_threads(1).use_current_thread().build() {
        // The pool of this thread, for as long as the program runs.
        Ok(pool) => std::mem::forget(pool),
        Err(error) => note(&format!("one thread does not compute either: {error}")),
    }
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
