//! Pages of the book: contents, and a page a chapter.

use super::super::plot::{self, COPY, Speed};
use super::super::recording::Recording;
use super::super::{small, svg, telling};
use super::compare::{self, Comparison};
use super::lesson::prose;
use super::{BESIDE, document, live};
use crate::algorithm::{Algorithm, Computes, Input};
use crate::algorithms::by_name;
use crate::book::occupancy::{GPUS, WHAT, hiding};
use crate::book::{BEGIN, CHAPTERS, Chapter};
use crate::claims::{Claim, Play, play};
use crate::forecast::raced;
use crate::operator::Operator;
use crate::sample;
use maud::{Markup, PreEscaped, html};

const SCRIPT: &str = include_str!("../../../assets/book.js");
const COMPARE: &str = include_str!("../../../assets/compare.js");

/// Page with the book's contents: links to its chapters, and to `overview`, the page of all algorithms.
#[must_use]
pub fn contents(overview: &str) -> String {
    document(
        "Scans, played",
        &html! {
            header {
                h1 { "Scans, played" }
                p {
                    "Ten chapters on parallel scan and reduction. Each asks before it answers, sets algorithms beside each other, leads to the steps that show it, has an \
                     exercise that checks itself, and says what lectures print that does not hold. All numbers are counted by the model, or recorded on an NVIDIA H200."
                }
                p { a href=(overview) { "All algorithms, step by step" } }
            }
            ol.contents {
                @for chapter in CHAPTERS { li { h2 { a href=(format!("{}.html", chapter.file)) { (chapter.title) } } p { (chapter.question) } } }
            }
        },
    )
}

/// Page of a chapter. It shows those of the tested `claims` that the chapter names.
#[must_use]
pub fn chapter(chapter: &Chapter, claims: &[Claim]) -> String {
    let place = CHAPTERS.iter().position(|other| other.file == chapter.file).unwrap_or(0);
    let other = |place: Option<usize>| place.and_then(|place| CHAPTERS.get(place));
    let (previous, next) = (other(place.checked_sub(1)), other(Some(place + 1)));
    document(
        chapter.title,
        &html! {
            header {
                nav aria-label="Chapters" {
                    a href="index.html" { "Contents" }
                    @if let Some(previous) = previous { a rel="prev" href=(format!("{}.html", previous.file)) { "← " (previous.title) } }
                    @if let Some(next) = next { a rel="next" href=(format!("{}.html", next.file)) { (next.title) " →" } }
                }
                h1 { (chapter.title) }
                @for text in chapter.text { p { (prose(text)) } }
            }
            section.text {
                h2 { "Question" }
                p { strong { (prose(chapter.question)) } }
                details.answer { summary { "The answer" } @for text in chapter.answer { p { (prose(text)) } } }
            }
            @if let Some(picture) = picture(chapter) {
                section {
                    h2 { "A whole run" }
                    p.about {
                        "Each row is a step of " code { (picture.algorithm.name) } ", on a small machine with warps of " (picture.shape.warp) " threads and "
                        (picture.shape.banks.number()) " banks: what was read, and what was written of it."
                    }
                    div.box.picture tabindex="0" role="region" aria-label="A picture of a run" { (svg::part(&picture)) }
                }
            }
            section aria-labelledby="beside-title" {
                h2 id="beside-title" { "Side by side" }
                @let comparison = comparison(chapter);
                (compare::form(&comparison))
                div id="compared" { (comparison.markup()) }
                p { "To see two of them do it: " (in_step(chapter)) "." }
            }
            (race(chapter))
            section.text {
                h2 { "Play it" }
                ul.list {
                    @for (name, step, words) in chapter.play { li { a href=(format!("{name}.html#step={step}")) { (name) ", step " (step) } ": " (words) } }
                }
            }
            @if chapter.file == "10-latency" { (calculator()) }
            (exercise(chapter))
            (errata(chapter, claims))
            (live::model())
            script { (PreEscaped(live::ASK)) (PreEscaped(COMPARE)) (PreEscaped(SCRIPT)) }
        },
    )
}

/// Records a run of the second algorithm in `in_step`, with few elements and on a small machine, as a picture.
fn picture(chapter: &Chapter) -> Option<Recording> {
    let algorithm: &'static Algorithm = by_name(chapter.in_step[1])?;
    let n = if algorithm.has_tiles() { 16 } else { 8 };
    let (values, heads) = (sample::values::<i64>(3, n), sample::heads(3, n));
    let input = Input { values: &values, heads: &heads };
    Recording::of(algorithm, Operator::<i64>::sum(), small(), &input).ok()
}

/// Plot of the throughputs that the chapter's algorithms had in the recorded race.
fn race(chapter: &Chapter) -> Markup {
    let speeds: Vec<Speed<'_>> = [COPY]
        .iter()
        .chain(chapter.compare.2)
        .flat_map(|&name| {
            let is_reduction = by_name(name).is_some_and(|algorithm| algorithm.computes == Computes::Reduction);
            let bytes = if is_reduction { 4.0 } else { 8.0 };
            let speed = move |(log, micros)| {
                let n = 1_usize << log;
                Speed { name, n, gbps: bytes * n as f64 / micros / 1e3 }
            };
            raced(name).map(speed)
        })
        .collect();
    html! {
        section {
            h2 { "The race" }
            p.about {
                "32-bit sums on an H200, as recorded: the bytes that must be read and written, in the time that it took, as a share of what a copy reaches of \
                 the same array. On the left the launches count, on the right what is done with an element."
            }
            div.box.picture tabindex="0" role="region" aria-label="Speeds in the race" { (plot::race_part(&speeds)) }
        }
    }
}

