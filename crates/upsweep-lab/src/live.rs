//! Questions of a page and their answers: a run, and the page for it. The page calls this very code, compiled to
//! WebAssembly (`upsweep-lab-live`), so there is one model only.
//!
//! A question is JSON: the contents of the page's form, word by word.
//!
//! ```
//! use upsweep_lab::live::answer;
//!
//! let question = r#"{"algorithm": "blelloch", "n": "4", "values": "3,1,7,0", "op": "sum", "banks": "16", "warp": "32", "lit": 1}"#;
//! assert!(answer(question).contains(r#""expected":["0","3","4","11"]"#));
//! assert!(answer(r#"{"algorithm": "sort"}"#).contains("there is no algorithm"));
//! ```

mod question;

use crate::algorithm::{Algorithm, Computes, Element, Input, Setup};
use crate::algorithms::by_name;
use crate::machine::{Banks, Place, Run};
use crate::operator::{Affine, Operator, Stretch};
use crate::sample::{self, Sample};
use crate::show::html::{Comparison, MOST_COMPARED};
use crate::show::{Recording, html, json, listed};
use question::{Question, Values};
use serde_json::{Value, json};

/// Largest product of steps and elements in a page: the picture of a run has about as many words; pages stay quick.
const MOST_WORDS: usize = 40_000;
/// Seed of random elements, the same as that of `upsweep lab show`.
const SEED: u64 = 1;

/// Answers a page's question (the settings of a run) in JSON, with `error` if there is no answer.
#[must_use]
pub fn answer(question: &str) -> String {
    let question = serde_json::from_str::<Value>(question).map_err(|error| format!("no question: {error}"));
    let answer = question.and_then(|question| match question["compare"].as_str() {
        Some(names) => compared(names, &question),
        None => answer_to(&Question::of(&question)?),
    });
    answer.unwrap_or_else(|error| json!({ "error": error })).to_string()
}

fn answer_to(question: &Question) -> Result<Value, String> {
    let runs: Vec<Recording> =
        question.algorithms().map(|algorithm| recording(question, algorithm)).collect::<Result<_, String>>()?;
    let [first, others @ ..] = &runs[..] else { return Err("there is no algorithm".to_owned()) };
    let mut answer = json!({ "expected": first.expected, "values": first.input, "places": first.operator == "affine" || first.operator == "ranges" });
    answer["heads"] = runs.iter().find_map(Recording::segments).map_or(Value::Null, |heads| listed(&heads).into());
    if question.whole {
        let [title, head, played] = match others {
            [] => html::live_page(first),
            [second, ..] => html::live_pair(first, second),
        };
        (answer["title"], answer["head"], answer["played"]) = (title.into(), head.into(), played.into());
    } else {
        answer["runs"] = runs.iter().map(json::run).collect();
    }
    if let Some(element) = question.lit {
        let marks = runs.iter().map(|run| depends(run, element));
        answer["lit"] = marks.collect::<Result<_, String>>()?;
    }
    Ok(answer)
}

/// Compares algorithms, given by names between commas, side by side; the answer is a part of a page.
fn compared(names: &str, question: &Value) -> Result<Value, String> {
    let number = |name: &str| {
        let given = question[name].as_str().unwrap_or("").trim();
        given.parse::<usize>().map_err(|_| format!("{name}: {given:?} is no whole number"))
    };
    let mut algorithms = Vec::new();
    for name in names.split(',') {
        let algorithm = by_name(name).ok_or_else(|| format!("there is no algorithm {name:?}"))?;
        if algorithms.iter().all(|other: &&Algorithm| other.name != name) {
            algorithms.push(algorithm);
        }
    }
    let n = number("n")?;
    if !(1..=MOST_COMPARED).contains(&n) {
        return Err(format!("n: {n} elements; a page compares 1 to {MOST_COMPARED}, `upsweep lab count` more"));
    }
    let banks = Banks::of(number("banks")?).ok_or("banks: there are 2, 4, 8, 16 or 32")?;
    let comparison = Comparison { algorithms, n, shape: banks.into(), large: number("log")? == 26 };
    Ok(json!({ "compared": comparison.markup().0 }))
}

