//! Laboratory as a book: chapters that ask before they answer, with exercises that check themselves. The counts in a
//! chapter are taken when it is made.

mod chapters;
pub mod occupancy;

pub(crate) use chapters::BEGIN;
pub use chapters::CHAPTERS;

use crate::algorithm::{Algorithm, Error, Input, Setup};
use crate::algorithms::by_name;
use crate::machine::{Banks, Run, Shape};
use crate::operator::Operator;
use crate::sample;

/// Chapter of the book.
#[derive(Clone, Copy, Debug)]
pub struct Chapter {
    /// Name of the chapter's file, without the extension.
    pub file: &'static str,
    /// Title of the chapter.
    pub title: &'static str,
    /// Text before the question. Code stands between backticks.
    pub text: &'static [&'static str],
    /// Question of the chapter.
    pub question: &'static str,
    /// Answer to the question.
    pub answer: &'static [&'static str],
    /// Comparison of algorithms side by side: the number of elements, the banks, and the algorithms' names.
    pub compare: (usize, Banks, &'static [&'static str]),
    /// Names of two of the compared algorithms: a page shows their runs side by side, step by step.
    pub in_step: [&'static str; 2],
    /// Pages to look at: the name of an algorithm, the number of a step, and what the step shows.
    pub play: &'static [(&'static str, usize, &'static str)],
    /// Exercise of the chapter.
    pub exercise: Exercise,
    /// Names of those claims of lectures and papers that are about the chapter's subject.
    pub claims: &'static [&'static str],
}

/// Question whose answer is a number.
#[derive(Clone, Copy, Debug)]
pub struct Exercise {
    /// Question of the exercise.
    pub question: &'static str,
    /// Hint for a wrong answer.
    pub hint: &'static str,
    /// Explanation of the answer.
    pub why: &'static str,
    /// Function that counts the answer on the model; it returns [`None`] if the run fails.
    pub answer: fn() -> Option<u64>,
}

/// Runs the algorithm of this name with `n` elements; [`None`] if there is none or if the run fails.
#[must_use]
pub fn run(name: &str, n: usize, banks: Banks) -> Option<Run> {
    counted(by_name(name)?, n, banks.into()).ok()
}

/// Runs an algorithm with `n` random elements on a machine.
pub(crate) fn counted(algorithm: &Algorithm, n: usize, shape: Shape) -> Result<Run, Error> {
    // The check comes before `n` elements are allocated.
    algorithm.takes_on(shape, n)?;
    let (values, heads) = (sample::values::<i64>(1, n), sample::heads(1, n));
    let setup = Setup { operator: Operator::<i64>::sum(), shape, records: false };
    Ok(algorithm.run(setup, &Input { values: &values, heads: &heads })?.run)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claims::claims;

    #[test]
    fn chapters_name_what_there_is() {
        let claims = claims();
        let mut named = Vec::new();
        for chapter in CHAPTERS {
            for name in chapter.claims {
                assert!(claims.iter().any(|claim| claim.name == *name), "{name}");
                named.push(*name);
            }
            let (n, banks, names) = chapter.compare;
            assert!(names.iter().all(|name| run(name, n, banks).is_some()), "{}", chapter.title);
            assert!(chapter.in_step.iter().all(|name| by_name(name).is_some()), "{}", chapter.title);
            for (name, step, _) in chapter.play {
                let algorithm = by_name(name).unwrap();
                let (n, shape) = crate::show::telling(algorithm);
                let input = Input { values: &vec![1; n], heads: &vec![false; n] };
                let setup = Setup { operator: Operator::<i64>::sum(), shape, records: false };
                let (_, run, _) = algorithm.run_to_fault(setup, &input).unwrap();
                assert!((1..=run.steps.len()).contains(step), "{name} has {} steps, not {step}", run.steps.len());
            }
        }
        // Every claim is in one chapter.
        let count = named.len();
        named.sort_unstable();
        named.dedup();
        let missing: Vec<_> = claims.iter().map(|claim| claim.name).filter(|name| !named.contains(name)).collect();
        assert_eq!((missing, named.len()), (Vec::<&str>::new(), count));
    }

    /// Checks five questions of students: the named chapter asks each one, and the model or recorded times answer it.
    #[test]
    fn five_questions_have_answers_that_can_be_played() {
        let asked = |file: &str, words: &str| {
            let chapter = CHAPTERS.iter().find(|chapter| chapter.file == file).unwrap();
            assert!(chapter.question.contains(words) && !chapter.answer.is_empty(), "{file}: {words}");
            chapter
        };
        let of = |name: &str, n| run(name, n, Banks::ThirtyTwo).unwrap();
        let micros = |name: &str| crate::forecast::recorded(name).unwrap()[1].unwrap();
        // Why is Blelloch's scan slower than Kogge-Stone's, although it does less work?
        let chapter = asked("3-work", "takes 1.2 times as long. Why?");
        assert_eq!(chapter.in_step, ["kogge-stone", "blelloch"]);
        let (fast, slow) = (of("kogge-stone", 512), of("blelloch", 512));
        assert_eq!((fast.inner().operations, slow.inner().operations), (4097, 1022));
        assert_eq!((fast.span().operations, slow.span().operations), (9, 18));
        assert_eq!(format!("{:.1}", micros("blelloch") / micros("kogge-stone")), "1.2");
        // What does padding change, and when does it not pay?
        let chapter = asked("5-padding", "When does padding not pay?");
        assert_eq!(chapter.in_step, ["blelloch", "blelloch-padded"]);
        let conflicts = |name: &str| of(name, 512).inner().conflicts as f64;
        for tree in ["brent-kung", "blelloch"] {
            assert!(conflicts(&format!("{tree}-padded")) < conflicts(tree) / 3.0, "{tree}");
        }
        assert!(micros("blelloch-dividing-padded") > 0.97 * micros("blelloch-dividing"));
        let short = |name: &str| run(name, 16, Banks::Sixteen).unwrap().inner().cycles;
        assert!(short("blelloch-padded") > short("blelloch"));
        // Why does a chained scan crawl, and what makes one pass enough?
        let chapter = asked("8-one-pass", "Why does the chained scan crawl, and what makes one pass enough?");
        assert_eq!(chapter.in_step, ["chained", "look-back"]);
        let longer = |name: &str| of(name, 81_920).span().operations as f64 / of(name, 40_960).span().operations as f64;
        assert!(longer("chained") > 1.5 && longer("look-back") < 1.5, "{} {}", longer("chained"), longer("look-back"));
        let moved = of("look-back", 40_960).total_of(|step| step.is_transfer);
        assert_eq!((moved.global_reads, moved.global_writes), (40_960, 40_960));
        // Why two barriers?
        asked("2-scan", "Why two?");
        assert!(run("kogge-stone-race", 32, Banks::ThirtyTwo).is_some());
        assert!(
            run("kogge-stone-race", 33, Banks::ThirtyTwo).is_none()
                && run("kogge-stone", 33, Banks::ThirtyTwo).is_some()
        );
    }

    #[test]
    fn exercises_have_these_answers() {
        let answers: Vec<_> = CHAPTERS.iter().map(|chapter| (chapter.exercise.answer)()).collect();
        assert_eq!(
            answers,
            [Some(511), Some(33), Some(120), Some(8), Some(1056), Some(10), Some(3), Some(2), Some(64), Some(13)]
        );
    }
}
