//! Page on which two runs play in step.

use super::super::json;
use super::super::recording::Recording;
use super::compare::{bar, listed};
use super::live::{panel, scripts};
use super::page::{controls, lane, navigation, pseudocode};
use super::{Links, document, legend};
use crate::forecast::{Forecast, H200, recorded};
use maud::{Markup, PreEscaped, html};

/// Page on which the runs of two algorithms are shown step by step side by side, and compared.
#[must_use]
pub fn pair(first: &Recording, second: &Recording, links: Option<&Links<'_>>) -> String {
    let both = [first, second];
    document(
        &title(both),
        &html! {
            header {
                @if let Some(links) = links { (navigation(links)) }
                div id="head" { (head(both)) }
            }
            (panel(first, Some(second)))
            div id="played" { (played(both)) }
            (scripts())
        },
    )
}

/// Parts of the page that change when another pair is shown: its title, its head, and its player.
pub(crate) fn live_pair(first: &Recording, second: &Recording) -> [String; 3] {
    let both = [first, second];
    [title(both), head(both).0, played(both).0]
}

fn title(both: [&Recording; 2]) -> String {
    both.map(|run| run.algorithm.name).join(" beside ")
}

fn head(both: [&Recording; 2]) -> Markup {
    html! {
        h1.name { (title(both)) }
        @for run in both {
            p { a href=(format!("{}.html", run.algorithm.name)) { (run.algorithm.name) } ": " (run.algorithm.title) ". " span.quiet { (run.summary()) "." } }
            @if let Some(fault) = run.fault { p.fault { strong { "The model stops. " } (fault) "." } }
        }
    }
}

fn played(both: [&Recording; 2]) -> Markup {
    let steps = both.iter().map(|run| run.run.steps.len()).max().unwrap_or(0);
    let lanes = || both.into_iter().zip(["", "-2"]);
    html! {
        section aria-label="Player" data-live hidden {
            (controls(steps))
            @for (run, suffix) in lanes() { h2.lane { (run.algorithm.name) } (lane(suffix)) }
            p id="what" class="quiet" aria-live="polite" {}
            (legend(true))
        }
        section aria-labelledby="so-far-title" data-live hidden {
            h2 id="so-far-title" { "So far" }
            (so_far(both))
        }
        section.text aria-labelledby="why-title" { h2 id="why-title" { "In all, and why" } (in_all(both)) (why(both)) }
        div.halves {
            @for (run, suffix) in lanes() {
                section { h2 { "Pseudocode of " (run.algorithm.name) } (pseudocode(&run.algorithm.lesson(), &format!("code{suffix}"))) }
            }
        }
        @for (run, suffix) in lanes() {
            script id=(format!("run{suffix}")) type="application/json" { (PreEscaped(json::script(run))) }
        }
    }
}

/// Table of bars, one a count and run, that a script makes longer from step to step.
fn so_far(both: [&Recording; 2]) -> Markup {
    let summed = [("work", "operations"), ("barriers", "barriers"), ("divergent branches", "divergent branches")];
    let summed =
        summed.into_iter().chain([("bank conflicts", "bank conflicts"), ("cycles", "cycles of shared memory")]);
    let place = |name: &str| json::NAMES.iter().position(|own| *own == name);
    html! {
        table id="so-far" class="bars" {
            thead { tr { th scope="col" { "what" } @for run in both { th scope="col" { (run.algorithm.name) } } } }
            tbody {
                tr data-span="0" { (row("depth")) }
                @for (label, name) in summed { tr data-place=[place(name)] { (row(label)) } }
                tr data-span="1" { (row("critical cycles")) }
            }
        }
    }
}

fn row(label: &str) -> Markup {
    html! { th scope="row" { (label) } @for _ in 0..2 { td { "0" span.bar-of {} } } }
}

/// Row of a comparison: the name of a count or a time, and the two numbers, as far as there are any.
struct Measure {
    name: &'static str,
    of: [Option<f64>; 2],
}

/// Counts work, depth, conflicts and critical cycles of both runs, without loads and stores.
fn counted(both: [&Recording; 2]) -> [Measure; 4] {
    let of = |number: fn(&Recording) -> u64| both.map(|run| Some(number(run) as f64));
    [
        Measure { name: "work", of: of(|run| run.run.inner().operations) },
        Measure { name: "depth", of: of(|run| run.run.span().operations) },
        Measure { name: "bank conflicts", of: of(|run| run.run.inner().conflicts) },
        Measure { name: "critical cycles", of: of(|run| run.run.span().cycles) },
    ]
}

