//! A progress bar for long work on a terminal.

use indicatif::{BinaryBytes, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::cell::{Cell, RefCell};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Work shorter than this shows no bar.
const LONG: Duration = Duration::from_millis(700);
/// From one picture of the bar to the next.
const INTERVAL: Duration = Duration::from_millis(100);

/// Counts bytes, and shows them on standard error once the work turns out to be long.
#[derive(Debug)]
pub(crate) struct Progress {
    doing: &'static str,
    /// The bytes in all, where they are known.
    total: Option<u64>,
    done: Cell<u64>,
    started: Instant,
    /// When the bar last said how fast it goes, from the start.
    said: Cell<Duration>,
    bar: RefCell<Option<ProgressBar>>,
    wanted: bool,
}

impl Progress {
    pub(crate) fn new(doing: &'static str, total: Option<u64>) -> Self {
        // A bar beside a pipe would disturb what reads the pipe, a pager for instance.
        let wanted = std::io::stderr().is_terminal() && std::io::stdout().is_terminal();
        let (done, said) = (Cell::new(0), Cell::new(Duration::ZERO));
        Self { doing, total, done, started: Instant::now(), said, bar: RefCell::new(None), wanted }
    }

    /// `bytes` more are done.
    pub(crate) fn step(&self, bytes: usize) {
        let done = self.done.get() + bytes as u64;
        self.done.set(done);
        if !self.wanted {
            return;
        }
        let mut bar = self.bar.borrow_mut();
        let elapsed = self.started.elapsed();
        if bar.is_none() && elapsed >= LONG {
            *bar = Some(self.bar(done));
        }
        // As often as the bar is drawn: what it says is text, which takes longer to make than a step.
        if let Some(bar) = &*bar
            && elapsed >= self.said.get() + INTERVAL
        {
            self.said.set(elapsed);
            bar.set_prefix(speed(done, self.total, elapsed));
            bar.set_position(done);
        }
    }

    fn bar(&self, done: u64) -> ProgressBar {
        let bar = ProgressBar::with_draw_target(self.total, ProgressDrawTarget::stderr_with_hz(10));
        let template = match self.total {
            Some(_) => "{msg} {bar:30} {bytes} of {total_bytes}, {prefix}",
            None => "{msg} {spinner} {bytes}, {prefix}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(self.doing);
        bar.with_position(done)
    }
}

/// The mean speed from the start on, and how long the rest takes at that speed. The bar's own estimate would begin when the
/// bar does, with all that was done before as its first step.
fn speed(done: u64, total: Option<u64>, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64().max(1e-9);
    let a_second = done as f64 / seconds;
    let speed = format!("{}/s", BinaryBytes(a_second as u64));
    match total {
        Some(total) if a_second > 0.0 => {
            let rest = total.saturating_sub(done) as f64 / a_second;
            // Longer than that nobody waits, and a Duration may not hold it.
            let rest = Duration::from_secs_f64(rest.ceil().min(1e9));
            format!("{speed}, {:#} left", HumanDuration(rest))
        }
        _ => speed,
    }
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
        let after = |done, total, seconds| speed(done * MIB, total, Duration::from_secs_f64(seconds));
        assert_eq!(after(1000, Some(2000 * MIB), 2.5), "400.00 MiB/s, 3s left");
        assert_eq!(after(2000, Some(2000 * MIB), 5.0), "400.00 MiB/s, 0s left");
        assert_eq!(after(1, Some(u64::MAX), 1.0), "1.00 MiB/s, 32y left");
        assert_eq!(after(0, Some(5), 1.0), "0 B/s");
        assert_eq!(after(3, None, 1.5), "2.00 MiB/s");
    }
}
