//! Progress bar for long work on a terminal.

use indicatif::{BinaryBytes, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::{Cell, RefCell};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Duration of the work after which the bar appears.
const LONG: Duration = Duration::from_millis(700);
/// Interval between two updates of the bar.
const INTERVAL: Duration = Duration::from_millis(100);

/// Counts bytes, and shows the progress on standard error once the work turns out to be long.
#[derive(Debug)]
pub(crate) struct Progress {
    doing: &'static str,
    /// Total number of bytes of the work, if known.
    total: Option<u64>,
    done: Cell<u64>,
    started: Instant,
    /// Time of the last update of the bar, from the start of the work.
    said: Cell<Duration>,
    bar: RefCell<Option<ProgressBar>>,
    wanted: bool,
}

impl Progress {
    pub(crate) fn new(doing: &'static str, total: Option<u64>) -> Self {
        // The bar needs two terminals: beside results in a pipe it would disturb the program that reads the pipe, a
        // pager for instance.
        let wanted = std::io::stderr().is_terminal() && std::io::stdout().is_terminal();
        let (done, said) = (Cell::new(0), Cell::new(Duration::ZERO));
        Self { doing, total, done, started: Instant::now(), said, bar: RefCell::new(None), wanted }
    }

    /// Counts `bytes` more bytes as done.
    pub(crate) fn step(&self, bytes: usize) {
        let done = self.done.get() + bytes as u64;
        self.done.set(done);
        if !self.wanted {
            return;
        }
        let mut bar = self.bar.borrow_mut();
        let elapsed = self.started.elapsed();
        if bar.is_none() && elapsed >= LONG {
            *bar = Some(self.bar().with_position(done));
        }
        // The text is built only as often as the bar is drawn, as building it takes longer than a step.
        if let Some(bar) = &*bar
            && elapsed >= self.said.get() + INTERVAL
        {
            self.said.set(elapsed);
            bar.set_prefix(told(done, self.total, elapsed));
            bar.set_position(done);
        }
    }

    fn bar(&self) -> ProgressBar {
        let bar = ProgressBar::with_draw_target(self.total, ProgressDrawTarget::stderr_with_hz(10));
        let template = match self.total {
            Some(_) => "{msg} {bar:30} {prefix}",
            None => "{msg} {spinner} {prefix}",
        };
        // The bar is not drawn before its first update.
        match ProgressStyle::with_template(template) {
            Ok(style) => bar.with_style(style).with_message(self.doing),
            Err(_) => bar,
        }
    }
}

/// Returns the text of the bar: bytes done, mean speed since the start, and the time left at that speed. The estimate
/// of indicatif's bar would begin with the bar, and take everything before it for its first step.
fn told(done: u64, total: Option<u64>, elapsed: Duration) -> String {
    let a_second = done as f64 / elapsed.as_secs_f64().max(1e-9);
    let (bytes, speed) = (BinaryBytes(done), BinaryBytes(a_second as u64));
    let Some(total) = total else { return format!("{bytes}, {speed}/s") };
    let rest = match total.saturating_sub(done) {
        0 => 0.0,
        // Nobody waits for more seconds than this, and more may not fit a Duration.
        rest => (rest as f64 / a_second).ceil().min(1e9),
    };
    let rest = Duration::from_secs_f64(rest);
    format!("{bytes} of {}, {speed}/s, {:#} left", BinaryBytes(total), HumanDuration(rest))
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get_mut() {
            bar.finish_and_clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speed_is_what_was_done_by_the_time_it_took() {
        const MIB: u64 = 1 << 20;
        let after = |done, total, seconds| told(done * MIB, total, Duration::from_secs_f64(seconds));
        assert_eq!(after(1000, Some(2000 * MIB), 2.5), "1000.00 MiB of 1.95 GiB, 400.00 MiB/s, 3s left");
        assert_eq!(after(2000, Some(2000 * MIB), 5.0), "1.95 GiB of 1.95 GiB, 400.00 MiB/s, 0s left");
        assert_eq!(after(1, Some(u64::MAX), 1.0), "1.00 MiB of 16.00 EiB, 1.00 MiB/s, 32y left");
        assert_eq!(after(0, Some(5), 1.0), "0 B of 5 B, 0 B/s, 32y left");
        assert_eq!(after(0, Some(0), 1.0), "0 B of 0 B, 0 B/s, 0s left");
        assert_eq!(after(3, None, 1.5), "3.00 MiB, 2.00 MiB/s");
    }
}
