//! Pages on which claims can be seen: an algorithm, its settings and a step.

/// Page on which a claim can be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Play {
    /// Name of the algorithm.
    pub algorithm: &'static str,
    /// Fragment of the page's address, after the `#`: the settings, and the number of a step.
    pub settings: &'static str,
}

/// Elements of the lectures, as settings of a page.
const EIGHT: &str = "n=8&values=3,1,7,0,4,1,6,3";

/// Claims, each with the algorithm and the settings of the page that shows it. Claims about time, about the sum of many
/// runs, or about arithmetic alone are not in the list.
static PLAYS: &[(&str, &str, &str)] = &[
    ("sequential-work", "sequential", EIGHT),
    ("first-attempt-work-per-step", "double-buffered-exclusive", "n=8&step=2"),
    ("inclusive-example", "kogge-stone", "n=8&values=3,1,7,0,4,1,6,3&step=8"),
    ("brent-kung-threads", "brent-kung", "n=16&step=2"),
    ("brent-kung-third-level", "brent-kung", "n=16&op=ranges&step=8"),
    ("fenwick-build", "fenwick", EIGHT),
    ("naive-loop", "double-buffered", "n=8&values=3,1,7,0,4,1,6,3&step=4"),
    ("naive-threads", "double-buffered", "n=8&values=3,1,7,0,4,1,6,3&step=2"),
    ("naive-strides", "double-buffered", "n=8&op=ranges&step=4"),
    ("down-sweep", "blelloch", "n=8&values=3,1,7,0,4,1,6,3&step=6"),
    ("segment-sum", "three-kernel", "n=16&warp=4&banks=4&tile=8&step=5"),
    ("segmented-operator", "segmented-pairs", "n=9&values=1,2,3,4,6,5,1,3,5&heads=0,4,6&step=11"),
    ("sequential-loop", "reduce-sequential", "n=8&values=1,2,3,4,5,6,7,8&step=4"),
    ("sequential-loop-end", "reduce-sequential", "n=8&values=1,2,3,4,5,6,7,8&step=2"),
    ("padded-loop", "reduce-strided-padded", "n=8&values=1,2,3,4,5,6,7,8&step=3"),
    ("padded-loop-bound", "reduce-strided-padded", "n=8&values=1,2,3,4,5,6,7,8&step=2"),
    ("interleaved-later-steps", "reduce-interleaved", "n=512&banks=32&step=7"),
    ("sequential-sub-sums", "reduce-sequential", "n=8&step=2"),
    ("unrolled-lines", "reduce-unrolled", "n=64&warp=32&banks=32&step=2"),
    ("unrolled-bound", "reduce-unrolled", "n=64&warp=32&banks=32&step=3"),
    ("interleaved-conflicts", "reduce-interleaved", "n=64&banks=16&step=4"),
    ("tree-128", "reduce-strided", "n=128&banks=16&step=4"),
    ("tree-128-addresses", "reduce-strided", "n=128&banks=16&step=3"),
    ("tree-64-padded-addresses", "reduce-strided-padded", "n=64&banks=16&step=2"),
    ("tree-128-padded-banks", "reduce-strided-padded", "n=128&banks=16&step=2"),
    ("double-buffer-in-place", "double-buffered", "n=16&step=2"),
    ("reduction-work", "reduce-interleaved", "n=16&step=2"),
    ("naive-work-per-step", "double-buffered", "n=16&step=2"),
    ("kogge-stone-work", "kogge-stone", "n=16&step=2"),
    ("hillis-steele-work", "hillis-steele", "n=16&step=1"),
    ("first-attempt-work", "double-buffered-exclusive", "n=16&step=2"),
    ("naive-steps", "double-buffered", "n=16&step=5"),
    ("words-double", "kogge-stone", "n=16&op=ranges&step=5"),
    ("exclusive-example", "blelloch", "n=8&values=3,1,7,0,4,1,6,3&step=9"),
    ("sequential-equivalent", "kogge-stone", "n=8&step=8"),
    ("recurrence", "kogge-stone", "n=8&op=affine&step=8"),
    ("blelloch-work", "blelloch", "n=16&step=2"),
    ("balanced-steps", "blelloch", "n=16&step=11"),
    ("brent-kung-work", "brent-kung", "n=16&step=2"),
    ("brent-kung-steps", "brent-kung", "n=16&step=8"),
    ("inverse-work", "inverse", "n=16&step=7"),
    ("reduction-steps", "reduce-strided", "n=16&step=5"),
    ("reductions-do-not-race", "reduce-strided", "n=64&step=2"),
    ("segments-together", "segmented-pairs", "n=16&step=2"),
    ("fenwick-update", "fenwick-updates", "n=8&step=4"),
    ("interleaved-first-steps", "reduce-interleaved", "n=512&banks=32&step=3"),
    ("interleaved-one-thread", "reduce-interleaved", "n=512&banks=32&step=8"),
    ("interleaved-half", "reduce-interleaved", "n=512&banks=32&step=2"),
    ("interleaved-quarter", "reduce-interleaved", "n=512&banks=32&step=5"),
    ("sequential-divergence", "reduce-sequential", "n=512&banks=32&step=6"),
    ("sequential-retiring", "reduce-sequential", "n=512&banks=32&step=3"),
    ("sequential-conflicts", "reduce-sequential", "n=64&banks=16&step=2"),
    ("last-loops", "reduce-unrolled", "n=64&warp=32&banks=32&step=2"),
    ("single-buffer-race", "kogge-stone-race", "n=33&step=3"),
    ("loads-conflicts", "blelloch", "n=64&banks=16&step=1"),
    ("tree-64-degrees", "reduce-strided", "n=64&banks=16&step=4"),
    ("tree-64", "reduce-strided", "n=64&banks=16&step=2"),
    ("tree-512", "reduce-strided", "n=512&banks=16&step=5"),
    ("tree-512-padded-degrees", "reduce-strided-padded", "n=512&banks=16&step=6"),
    ("tree-crowds", "reduce-strided", "n=64&banks=16&step=3"),
    ("brent-kung-conflicts", "brent-kung", "n=64&banks=16&step=3"),
    ("brent-kung-padded-conflicts", "brent-kung-padded", "n=64&banks=16&step=3"),
    ("padding-waste", "blelloch-padded", "n=64&banks=32&step=1"),
];

