//! Comparison of algorithms side by side: bars of counts and times, and an explanation.

use super::lesson::prose;
use crate::algorithm::{Algorithm, Computes};
use crate::algorithms::{ALGORITHMS, GROUPS, MAX_THREADS};
use crate::book::counted;
use crate::forecast::{Forecast, H200, recorded};
use crate::machine::Shape;
use maud::{Markup, html};

/// Algorithms to compare, and the run that is counted of each.
#[derive(Clone, Debug)]
pub(crate) struct Comparison {
    /// Algorithms to compare.
    pub(crate) algorithms: Vec<&'static Algorithm>,
    /// Number of elements of the runs that are counted.
    pub(crate) n: usize,
    /// Machine of the runs that are counted.
    pub(crate) shape: Shape,
    /// Whether the times are those for 2²⁶ elements; else they are those for 2²⁰.
    pub(crate) large: bool,
}

/// Row of the table: an algorithm's numbers, one for each column, or the reason why there are none.
struct Row {
    algorithm: &'static Algorithm,
    numbers: Result<[Option<f64>; 6], String>,
    forecast: Option<Forecast>,
}

/// Heads of the table's columns of numbers.
const HEADS: [&str; 6] =
    ["work", "depth", "bank conflicts", "critical cycles", "µs on an H200, recorded", "µs, foreseen by the model"];
/// Index, in [`HEADS`], of the column of recorded times.
const RECORDED: usize = 4;