fn recording(question: &Question, algorithm: &'static Algorithm) -> Result<Recording, String> {
    match question.op.as_str() {
        "sum" => numbers(question, algorithm, Operator::<i64>::sum()),
        "max" => numbers(question, algorithm, Operator::<i64>::max()),
        "affine" => {
            let Values { given, n } = question.values("is no function like 2x+3")?;
            recorded(question, algorithm, Operator::affine(), &filled::<Affine>(given, n))
        }
        "ranges" => recorded(question, algorithm, Operator::ranges(), &Stretch::elements(question.n()?)),
        other => Err(format!("there is no operator {other}")),
    }
}

fn numbers(question: &Question, algorithm: &'static Algorithm, operator: Operator<i64>) -> Result<Recording, String> {
    let Values { given, n } = question.values("is no whole number of 64 bits")?;
    recorded(question, algorithm, operator, &filled(given, n))
}

/// Returns the elements that are given, followed by random ones up to `n` elements.
fn filled<T: Sample>(mut given: Vec<T>, n: usize) -> Vec<T> {
    given.extend(sample::values::<T>(SEED, n).into_iter().skip(given.len()));
    given.truncate(n);
    given
}

fn recorded<T: Element>(
    question: &Question,
    algorithm: &'static Algorithm,
    operator: Operator<T>,
    values: &[T],
) -> Result<Recording, String> {
    let heads = heads(question, algorithm, values.len())?;
    let input = Input { values, heads: &heads };
    let setup = Setup { operator, shape: question.shape, records: false };
    // A run without recording counts the steps first, as a recording may be too large.
    let (_, run, _) = algorithm.run_to_fault(setup, &input).map_err(|error| error.to_string())?;
    let (n, steps) = (values.len(), run.steps.len());
    if n * steps > MOST_WORDS {
        return Err(format!(
            "{} of {n} elements takes {steps} steps: a page shows {} of so many elements; take fewer elements, or larger blocks",
            algorithm.name,
            MOST_WORDS / n
        ));
    }
    Recording::of(algorithm, operator, question.shape, &input).map_err(|error| error.to_string())
}

/// Returns the head flags that are given, or else random ones for a segmented scan, and none for other algorithms.
fn heads(question: &Question, algorithm: &Algorithm, n: usize) -> Result<Vec<bool>, String> {
    let Some(places) = &question.heads else {
        let segmented = algorithm.computes == Computes::SegmentedScan;
        return Ok(if segmented { sample::heads(SEED, n) } else { vec![false; n] });
    };
    let mut heads = vec![false; n];
    for &place in places {
        *heads.get_mut(place).ok_or_else(|| format!("there is no element {place}, only 0 to {}", n - 1))? = true;
    }
    Ok(heads)
}

/// Finds what depends on element `element`: what differs between a run with 1 there and one with 0, all others 0.
fn depends(recording: &Recording, element: usize) -> Result<Value, String> {
    let n = recording.input.len();
    let run = |one: Option<usize>| {
        let values: Vec<i64> = (0..n).map(|index| i64::from(Some(index) == one)).collect();
        let setup = Setup { operator: Operator::<i64>::sum(), shape: recording.shape, records: true };
        let input = Input { values: &values, heads: &recording.heads };
        recording.algorithm.run_to_fault(setup, &input).map(|(_, run, _)| run).map_err(|error| error.to_string())
    };
    if element >= n {
        return Err(format!("there is no element {element}, only 0 to {}", n - 1));
    }
    if recording.algorithm.computes == Computes::Sort {
        return Ok(way(&recording.run, element));
    }
    let (zero, one) = (run(None)?, run(Some(element))?);
    let initial =
        zero.arrays.iter().zip(&one.arrays).map(|(a, b)| {
            (0..a.initial.len()).filter(|&index| a.initial[index] != b.initial[index]).collect::<Vec<_>>()
        });
    let steps = zero.steps.iter().zip(&one.steps).map(|(a, b)| {
        let marks = a.events.iter().zip(&b.events).map(|(a, b)| {
            let kept: Vec<u8> = a.kept.iter().zip(&b.kept).map(|(a, b)| u8::from(a != b)).collect();
            json!([differ(&a.writes, &b.writes), kept])
        });
        marks.collect::<Value>()
    });
    Ok(json!({ "initial": initial.collect::<Vec<_>>(), "steps": steps.collect::<Value>() }))
}

