//! Interrupts: a signal ends the program, but leaves no unfinished file that has a name, and none beside a finished
//! one.
//!
//! An unfinished file usually has no name and goes away with the process, so that signals need no handler. Signals are
//! held while it has a name, and from the moment at which it takes its place: the first is noticed at the next write,
//! or comes too late.

use crate::failure::{Failure, Result};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

#[cfg(target_os = "linux")]
const SIGNALS: [i32; 3] = [SIGINT, SIGTERM, signal_hook::consts::SIGHUP];
/// Signals that are handled on systems other than Linux, which do not report the signals that are ignored. SIGHUP is
/// left out, so that `nohup` works there, too.
#[cfg(not(target_os = "linux"))]
const SIGNALS: [i32; 2] = [SIGINT, SIGTERM];

#[derive(Default)]
struct Signals {
    /// Number of the signal that came while signals were held, or 0.
    came: Arc<AtomicUsize>,
    /// Whether a signal ends the program at once, because signals are not held.
    at_once: Arc<AtomicBool>,
}

static HANDLED: OnceLock<Signals> = OnceLock::new();

/// Holds signals from here on: a signal is only recorded.
pub(super) fn hold() {
    let signals = HANDLED.get_or_init(|| {
        let signals = Signals::default();
        for signal in SIGNALS.into_iter().filter(|&signal| !is_ignored(signal)) {
            // If the handler cannot be installed, a signal still ends the program, at worst beside a file that is not
            // finished.
            let _ = flag::register_conditional_default(signal, signals.at_once.clone());
            let _ = flag::register_usize(signal, signals.came.clone(), signal as usize);
        }
        signals
    });
    signals.at_once.store(false, Ordering::SeqCst);
}

/// Lets signals end the program at once again. Fails with a signal that was held, which then ends the program.
pub(super) fn release() -> Result<()> {
    if let Some(signals) = HANDLED.get() {
        signals.at_once.store(true, Ordering::SeqCst);
    }
    check()
}

/// Fails with a signal that was held, if one came.
pub(super) fn check() -> Result<()> {
    came().map_or(Ok(()), |signal| Err(Failure::Interrupted(signal)))
}

fn came() -> Option<i32> {
    let signal = HANDLED.get()?.came.load(Ordering::SeqCst);
    i32::try_from(signal).ok().filter(|&signal| signal != 0)
}

/// Ends the program as `signal` would have done without a handler.
pub(crate) fn end_by(signal: i32) -> ExitCode {
    let _ = low_level::emulate_default_handler(signal);
    // On Unix the signal has ended the program. On other systems a shell sees this exit code.
    ExitCode::from(u8::try_from(128 + signal).unwrap_or(1))
}

/// Writer to the inner one that fails as soon as a signal was held.
pub(super) struct Watched<W>(pub(super) W);

impl<W: Write> Write for Watched<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match came() {
            Some(_) => Err(io::Error::other("interrupted")),
            None => self.0.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Whether the program was started with this signal ignored, as `nohup` and a shell's background jobs are.
#[cfg(target_os = "linux")]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}

#[cfg(not(target_os = "linux"))]
fn is_ignored(_: i32) -> bool {
    false
}
