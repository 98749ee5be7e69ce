//! Entry point of the program `upsweep`. The library crate (`lib.rs`) has the rest.

#![deny(unsafe_code)]

mod allocator;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: allocator::OrEnd = allocator::OrEnd;

/// Stack size in bytes of the thread that a command runs on. The stack of the main thread has the size that the shell's
/// limit says, which may be too small.
const STACK: usize = 8 << 20;
/// Bytes of address space that the command's thread takes until it runs: its stack, a signal stack, and the cleanup at
/// its end.
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
        // If no thread can be started, the stack of the main thread may be enough.
        Err(_) => ended(),
    }
}