/// Marks the words that hold an element on its way through a sort, in which everything depends on every element. A
/// thread's first write moves its key, and so does its first register on the way there.
fn way(run: &Run, element: usize) -> Value {
    let mut at = element;
    let steps = run.steps.iter().map(|step| {
        let mut next = at;
        let marks = step.events.iter().map(|event| {
            let holds = event.thread == at;
            let moves = holds && ["load", "move", "store"].contains(&step.label);
            if let (true, Some(to)) = (moves, event.writes.first()) {
                next = to.index;
            }
            let first = |count: usize, marked: bool| (0..count).map(|place| u8::from(marked && place == 0)).collect();
            let [writes, kept]: [Vec<u8>; 2] =
                [first(event.writes.len(), moves), first(event.kept.len(), holds && step.label == "place")];
            json!([writes, kept])
        });
        let marks: Value = marks.collect();
        at = next;
        marks
    });
    let steps: Value = steps.collect();
    let initial = |place: usize| if place == 0 { vec![element] } else { Vec::new() };
    json!({ "initial": (0..run.arrays.len()).map(initial).collect::<Vec<_>>(), "steps": steps })
}

/// Returns, for each write of two runs, 1 if the written values differ, else 0.
fn differ(a: &[Place], b: &[Place]) -> Vec<u8> {
    a.iter().zip(b).map(|(a, b)| u8::from(a.value != b.value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(question: Value) -> Value {
        serde_json::from_str(&answer(&question.to_string())).unwrap()
    }

    fn blelloch(more: &[(&str, Value)]) -> Value {
        let mut question = json!({ "algorithm": "blelloch", "op": "sum", "n": "4", "values": "3,1,7,0" });
        more.iter().for_each(|(name, value)| question[*name] = value.clone());
        asked(question)
    }

    #[test]
    fn elements_are_those_that_are_given_and_random_ones_behind_them() {
        assert_eq!(blelloch(&[])["expected"], json!(["0", "3", "4", "11"]));
        assert_eq!(blelloch(&[("n", json!("2"))])["values"], json!(["3", "1"]));
        let six = blelloch(&[("n", json!("6"))]);
        assert_eq!(six["values"].as_array().unwrap()[..4], json!(["3", "1", "7", "0"]).as_array().unwrap()[..]);
        let functions = blelloch(&[("op", json!("affine")), ("values", json!("2x+3, x,-1, 4"))]);
        assert_eq!(functions["values"], json!(["2x+3", "1x+0", "0x-1", "0x+4"]));
        assert_eq!(blelloch(&[("op", json!("ranges"))])["expected"], json!(["-", "x0", "x0..1", "x0..2"]));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_value() {
        for (name, value, words) in [
            ("algorithm", "sort", "there is no algorithm \"sort\""),
            ("beside", "sort", "there is no algorithm \"sort\""),
            ("op", "product", "there is no operator product"),
            ("n", "0", "n: a run has one element or more"),
            ("n", "513", "n: 513 elements; a page shows 512 at most"),
            ("n", "-1", "n: \"-1\" is no whole number"),
            ("values", "3,x", "element: \"x\" is no whole number of 64 bits"),
            ("banks", "3", "banks: there are 2, 4, 8, 16 or 32"),
            ("warp", "3", "warps of 3 threads"),
            ("warp", "99999999999999999999", "warp: \"99999999999999999999\" is no whole number"),
            ("heads", "4", "there is no element 4, only 0 to 3"),
            ("heads", "a", "heads: \"a\" is no place"),
        ] {
            let error = blelloch(&[(name, json!(value))])["error"].clone();
            assert!(error.as_str().is_some_and(|error| error.starts_with(words)), "{name} = {value}: {error}");
        }
        assert!(blelloch(&[("lit", json!(4))])["error"].as_str().unwrap().contains("no element 4"));
        assert!(answer("{").contains("no question"));
        let updates = |n: &str| blelloch(&[("algorithm", json!("fenwick-updates")), ("n", json!(n))])["error"].clone();
        assert_eq!(updates("128"), Value::Null);
        assert_eq!(
            updates("512"),
            "fenwick-updates of 512 elements takes 514 steps: a page shows 78 of so many elements; take fewer elements, or larger \
             blocks"
        );
    }

    #[test]
    fn what_depends_on_an_element() {
        // The run of 3 1 7 0 goes up (words 1 and 3), sets the root, and goes down; element 2 is followed through it.
        let lit = &blelloch(&[("lit", json!(2))])["lit"][0];
        let arrays = blelloch(&[])["runs"][0]["arrays"].as_array().unwrap().len();
        assert_eq!(lit["initial"].as_array().unwrap().len(), arrays);
        assert_eq!(lit["initial"][0], json!([2]));
        let steps = lit["steps"].as_array().unwrap();
        assert_eq!(steps.len(), blelloch(&[])["runs"][0]["steps"].as_array().unwrap().len());
        // Only the last result has element 2 in it.
        let stored: Vec<_> = steps.last().unwrap().as_array().unwrap().iter().map(|event| event[0].clone()).collect();
        assert_eq!(stored, [json!([0, 0]), json!([0, 1])]);
    }

    #[test]
    fn an_element_is_followed_on_its_way_through_a_sort() {
        let question =
            |lit| json!({ "algorithm": "quicksort", "op": "sum", "n": "8", "values": "3,1,7,0,4,1,6,3", "lit": lit });
        // Returns the positions that hold this element, in the order in which it comes to them.
        let way = |element: u64| {
            let answer = asked(question(element));
            let (run, marks) = (&answer["runs"][0], &answer["lit"][0]);
            assert_eq!(marks["initial"][0], json!([element]));
            let mut places = Vec::new();
            for (step, marks) in run["steps"].as_array().unwrap().iter().zip(marks["steps"].as_array().unwrap()) {
                for (event, marks) in step["events"].as_array().unwrap().iter().zip(marks.as_array().unwrap()) {
                    let writes = event[2].as_array().unwrap().iter().zip(marks[0].as_array().unwrap());
                    places.extend(writes.filter(|(_, mark)| **mark == 1).map(|(write, _)| write[1].as_u64().unwrap()));
                }
            }
            places
        };
        // Each is loaded, moved in round 1 (3 to position 3, 7 to 5, the second 1 to 2), moved in round 2, stored.
        assert_eq!([way(0), way(2), way(5)], [[0, 3, 3, 3], [2, 5, 7, 7], [5, 2, 2, 2]]);
    }

    #[test]
    fn comparisons_are_counted_anew() {
        let ask =
            |names: &str, n: &str, banks: &str| asked(json!({ "compare": names, "n": n, "banks": banks, "log": "26" }));
        let table = ask("kogge-stone,blelloch,blelloch", "256", "16");
        let text = table["compared"].as_str().unwrap();
        // The work is n log n - (n - 1) and 2 (n - 1) operations; the algorithm that is named twice is there once.
        assert!(text.contains("1793") && text.contains("510") && text.contains("256 elements, 16 banks"), "{text}");
        assert_eq!(text.matches("href=\"blelloch.html\"").count(), 1);
        for (names, n, banks, words) in [
            ("sort", "8", "16", "there is no algorithm"),
            ("blelloch", "0", "16", "n: 0 elements; a page compares 1 to 65536"),
            ("blelloch", "x", "16", "n: \"x\" is no whole number"),
            ("blelloch", "8", "7", "banks: there are 2, 4, 8, 16 or 32"),
        ] {
            let error = ask(names, n, banks)["error"].clone();
            assert!(error.as_str().is_some_and(|error| error.starts_with(words)), "{names} {n} {banks}: {error}");
        }
    }

    #[test]
    fn whole_pages_are_those_of_the_run() {
        let page = blelloch(&[("whole", json!(true))]);
        assert!(page["head"].as_str().unwrap().contains("exclusive scan of 4 elements"));
        assert!(page["played"].as_str().unwrap().contains("id=\"run\""));
        assert_eq!(page["heads"], Value::Null);
        assert_eq!(blelloch(&[("beside", json!("segmented-pairs")), ("heads", json!("2"))])["heads"], "0,2");
        let pair = blelloch(&[("whole", json!(true)), ("beside", json!("kogge-stone"))]);
        assert_eq!(pair["title"], "blelloch beside kogge-stone");
        assert!(pair["played"].as_str().unwrap().contains("id=\"run-2\""));
    }
}