impl Comparison {
    fn rows(&self) -> Vec<Row> {
        let row = |&algorithm: &&'static Algorithm| {
            let counts = counted(algorithm, self.n, self.shape).map_err(|error| error.to_string());
            let time = recorded(algorithm.name).and_then(|micros| micros[usize::from(self.large)]);
            let forecast = H200.forecast(algorithm, 1 << if self.large { 26 } else { 20 }).ok().flatten();
            let numbers = counts.map(|run| {
                let (inner, span) = (run.inner(), run.span());
                let counts = [inner.operations, span.operations, inner.conflicts, span.cycles];
                let [work, depth, conflicts, cycles] = counts.map(|count| Some(count as f64));
                [work, depth, conflicts, cycles, time, forecast.map(|forecast| forecast.micros)]
            });
            Row { algorithm, numbers, forecast }
        };
        self.algorithms.iter().map(row).collect()
    }

    /// Table of the comparison, and a paragraph that explains it.
    pub(crate) fn markup(&self) -> Markup {
        let rows = self.rows();
        html! {
            div.box tabindex="0" role="region" aria-label="Side by side" { (self.table(&rows)) }
            (self.why(&rows))
        }
    }

    fn table(&self, rows: &[Row]) -> Markup {
        let numbers = |column: usize| {
            rows.iter().filter_map(move |row| row.numbers.as_ref().ok().and_then(|numbers| numbers[column]))
        };
        let most = |column: usize| numbers(column).fold(1.0, f64::max);
        html! {
            table.bars.wide {
                thead { tr {
                    th scope="col" { (self.n) " elements, " (self.shape.banks.number()) " banks; µs for " (self.size()) }
                    @for head in HEADS { th scope="col" { (head) } }
                } }
                tbody {
                    @for Row { algorithm, numbers, .. } in rows {
                        tr {
                            th scope="row" { a href=(format!("{}.html", algorithm.name)) { (algorithm.name) } }
                            @match numbers {
                                Ok(numbers) => {
                                    @for (column, number) in numbers.iter().enumerate() { td { (bar(*number, most(column))) } }
                                }
                                Err(error) => td.quiet colspan=(HEADS.len()) { (error) },
                            }
                        }
                    }
                }
            }
        }
    }

    /// Says how many elements a block has in the GPU timings, for the algorithms with one or two elements a thread.
    fn blocks(&self) -> String {
        let of = |elements: usize| -> Vec<String> {
            let own = |algorithm: &&&Algorithm| algorithm.limit == elements * MAX_THREADS;
            self.algorithms.iter().filter(own).map(|algorithm| format!("`{}`", algorithm.name)).collect()
        };
        let part = |elements: usize| {
            let names = of(elements);
            (!names.is_empty()).then(|| format!("{} elements of {}", 256 * elements, listed(&names)))
        };
        let parts: Vec<String> = [1, 2].into_iter().filter_map(part).collect();
        if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) }
    }

    fn size(&self) -> &'static str {
        if self.large { "2²⁶" } else { "2²⁰" }
    }

    /// Explains the comparison: the fastest algorithm, the counts that agree with it, the bounds of the main kernels.
    fn why(&self, rows: &[Row]) -> Markup {
        // A reduction has one result and a scan has n, so the two are compared apart.
        let is_reduction = |row: &&Row| row.algorithm.computes == Computes::Reduction;
        let (reductions, scans): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(is_reduction);
        let waiting: Vec<String> = rows
            .iter()
            .filter_map(|row| Some(format!("`{}` for {}", row.algorithm.name, row.forecast?.bound.name())))
            .collect();
        let unknown: Vec<&str> = rows
            .iter()
            .filter(|row| recorded(row.algorithm.name).is_none_or(|micros| micros[usize::from(self.large)].is_none()))
            .map(|row| row.algorithm.name)
            .collect();
        html! {
            div.why {
                p.quiet { "Counts are of one run of " (self.n) " elements; in the race a block has 256 threads" (prose(&self.blocks())) "." }
                @for kind in [reductions, scans] { (self.fastest(&kind)) }
                @if !waiting.is_empty() { p { "What the main kernel waits for, by the model: " (prose(&waiting.join("; "))) "." } }
                @if !unknown.is_empty() { p.quiet { "On no record for this size: " (unknown.join(", ")) "." } }
            }
        }
    }

    /// Says which algorithm is fastest, and for how many pairs of algorithms each count has the order of the times.
    fn fastest(&self, rows: &[&Row]) -> Markup {
        let timed: Vec<(&str, &[Option<f64>; 6], f64)> = rows
            .iter()
            .filter_map(|row| {
                let numbers = row.numbers.as_ref().ok()?;
                Some((row.algorithm.name, numbers, numbers[RECORDED]?))
            })
            .collect();
        let by_time = |a: &&(&str, _, f64), b: &&(&str, _, f64)| a.2.total_cmp(&b.2);
        let (Some((fast, _, least)), Some((slow, _, most))) =
            (timed.iter().min_by(by_time), timed.iter().max_by(by_time))
        else {
            return html! {};
        };
        let told =
            |column: usize| order(&timed.iter().map(|(_, numbers, time)| (numbers[column], *time)).collect::<Vec<_>>());
        let all = told(0).1;
        if all == 0 {
            return html! {};
        }
        let names = ["the work", "the depth", "conflicts", "critical cycles", "", "the forecast"];
        let right = |column: usize| format!("{} in {}", names[column], told(column).0);
        // Algorithms whose blocks wait for each other have no forecast.
        let foreseen = timed.iter().all(|(_, numbers, _)| numbers[5].is_some());
        let tellings: Vec<String> = [0, 1, 2, 3].into_iter().chain(foreseen.then_some(5)).map(right).collect();
        html! {
            p {
                "For " (self.size()) " elements on an H200 " strong { (fast) " is the fastest" } ", and " (slow) " takes " (format!("{:.1}", most / least))
                " times as long. Which count says so? " @if all == 1 { "Of this one pair" } @else { "Of the " (all) " pairs whose times differ by more than a twentieth" }
                ", these have the less one where the time is less: " (listed(&tellings)) "."
            }
        }
    }
}

/// Formats words as `a, b and c`.
pub(super) fn listed(words: &[impl AsRef<str>]) -> String {
    let all: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match &all[..] {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [some @ .., last] => format!("{} and {last}", some.join(", ")),
    }
}

/// Shows a number, and a bar that is as long as its share of `most`.
pub(super) fn bar(number: Option<f64>, most: f64) -> Markup {
    html! {
        @if let Some(number) = number {
            (format!("{number:.0}")) span.bar-of style=(format!("width:{:.1}%", 100.0 * number / most)) {}
        } @else { "-" }
    }
}

/// Of the pairs whose times differ by more than a twentieth, the number of those in which the smaller count has the
/// smaller time, and the number of all. Each row has a count and a time.
fn order(rows: &[(Option<f64>, f64)]) -> (usize, usize) {
    let pairs = rows.iter().enumerate().flat_map(|(place, a)| rows[place + 1..].iter().map(move |b| (a, b)));
    let telling = pairs.filter(|(a, b)| a.1.max(b.1) > 1.05 * a.1.min(b.1));
    let right = |(a, b): &(&(Option<f64>, f64), &(Option<f64>, f64))| {
        a.0.zip(b.0).is_some_and(|(first, second)| (first < second) == (a.1 < b.1) && (first > second) == (a.1 > b.1))
    };
    let (mut count, mut all) = (0, 0);
    for pair in telling {
        all += 1;
        count += usize::from(right(&pair));
    }
    (count, all)
}

