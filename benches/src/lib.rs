//! What the benches share: their options, the form of their records, and the numbers that they scan.
//!
//! Method. Outputs are checked before anything is timed. A time is the median of many calls. On the CPU the
//! contestants take turns, so that a slow second of the machine meets all of them; on a GPU each call is timed by
//! events, after the L2 cache has been flushed. The yardstick is a copy of the same elements in the same run.

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

/// What the benches' functions return.
pub type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// What a bench ends with; says on standard error what went wrong.
pub fn exit_code(outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The options of a bench.
#[derive(Debug, Default, Clone)]
pub struct Options {
    /// Every bench once, at a small size, as a test.
    pub smoke: bool,
    /// Fewer sizes and calls.
    pub quick: bool,
    /// Only the benches whose `algorithm/type` has one of these in it.
    pub only: Option<Vec<String>>,
    /// The sizes, as powers of two, in place of the bench's own.
    pub sizes: Option<Vec<u32>>,
    /// Where the record goes; standard output when not given.
    pub out: Option<PathBuf>,
}

const USAGE: &str = "options: [--smoke] [--quick] [--only PART_OF_ALGORITHM/TYPE,...] [--sizes 10,20] [--out FILE]";

impl Options {
    /// From the command line.
    ///
    /// # Errors
    /// An option that is not known, or has no value.
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

    /// The sizes to measure, where a bench measures `all` by itself and `few` in a hurry.
    #[must_use]
    pub fn sizes(&self, all: &[u32], few: &[u32]) -> Vec<u32> {
        match &self.sizes {
            Some(sizes) => sizes.clone(),
            None if self.smoke => vec![10],
            None if self.quick => few.to_vec(),
            None => all.to_vec(),
        }
    }

    /// Whether `algo` on `ty` is asked for.
    #[must_use]
    pub fn wants(&self, algo: &str, ty: &str) -> bool {
        let name = format!("{algo}/{ty}");
        self.only.as_ref().is_none_or(|parts| parts.iter().any(|part| name.contains(part.as_str())))
    }
}

/// The median of some times; NaN of none.
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
