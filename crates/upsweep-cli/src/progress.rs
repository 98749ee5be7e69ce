//! A progress bar for long work on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::{Cell, RefCell};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Work shorter than this shows no bar.
const LONG: Duration = Duration::from_millis(700);

/// Counts bytes, and shows them on standard error once the work turns out to be long.
#[derive(Debug)]
pub(crate) struct Progress {
    doing: &'static str,
    /// The bytes in all, where they are known.
    total: Option<u64>,
    done: Cell<u64>,
    started: Instant,
    bar: RefCell<Option<ProgressBar>>,
    wanted: bool,
}

impl Progress {
    pub(crate) fn new(doing: &'static str, total: Option<u64>) -> Self {
        // A bar beside a pipe would disturb what reads the pipe, a pager for instance.
        let wanted = std::io::stderr().is_terminal() && std::io::stdout().is_terminal();
        Self { doing, total, done: Cell::new(0), started: Instant::now(), bar: RefCell::new(None), wanted }
    }

    /// `bytes` more are done.
    pub(crate) fn step(&self, bytes: usize) {
        let done = self.done.get() + bytes as u64;
        self.done.set(done);
        if !self.wanted {
            return;
        }
        let mut bar = self.bar.borrow_mut();
        match &*bar {
            Some(bar) => bar.set_position(done),
            None if self.started.elapsed() >= LONG => *bar = Some(self.bar(done)),
            None => {}
        }
    }

    fn bar(&self, done: u64) -> ProgressBar {
        let bar = ProgressBar::with_draw_target(self.total, ProgressDrawTarget::stderr_with_hz(10));
        let template = match self.total {
            Some(_) => "{msg} {bar:30} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left",
            None => "{msg} {spinner} {bytes}, {bytes_per_sec}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(self.doing);
        bar.with_elapsed(self.started.elapsed()).with_position(done)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get_mut() {
            bar.finish_and_clear();
        }
    }
}
