//! The program `upsweep`, whose parts are in `lib.rs`.

#![deny(unsafe_code)]

mod allocator;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: allocator::OrEnd = allocator::OrEnd;

/// The stack of the thread that a command runs on: the main thread's is as small as the shell says, which may be too little.
const STACK: usize = 8 << 20;
/// The addresses that this thread asks for until it runs: its stack, one for signals, and what is to be done at its end.
const OF_STACK: u64 = STACK as u64 + (1 << 20);

fn main() -> ExitCode {
    if upsweep_cli::addresses_left().is_some_and(|left| left < OF_STACK) {
        eprintln!("upsweep: not enough memory: to start takes {} MiB", OF_STACK >> 20);
        return ExitCode::FAILURE;
    }
    let ended = || upsweep_cli::run_program(std::env::args_os());
    let thread = std::thread::Builder::new().name("main".to_owned()).stack_size(STACK).spawn(ended);
    match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        // Where no thread can be had, its own stack may do.
        Err(_) => ended(),
    }
}