/// Returns both recorded times in microseconds for 2²⁶ elements, and both forecasts.
fn times(both: [&Recording; 2]) -> ([Option<f64>; 2], [Option<Forecast>; 2]) {
    let recorded = both.map(|run| recorded(run.algorithm.name).and_then(|micros| micros[1]));
    (recorded, both.map(|run| H200.forecast(run.algorithm, 1 << 26).ok().flatten()))
}

fn in_all(both: [&Recording; 2]) -> Markup {
    let (recorded, foreseen) = times(both);
    let mut measures: Vec<Measure> = counted(both).into();
    measures.push(Measure { name: "µs for 2²⁶ on an H200, recorded", of: recorded });
    measures
        .push(Measure { name: "µs, foreseen", of: foreseen.map(|forecast| forecast.map(|forecast| forecast.micros)) });
    html! {
        table.bars {
            thead { tr { th scope="col" { "without loads and stores" } @for run in both { th scope="col" { (run.algorithm.name) } } } }
            tbody {
                @for Measure { name, of } in &measures {
                    @let most = of.iter().flatten().fold(1.0, |a: f64, &b| a.max(b));
                    tr {
                        th scope="row" { (name) }
                        @for number in of {
                            td { (bar(*number, most)) }
                        }
                    }
                }
            }
        }
    }
}

/// Index of the smaller of two numbers, if they differ by more than a twentieth.
fn less(of: [Option<f64>; 2]) -> Option<usize> {
    let [Some(a), Some(b)] = of else { return None };
    if a.max(b) <= 1.05 * a.min(b) { None } else { Some(usize::from(b < a)) }
}

/// Explains why one of the two algorithms is faster, as far as that is known, and which counts would say the opposite.
fn why(both: [&Recording; 2]) -> Markup {
    let names = both.map(|run| run.algorithm.name);
    let (recorded, foreseen) = times(both);
    let measures = counted(both);
    let by = |which: usize| {
        measures
            .iter()
            .filter(|measure| less(measure.of) == Some(which))
            .map(|measure| measure.name)
            .collect::<Vec<_>>()
    };
    let fast = less(recorded);
    html! {
        @match (fast, recorded) {
            (Some(fast), [Some(a), Some(b)]) => {
                p {
                    "On an NVIDIA H200 " strong { (names[fast]) " is faster" } ", " (format!("{:.1}", a.max(b) / a.min(b))) " times. "
                    @if !by(fast).is_empty() { "Its " (listed(&by(fast))) " would say so. " }
                    @if !by(1 - fast).is_empty() { "By " (listed(&by(1 - fast))) " it should be " (names[1 - fast]) ", and it is not: that is not what the kernels wait for." }
                }
            }
            (None, [Some(_), Some(_)]) => p { "On an NVIDIA H200 both take the same time, but for a twentieth at most." },
            _ => p { "Both are on no record, so it is not known which is faster." },
        }
        @for (name, forecast) in names.into_iter().zip(&foreseen) {
            @if let Some(Forecast { bound, parts: [issue, turns, bandwidth, latency], .. }) = forecast {
                p {
                    code { (name) } " waits for " strong { (bound.name()) } ": for 2²⁶ elements its main kernel takes "
                    (format!("{issue:.0}")) " µs to issue its instructions, " (format!("{turns:.0}")) " for turns of shared memory, "
                    (format!("{bandwidth:.0}")) " for bytes, and " (format!("{latency:.0}")) " for the chain of its steps, by the model and data sheets."
                }
            } @else {
                p { code { (name) } " is none that the model foresees: its blocks wait for each other, or it has no kernel of one block." }
            }
        }
        @if let [Some(a), Some(b)] = foreseen {
            @match (fast, less([Some(a.micros), Some(b.micros)])) {
                (Some(fast), Some(foreseen)) if fast == foreseen => p { "The model foresees which one is faster. Its times are too short." },
                (Some(_), Some(foreseen)) => p { strong { "Here the model fails: " } "it foresees " (names[foreseen]) " to be faster." },
                (Some(_), None) => p { strong { "Here the model fails: " } "it foresees the same time for both, but for a twentieth." },
                (None, Some(foreseen)) => p { strong { "Here the model fails: " } "it foresees " (names[foreseen]) " to be faster by more than a twentieth." },
                (None, None) => {}
            }
        }
    }
}
