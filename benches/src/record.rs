//! Writer of a record: a header about the measurements and the machine, then comma-separated rows.

use crate::format::{COLUMNS, HEADER_KEYS};
use crate::{Options, Outcome};
use std::fs::File;
use std::io::{self, Write};
use std::time::{SystemTime, UNIX_EPOCH};

/// Record that is being written. Rows are written at once, so that a failure loses no earlier measurement.
pub struct Record {
    out: Box<dyn Write>,
}

/// Row of a record: one measurement of one library.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// Name of the library that did the work: `upsweep`; `copy` and `loop` are the copy and the plain loop beside it.
    pub lib: &'a str,
    /// Name of the algorithm, such as `inclusive_sum`.
    pub algo: &'a str,
    /// Name of the type of the elements.
    pub ty: &'a str,
    /// Number of elements, as the exponent of a power of two.
    pub log2n: u32,
    /// Time of one call in microseconds.
    pub micros: f64,
    /// Number of bytes that the work must read and write.
    pub bytes: f64,
    /// Bandwidth of a copy of as many elements, in GB/s.
    pub copy_gbps: f64,
    /// Time in microseconds for which the call keeps the host busy, if it returns before the work is done.
    pub enqueue_micros: Option<f64>,
}

impl Record {
    /// Opens the record and writes its header. `versions` are those that only the bench knows, such as the driver's.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn create(options: &Options, machine: &str, versions: &str) -> Outcome<Self> {
        let mut out: Box<dyn Write> = match &options.out {
            Some(path) => Box::new(File::create(path).map_err(|error| format!("{}: {error}", path.display()))?),
            None => Box::new(io::stdout()),
        };
        for (key, value) in head(machine, versions) {
            writeln!(out, "# {key}: {value}")?;
        }
        writeln!(out, "{COLUMNS}")?;
        Ok(Self { out })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn row(&mut self, row: &Row<'_>) -> Outcome {
        let Row { lib, algo, ty, log2n, micros, bytes, copy_gbps, enqueue_micros } = row;
        let gbps = bytes / micros / 1e3;
        let share = gbps / copy_gbps;
        let enqueue = enqueue_micros.map_or_else(String::new, |micros| format!("{micros:.2}"));
        writeln!(self.out, "{lib},{algo},{ty},{log2n},{micros:.3},{gbps:.2},{share:.4},{enqueue}")?;
        self.out.flush()?;
        Ok(())
    }
}

/// Returns the header of a record: keys with their values. `versions` are those that only the bench knows.
#[must_use]
pub fn head(machine: &str, versions: &str) -> [(&'static str, String); HEADER_KEYS.len()] {
    let (upsweep, rustc) = (env!("CARGO_PKG_VERSION"), env!("UPSWEEP_RUSTC"));
    let versions = format!("upsweep {upsweep}, {rustc}, {}{versions}", system());
    let [machine_key, date_key, versions_key, commit_key] = HEADER_KEYS;
    let commit = env!("UPSWEEP_COMMIT").to_owned();
    [(machine_key, machine.to_owned()), (date_key, today()), (versions_key, versions), (commit_key, commit)]
}

/// Returns the processor's name and the number of threads used.
#[must_use]
pub fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ").map(|(_, name)| name));
    format!("{}, {} threads", name.unwrap_or(std::env::consts::ARCH).trim(), rayon::current_num_threads())
}

/// Returns the operating system's name and, where its kernel has a file for it, its version.
fn system() -> String {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    // The part of the release after the hyphen is the distributor's.
    let release = release.split('-').next().unwrap_or_default().trim();
    format!("{} {release}", std::env::consts::OS).trim_end().to_owned()
}

/// Returns the date in UTC, as `2026-11-21`.
fn today() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    date(now.as_secs() / 86400)
}

/// Returns the date `days` after 1 January 1970. Years are counted from March, so that the leap day is the last one.
fn date(days: u64) -> String {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
    format!("{:04}-{month:02}-{day:02}", era * 400 + year)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_follow_the_calendar() {
        let expected = [(0, "1970-01-01"), (11_016, "2000-02-29"), (11_017, "2000-03-01"), (20_778, "2026-11-21")];
        for (days, text) in expected {
            assert_eq!(date(days), text);
        }
    }
}