/// Form with the settings: one more algorithm, the number of elements, the banks, and the length that is timed.
pub(super) fn form(comparison: &Comparison) -> Markup {
    let names: Vec<&str> = comparison.algorithms.iter().map(|algorithm| algorithm.name).collect();
    html! {
        form id="comparison" data-names=(names.join(",")) hidden {
            div.settings {
                label { span { "Elements" } input id="compare-n" type="number" min="1" max=(MOST_COMPARED) value=(comparison.n); }
                label { span { "Banks" } select id="compare-banks" {
                    @for banks in [4, 8, 16, 32] { option value=(banks) selected[banks == comparison.shape.banks.number()] { (banks) } }
                } }
                label { span { "Times for" } select id="compare-log" {
                    @for (log, size) in [("20", "2²⁰ elements"), ("26", "2²⁶ elements")] { option value=(log) selected[(log == "26") == comparison.large] { (size) } }
                } }
                label { span { "One more" } select id="compare-more" {
                    option value="" { "none" }
                    @for group in GROUPS {
                        optgroup label=(group.title) {
                            @for algorithm in group.files.iter().flat_map(|file| ALGORITHMS.iter().filter(move |algorithm| algorithm.file == *file)) {
                                option value=(algorithm.name) { (algorithm.name) }
                            }
                        }
                    }
                } }
            }
            p id="compare-trouble" role="status" {}
        }
    }
}

/// Largest number of elements of a comparison in a page, so that the counts are there at once.
pub(crate) const MOST_COMPARED: usize = 65_536;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::by_name;
    use crate::machine::Banks;

    #[test]
    fn who_is_told_to_be_faster() {
        let of = |numbers: &[(f64, f64)]| order(&numbers.iter().map(|&(a, time)| (Some(a), time)).collect::<Vec<_>>());
        assert_eq!(of(&[(1.0, 10.0), (2.0, 20.0), (3.0, 30.0)]), (3, 3));
        // A smaller count with a longer time, then equal counts, then times that differ too little.
        assert_eq!(of(&[(2.0, 10.0), (1.0, 20.0)]), (0, 1));
        assert_eq!(of(&[(1.0, 10.0), (1.0, 20.0)]), (0, 1));
        assert_eq!(of(&[(1.0, 10.0), (2.0, 10.4)]), (0, 0));
        assert_eq!(order(&[(None, 10.0), (Some(1.0), 20.0)]), (0, 1));
    }

    #[test]
    fn a_comparison_says_why() {
        let of = |names: &[&str], n, large| {
            let algorithms = names.iter().map(|name| by_name(name).unwrap()).collect();
            Comparison { algorithms, n, shape: Banks::ThirtyTwo.into(), large }.markup().0
        };
        let two = of(&["kogge-stone", "blelloch"], 512, true);
        for words in ["4097", "1022", "607", "747", "kogge-stone is the fastest", "blelloch takes 1.2 times as long"] {
            assert!(two.contains(words), "{words}: {two}");
        }
        // The number of operations favours Blelloch's scan; the depth and the forecast favour Kogge-Stone's.
        for words in [
            "Of this one pair",
            "the work in 0, the depth in 1, conflicts in 1, critical cycles in 1 and the forecast in 1",
        ] {
            assert!(two.contains(words), "{words}: {two}");
        }
        assert!(
            of(&["kogge-stone"], 512, false).contains("21")
                && two.contains("<code>blelloch</code> for turns of shared memory")
        );
        // A scan is not compared with a reduction.
        let three = of(&["kogge-stone", "reduce-shuffle", "reduce-interleaved"], 512, true);
        assert!(
            three.contains("reduce-shuffle is the fastest") && !three.contains("kogge-stone is the fastest"),
            "{three}"
        );
        // The row of an algorithm that does not take this number of elements says so.
        assert!(
            of(&["kogge-stone", "blelloch"], 2048, true).contains("kogge-stone takes 1 to 1024 elements, not 2048")
        );
        assert!(of(&["quicksort"], 16, true).contains("On no record for this size: quicksort"));
    }
}