/// Link to the page on which two of a chapter's algorithms play in step, on a machine that shows them.
fn in_step(chapter: &Chapter) -> Markup {
    let [first, second] = chapter.in_step;
    let (n, shape) = by_name(second).map_or((16, small()), telling);
    let mut link =
        format!("{BESIDE}#algorithm={first}&beside={second}&n={n}&banks={}&warp={}", shape.banks.number(), shape.warp);
    if let Some(tile) = shape.tile {
        link.push_str(&format!("&tile={tile}"));
    }
    html! { a href=(link) { code { (first) } " and " code { (second) } " in step" } }
}

/// Comparison of the chapter's algorithms side by side, for 2²⁶ elements.
fn comparison(chapter: &Chapter) -> Comparison {
    let (n, banks, names) = chapter.compare;
    let algorithms = names.iter().filter_map(|name| by_name(name)).collect();
    Comparison { algorithms, n, shape: banks.into(), large: true }
}

fn exercise(chapter: &Chapter) -> Markup {
    let exercise = &chapter.exercise;
    let Some(answer) = (exercise.answer)() else { return html! {} };
    html! {
        section.text {
            h2 { "Exercise" }
            p { (prose(exercise.question)) }
            form id="exercise" data-answer=(answer) data-live hidden {
                label { span { "Your answer" } input id="guess" type="number" step="1" inputmode="numeric" required; }
                button.wide type="submit" { "Check" }
            }
            p id="verdict" role="status" {}
            p id="hint" hidden { (prose(exercise.hint)) }
            details id="why" { summary { "The answer, and why" } p { strong { (answer) } ". " (prose(exercise.why)) } }
        }
    }
}

/// Section with the claims of lectures and papers about the chapter's subject.
fn errata(chapter: &Chapter, claims: &[Claim]) -> Markup {
    let own: Vec<&Claim> =
        chapter.claims.iter().filter_map(|name| claims.iter().find(|claim| claim.name == *name)).collect();
    if own.is_empty() {
        return html! {};
    }
    html! {
        section.text {
            h2 { "What lectures say, and what is counted" }
            @for claim in own {
                details.claim open[!claim.holds] {
                    summary { @if claim.holds { "Holds: " } @else { "Differs: " } (claim.statement) }
                    dl {
                        dt { "Source" } dd { (claim.source) }
                        dt { "Said" } dd { (claim.claimed) }
                        dt { "Found" } dd { (claim.found) }
                    }
                    p { (claim.remark) }
                    @if let Some(Play { algorithm, settings }) = play(claim.name) {
                        p { a href=(format!("{algorithm}.html#{settings}")) { "See it in " (algorithm) @if let Some(step) = step_of(settings) { ", step " (step) } } }
                    }
                }
            }
        }
    }
}

/// Number of the step to which the fragment of an address leads, if it names one.
fn step_of(settings: &str) -> Option<&str> {
    settings.split('&').find_map(|setting| setting.strip_prefix("step="))
}

/// Calculator of the warps that are resident on a multiprocessor, and of the warps that hide a latency.
fn calculator() -> Markup {
    let (gpu, kernel) = BEGIN;
    let number = |id: &str, label: &str, value: u64| {
        html! { label { span { (label) } input id=(id) type="number" min="0" max="1000000" value=(value); } }
    };
    let resident = GPUS[gpu].holds(&kernel);
    let allowed = ["threads", "blocks", "registers", "shared"].into_iter().zip(WHAT).zip(resident.allowed);
    let schedulers = GPUS[gpu].schedulers;
    html! {
        section {
            h2 { "Calculator" }
            form id="calculator" data-live hidden { div.settings {
                label { span { "GPU" } select id="gpu" {
                    @for (place, limits) in GPUS.iter().enumerate() {
                        option value=(place) selected[place == gpu] data-threads=(limits.threads) data-blocks=(limits.blocks) data-registers=(limits.registers)
                            data-shared=(limits.shared) data-granule=(limits.granule) data-block=(limits.block) data-reserved=(limits.reserved)
                            data-schedulers=(limits.schedulers) { (limits.name) }
                    }
                } }
                (number("threads", "Threads of a block", kernel.threads))
                (number("registers", "Registers of a thread", kernel.registers))
                (number("shared", "Bytes of shared memory of a block", kernel.shared))
                (number("latency", "Cycles of latency", 400))
                (number("cycles", "Cycles of an instruction", 1))
                (number("between", "Instructions between two waits", 8))
            } }
            table.times {
                tbody {
                    @for ((name, what), value) in allowed {
                        tr { th scope="row" { "blocks that fit by " (what) } td id=(format!("by-{name}")) data-what=(what) { (value) } }
                    }
                    @for (id, label, value) in [
                        ("blocks", "blocks on a multiprocessor", resident.blocks),
                        ("warps", "warps on a multiprocessor", resident.warps),
                        ("occupancy", "occupancy in per cent", resident.occupancy),
                        ("schedulers", "schedulers", schedulers),
                        ("needed", "warps that hide the latency, of all schedulers", schedulers * hiding(400, 1, 8)),
                    ] { tr { th scope="row" { (label) } td id=(id) { (value) } } }
                }
            }
            p id="says" role="status" {}
        }
    }
}
