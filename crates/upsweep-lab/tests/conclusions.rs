//! Tests of the conclusions that chapters and pages draw from times of the race, with the two forms of the kernels that
//! each conclusion rests on. A conclusion from one form may only be one about how that form is written, as
//! `blelloch-dividing` shows.

#![allow(clippy::panic, clippy::expect_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use upsweep_lab::algorithms::ALGORITHMS;
use upsweep_lab::book::CHAPTERS;
use upsweep_lab::forecast::raced;
use upsweep_lab::lesson::Part;

/// Microseconds for 2²⁶ elements.
fn micros(name: &str) -> f64 {
    raced(name).find(|&(log, _)| log == 26).unwrap_or_else(|| panic!("{name} is on no record")).1
}

/// Conclusion that the first algorithm of each pair takes less time than the second: a share in the range `share`.
struct Conclusion {
    says: &'static str,
    forms: &'static [(&'static str, &'static str)],
    share: (f64, f64),
}

const CONCLUSIONS: &[Conclusion] = &[
    Conclusion {
        says: "padding saves a quarter to a third of a tree's time",
        forms: &[
            ("blelloch-padded", "blelloch"),
            ("blelloch-padded-second", "blelloch-second"),
            ("brent-kung-padded", "brent-kung"),
            ("brent-kung-padded-second", "brent-kung-second"),
            ("inverse-padded", "inverse"),
            ("inverse-padded-second", "inverse-second"),
        ],
        share: (0.6, 0.8),
    },
    Conclusion {
        says: "with conflicts a tree is slower than Kogge-Stone",
        forms: &[
            ("kogge-stone", "blelloch"),
            ("kogge-stone-second", "blelloch-second"),
            ("kogge-stone", "brent-kung"),
            ("kogge-stone-second", "brent-kung-second"),
        ],
        share: (0.65, 0.85),
    },
    Conclusion {
        says: "without conflicts less work is faster",
        forms: &[
            ("blelloch-padded", "kogge-stone"),
            ("blelloch-padded-second", "kogge-stone-second"),
            ("brent-kung-padded", "kogge-stone"),
            ("brent-kung-padded-second", "kogge-stone-second"),
        ],
        share: (0.8, 0.95),
    },
    Conclusion {
        says: "in place is faster than two buffers",
        forms: &[("kogge-stone", "double-buffered"), ("kogge-stone-second", "double-buffered-second")],
        share: (0.8, 0.95),
    },
    Conclusion {
        says: "a division costs more than all conflicts",
        forms: &[("blelloch", "blelloch-dividing"), ("blelloch-second", "blelloch-dividing")],
        share: (0.7, 0.9),
    },
    Conclusion {
        says: "the remainder costs more than the divergence",
        forms: &[
            ("reduce-interleaved-second", "reduce-interleaved"),
            ("brent-kung-modulo-second", "brent-kung-modulo"),
        ],
        share: (0.45, 0.6),
    },
    Conclusion {
        says: "a look-back does not wait for a chain",
        forms: &[("look-back", "chained"), ("look-back-second", "chained-second")],
        share: (0.0, 0.05),
    },
    Conclusion {
        says: "a chain takes as long as it has links: tiles half the size have twice as many",
        forms: &[("chained", "chained-second")],
        share: (0.4, 0.6),
    },
    Conclusion {
        says: "scan, then add takes twice a copy or more",
        forms: &[("copy", "three-kernel"), ("copy", "recursive")],
        share: (0.0, 0.5),
    },
];

#[test]
fn conclusions_hold_for_every_form() {
    for Conclusion { says, forms, share: (least, most) } in CONCLUSIONS {
        for (fast, slow) in *forms {
            let share = micros(fast) / micros(slow);
            assert!((*least..=*most).contains(&share), "{says}: {fast} takes {share:.2} of {slow}");
        }
    }
    // The little that padding saves in the dividing form is no conclusion about Blelloch's scan.
    let dividing = micros("blelloch-dividing-padded") / micros("blelloch-dividing");
    assert!(dividing > 0.95, "{dividing:.2}");
}

/// Every number of microseconds that a chapter or a page gives is on the record.
#[test]
fn quoted_times_are_recorded() {
    let names = raced_names();
    let recorded: BTreeSet<String> = names.iter().map(|name| format!("{:.0}", micros_or_zero(name))).collect();
    let chapters = CHAPTERS.iter().flat_map(|chapter| chapter.text.iter().chain(chapter.answer)).copied();
    let mut texts: Vec<String> = chapters.map(str::to_owned).collect();
    for algorithm in ALGORITHMS {
        let lesson = algorithm.lesson();
        let parts = lesson.sections.into_iter().flat_map(|section| section.parts);
        texts.extend(parts.filter_map(|part| match part {
            Part::Prose(text) | Part::Item(text) => Some(text),
            Part::Code(_) => None,
        }));
    }
    let mut count = 0;
    for text in &texts {
        let words: Vec<&str> = text.split_whitespace().collect();
        for pair in words.windows(2).filter(|pair| pair[1].starts_with("µs")) {
            let number = pair[0].replace(',', "");
            assert!(recorded.contains(&number), "{number} µs: {text}");
            count += 1;
        }
    }
    assert!(count > 40, "{count}");
}

fn raced_names() -> Vec<String> {
    let own = ALGORITHMS.iter().flat_map(|algorithm| [algorithm.name.to_owned(), format!("{}-second", algorithm.name)]);
    own.chain(["copy".to_owned()]).collect()
}

fn micros_or_zero(name: &str) -> f64 {
    raced(name).find(|&(log, _)| log == 26).map_or(0.0, |(_, micros)| micros)
}
