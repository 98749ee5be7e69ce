//! Shared code of the benches: their options, the format of their records, and the numbers that they scan.
//!
//! Method. Outputs are checked before anything is timed. A time is the median of many calls. On the CPU the contestants
//! take turns, so that a slow second of the machine affects all of them; on a GPU each call is timed by events, after
//! the L2 cache has been flushed. The yardstick is a copy of the same elements in the same run.

pub mod cuda;
mod format;
mod number;
mod record;
pub mod texts;

pub use number::{Number, Value, hash};
pub use record::{Record, Row, head, machine};

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

/// Result of the benches' functions.
pub type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// Returns the exit code of a bench, and prints an error to standard error.
pub fn exit_code(outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Options of a bench.
#[derive(Debug, Default, Clone)]
pub struct Options {
    /// Whether to run every bench once, at a small size, as a test.
    pub smoke: bool,
    /// Whether to run fewer sizes and calls.
    pub quick: bool,
    /// Parts of names: a bench runs only if its name `algorithm/type` contains one of them.
    pub only: Option<Vec<String>>,
    /// Sizes to measure instead of the bench's own, as exponents of powers of two.
    pub sizes: Option<Vec<u32>>,
    /// File of the record; standard output if there is none.
    pub out: Option<PathBuf>,
}

const USAGE: &str = "options: [--smoke] [--quick] [--only PART_OF_ALGORITHM/TYPE,...] [--sizes 10,20] [--out FILE]";

impl Options {
    /// Parses the command line.
    ///
    /// # Errors
    /// An unknown option, or one without its value.
    pub fn parse(mut args: impl Iterator<Item = String>) -> Outcome<Self> {
        let mut options = Self::default();
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or(format!("{arg} needs a value; {USAGE}"));
            match arg.as_str() {
                "--smoke" => options.smoke = true,
                "--quick" => options.quick = true,
                "--only" => options.only = Some(value()?.split(',').map(str::to_owned).collect()),
                "--out" => options.out = Some(value()?.into()),
                "--sizes" => {
                    let sizes = value()?.split(',').map(str::parse).collect::<Result<Vec<u32>, _>>();
                    let sizes = sizes.map_err(|error| format!("--sizes: {error}; {USAGE}"))?;
                    options.sizes = Some(sizes.into_iter().filter(|&size| size < 34).collect());
                }
                _ => return Err(format!("no such option: {arg}; {USAGE}").into()),
            }
        }
        Ok(options)
    }

    /// Returns the sizes to measure: those of the options, else `all`, or `few` with `quick`, or one small size with
    /// `smoke`.
    #[must_use]
    pub fn sizes(&self, all: &[u32], few: &[u32]) -> Vec<u32> {
        match &self.sizes {
            Some(sizes) => sizes.clone(),
            None if self.smoke => vec![10],
            None if self.quick => few.to_vec(),
            None => all.to_vec(),
        }
    }

    /// Returns whether the options select the algorithm `algo` on elements of the type `ty`.
    #[must_use]
    pub fn wants(&self, algo: &str, ty: &str) -> bool {
        let name = format!("{algo}/{ty}");
        self.only.as_ref().is_none_or(|parts| parts.iter().any(|part| name.contains(part.as_str())))
    }
}

/// Returns the median of some times; NaN if there are none.
#[must_use]
pub fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Outcome<Options> {
        Options::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn options_are_understood() {
        let options = parse("--quick --only sum/i32 --sizes 10,20").unwrap();
        assert!(options.quick && !options.smoke);
        assert_eq!(options.sizes(&[1], &[2]), [10, 20]);
        assert!(options.wants("inclusive_sum", "i32") && !options.wants("inclusive_sum", "i64"));
        let several = parse("--only sum/i32,max").unwrap();
        assert!(several.wants("inclusive_sum", "i32") && several.wants("inclusive_max", "f64"));
        assert!(!several.wants("inclusive_sum", "i64"));
        assert_eq!(parse("--smoke").unwrap().sizes(&[1], &[2]), [10]);
        assert!(parse("--sizes").is_err() && parse("--sizes ten").is_err() && parse("--fast").is_err());
    }

    #[test]
    fn median_is_the_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert!(median(Vec::new()).is_nan());
    }
}
