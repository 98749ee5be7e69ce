//! Page on which a run plays.

use super::super::recording::Recording;
use super::super::{hints, json, svg};
use super::lesson::{parts, prose};
use super::live::{panel, scripts};
use super::{Links, document, legend};
use crate::algorithm::Algorithm;
use crate::forecast::{Forecast, H200, recorded};
use crate::lesson::{Lesson, PSEUDOCODE, Part};
use crate::machine::{Space, WARP};
use maud::{Markup, PreEscaped, html};

/// Page on which the recorded run plays, with links to other pages, if there are any.
#[must_use]
pub fn page(recording: &Recording, links: Option<&Links<'_>>) -> String {
    document(
        recording.algorithm.title,
        &html! {
            header {
                @if let Some(links) = links { (navigation(links)) }
                div id="head" { (head(recording)) }
            }
            (panel(recording, None))
            div id="played" { (played(recording)) }
            (scripts())
        },
    )
}

/// Parts of the page that change when another run is shown: its title, its head, and its player.
pub(crate) fn live_page(recording: &Recording) -> [String; 3] {
    [recording.algorithm.title.to_owned(), head(recording).0, played(recording).0]
}

/// Head of the page: title, settings, and the idea of the algorithm.
fn head(recording: &Recording) -> Markup {
    let algorithm = recording.algorithm;
    html! {
        h1 { (algorithm.title) }
        p.quiet { code { (algorithm.name) } ": " (recording.summary()) }
        @if let Some(heads) = recording.segments() {
            p.quiet { "Segments begin at " (heads.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")) "." }
        }
        @if let Some(fault) = recording.fault {
            p.fault { strong { "The model stops. " } (fault) "." }
        }
        (idea(&algorithm.lesson()))
    }
}

/// Player of the run, and the sections about it.
fn played(recording: &Recording) -> Markup {
    let algorithm = recording.algorithm;
    let lesson = algorithm.lesson();
    html! {
        section aria-label="Player" data-live hidden {
            (controls(recording.run.steps.len()))
            (lane(""))
            p id="what" class="quiet" aria-live="polite" {}
            (legend(true))
        }
        div.columns {
            section aria-labelledby="code-title" {
                h2 id="code-title" { "Pseudocode" }
                (pseudocode(&lesson, "code"))
                @if recording.shape.warp < WARP {
                    p.quiet {
                        "Numbers in the text are a GPU's. Here warps have " (recording.shape.warp) " threads"
                        @if let Some(tile) = recording.tile() { ", and blocks " (tile) " elements" } "."
                    }
                }
            }
            section aria-labelledby="counts-title" data-live hidden {
                h2 id="counts-title" { "Counts" }
                (counts())
            }
        }
        div data-live hidden {
            (banks(recording))
            section id="tiles" aria-labelledby="tiles-title" hidden {
                h2 id="tiles-title" { "What the tiles know of each other" }
                p.quiet { "A column for each tile. A: its aggregate is there; P: its inclusive prefix. Framed: read in this step." }
                div.box tabindex="0" role="region" aria-label="Tiles" { table id="tile-table" class="grid" {} }
            }
            section aria-labelledby="memory-title" {
                h2 id="memory-title" { "Memory and registers after the step" }
                div id="memory" {}
            }
        }
        @for section in lesson.sections.iter().skip(1).filter(|section| section.heading != PSEUDOCODE) {
            section.text { h2 { (section.heading) } (parts(section)) }
        }
        (gpu(algorithm))
        @let hints = hints(algorithm);
        @if !hints.is_empty() {
            section.text {
                h2 { "Which length shows what" }
                ul.list { @for (options, words) in &hints { li { code { "upsweep lab show " (algorithm.name) " " (options) } ": " (words) } } }
            }
        }
        section.text { h2 { "Source" } p { (algorithm.source) } }
        section {
            h2 { "The whole run" }
            div.box.picture tabindex="0" role="region" aria-label="The whole run as a picture" { (svg::part(recording)) }
        }
        script id="run" type="application/json" { (PreEscaped(json::script(recording))) }
    }
}

/// Elements of the page in which a script draws a run's step and describes it.
pub(super) fn lane(suffix: &str) -> Markup {
    let label = "The step: words read, threads, words written. Up and down go from one to the next.";
    html! {
        p.now id=(format!("now{suffix}")) aria-live="polite" {}
        div.box { svg class="run stage" id=(format!("stage{suffix}")) role="group" aria-label=(label) {} }
    }
}

/// Pseudocode of an algorithm, in an element with this id.
pub(super) fn pseudocode(lesson: &Lesson, id: &str) -> Markup {
    html! { div id=(id) { @if let Some(section) = lesson.section(PSEUDOCODE) { (parts(section)) } } }
}

/// Links to other pages.
pub(super) fn navigation(links: &Links<'_>) -> Markup {
    html! {
        nav aria-label="Algorithms" {
            a href=(links.overview) { "All algorithms" }
            @if let Some(previous) = links.previous { a rel="prev" href=(format!("{previous}.html")) { "← " (previous) } }
            @if let Some(next) = links.next { a rel="next" href=(format!("{next}.html")) { (next) " →" } }
        }
    }
}

/// First section of an algorithm's text: its paragraphs, and its picture in text, folded.
fn idea(lesson: &Lesson) -> Markup {
    let Some(section) = lesson.sections.first() else { return html! {} };
    html! {
        @for part in &section.parts { @if let Part::Prose(text) = part { p { (prose(text)) } } }
        @if let Some(Part::Code(lines)) = section.parts.iter().find(|part| matches!(part, Part::Code(_))) {
            details { summary { "As a picture in text" }
                pre tabindex="0" role="region" aria-label="As a picture in text" { @for line in lines { (line.text) "\n" } }
            }
        }
    }
}

/// Section in which a script shows a step's accesses to shared memory and their banks.
fn banks(recording: &Recording) -> Markup {
    let number = recording.shape.banks.number();
    html! {
        @if recording.run.arrays.iter().any(|array| array.space == Space::Shared) {
            section id="bank-area" aria-labelledby="banks-title" {
                h2 id="banks-title" { "Banks of shared memory" }
                p.quiet {
                    "Word i lies in bank i modulo " (number) ". A bank gives one word a turn. Words of one bank stand in one column: each takes a turn of \
                     its own. Threads at the same word share its turn."
                }
                label.choice { span { "Access" } select id="access" {} }
                div id="bank-box" {}
            }
        } @else {
            section id="bank-area" hidden { select id="access" aria-label="Access" {} div id="bank-box" {} }
        }
    }
}

/// Section with the algorithm's recorded times on a GPU, and the forecasts.
fn gpu(algorithm: &Algorithm) -> Markup {
    let Some(recorded) = recorded(algorithm.name) else { return html! {} };
    let micros = |micros: Option<f64>| micros.map_or_else(|| "-".to_owned(), |micros| format!("{micros:.1}"));
    let foreseen = |n| H200.forecast(algorithm, n).ok().flatten();
    let [small, large] = [1 << 20, 1 << 26].map(foreseen);
    let time = |forecast: Option<Forecast>| micros(forecast.map(|forecast| forecast.micros));
    html! {
        section.text {
            h2 { "Microseconds on an " (H200.name) }
            table.times {
                thead { tr { th scope="col" { "32-bit sums" } th scope="col" { "2²⁰ elements" } th scope="col" { "2²⁶ elements" } } }
                tbody {
                    tr { th scope="row" { "recorded" } td { (micros(recorded[0])) } td { (micros(recorded[1])) } }
                    @if small.is_some() { tr { th scope="row" { "foreseen" } td { (time(small)) } td { (time(large)) } } }
                }
            }
            @if let Some(Forecast { bound, parts: [issue, turns, bandwidth, latency], .. }) = large {
                p {
                    "For 2²⁶ elements the main kernel waits for " strong { (bound.name()) } ": issuing its instructions takes "
                    (format!("{issue:.0}")) " µs, turns of shared memory " (format!("{turns:.0}")) ", bytes " (format!("{bandwidth:.0}"))
                    ", and the chain of its steps " (format!("{latency:.0}")) ". They overlap, but not as well as that: the times that are \
                     foreseen are too short. What is right is their order."
                }
            }
        }
    }
}

fn counts() -> Markup {
    html! {
        table id="counts" {
            thead { tr { th scope="col" { "what" } th scope="col" { "this step" } th scope="col" { "so far" } } }
            tbody {
                @for (place, name) in json::NAMES.iter().enumerate() {
                    tr data-most=[(place == json::WORST).then_some("")] { th scope="row" { (name) } td {} td {} }
                }
            }
        }
    }
}

pub(super) fn controls(steps: usize) -> Markup {
    let button = |id: &str, label: &str, icon: &str| {
        html! {
            button type="button" id=(id) aria-label=(label) title=(label) {
                svg viewBox="0 0 20 20" aria-hidden="true" { path d=(icon) {} }
            }
        }
    };
    let choice = |id: &str, label: &str, options: &[(&str, &str)], chosen: &str| {
        html! {
            label { span { (label) } select id=(id) {
                @for (value, name) in options { option value=(value) selected[*value == chosen] { (name) } }
            } }
        }
    };
    html! {
        div.bar {
            div.buttons {
                (button("first", "To the start (Home)", "M5 4V16M15 4L8 10L15 16Z"))
                (button("back", "One step back (left arrow)", "M13 4L6 10L13 16Z"))
                (button("play", "Play (space)", "M6 3L16 10L6 17Z"))
                (button("forward", "One step forward (right arrow)", "M7 4L14 10L7 16Z"))
                (button("last", "To the end (End)", "M15 4V16M5 4L12 10L5 16Z"))
            }
            label.slide { span { "Step" } input id="step" type="range" min="0" max=(steps) value="0"; output id="number" for="step" {} }
            (choice("speed", "Speed", &[("0.5", "half"), ("1", "normal"), ("2", "double"), ("4", "fourfold")], "1"))
            (choice("size", "Size", &[("fit", "readable"), ("all", "all of it"), ("1", "100 %"), ("2", "200 %")], "fit"))
        }
    }
}