/// Page on which the claim of this name can be seen, if there is one.
#[must_use]
pub fn play(claim: &str) -> Option<Play> {
    let &(_, algorithm, settings) = PLAYS.iter().find(|(name, ..)| *name == claim)?;
    Some(Play { algorithm, settings })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::answer;
    use serde_json::{Map, Value};

    /// Every address leads to a run that the page takes, and to one of its steps. Every claim that differs has an
    /// address, unless nothing could be seen.
    #[test]
    fn addresses_lead_to_steps() {
        let claims = crate::claims::claims();
        for (name, algorithm, settings) in PLAYS {
            assert!(claims.iter().any(|claim| claim.name == *name), "{name}");
            let mut question = Map::new();
            question.insert("algorithm".to_owned(), (*algorithm).into());
            question.insert("op".to_owned(), "sum".into());
            for setting in settings.split('&') {
                let (key, value) = setting.split_once('=').unwrap();
                question.insert(key.to_owned(), value.into());
            }
            let found: Value = serde_json::from_str(&answer(&Value::from(question.clone()).to_string())).unwrap();
            assert_eq!(found["error"], Value::Null, "{name}");
            let steps = found["runs"][0]["steps"].as_array().unwrap().len();
            let step: usize = question.get("step").map_or(0, |step| step.as_str().unwrap().parse().unwrap());
            assert!(step <= steps, "{name}: {algorithm} has {steps} steps, not {step}");
        }
        let unseen: Vec<_> =
            claims.iter().filter(|claim| !claim.holds && play(claim.name).is_none()).map(|claim| claim.name).collect();
        assert_eq!(unseen, ["twenty-times-slower", "segments-apart"]);
    }

    /// The steps that a few of the addresses lead to show what the claims are about.
    #[test]
    fn what_is_said_is_what_is_there() {
        let label = |claim: &str| {
            let Play { algorithm, settings } = play(claim).unwrap();
            let of = |key: &str| {
                let found = settings.split('&').find_map(|setting| setting.strip_prefix(key)?.strip_prefix('='));
                found.unwrap_or("").to_owned()
            };
            let question = serde_json::json!({ "algorithm": algorithm, "op": "sum", "n": of("n"), "banks": of("banks"), "values": of("values") });
            let found: Value = serde_json::from_str(&answer(&question.to_string())).unwrap();
            let step = &found["runs"][0]["steps"][of("step").parse::<usize>().unwrap() - 1];
            // Entries 1 and 9 of a step's counts, on a page, are the operations and the bank conflicts.
            let count = |place: usize| step["counts"][place].as_u64().unwrap();
            (step["label"].as_str().unwrap().to_owned(), count(1), count(9))
        };
        // Down: 1 operation. 128 leaves: 32. 64 leaves: more conflicts in step 4 than in 2. Interleaved: no conflicts.
        assert_eq!(label("down-sweep"), ("down".to_owned(), 1, 0));
        assert_eq!(label("tree-128-addresses").1, 32);
        assert!(label("tree-64-degrees").2 > label("tree-64").2);
        assert_eq!(label("interleaved-conflicts").2, 0);
        assert_eq!(label("interleaved-one-thread").0, "add");
    }
}
