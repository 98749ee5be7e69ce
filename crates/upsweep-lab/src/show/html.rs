//! Pages: a run that plays, and an overview of many. Each is one file that needs no network, and may not use one.

use super::recording::Recording;
use super::{DEGREES, json, svg};
use crate::machine::Run;
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("../../assets/page.css");
const PLAYER: &str = include_str!("../../assets/player.js");
const STAGE: &str = include_str!("../../assets/stage.js");

/// Nothing may be loaded from anywhere; style and script are those in the page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; \
                      base-uri 'none'; form-action 'none'";

/// What every page says near its beginning, and no other file does.
pub const MARK: &str = "upsweep lab, the laboratory of scans";

/// A page on which the run plays. `overview` is a link back.
#[must_use]
pub fn page(recording: &Recording, overview: Option<&str>) -> String {
    let algorithm = recording.algorithm;
    document(
        algorithm.title,
        &html! {
            header {
                @if let Some(overview) = overview { nav { a href=(overview) { "All algorithms" } } }
                h1 { (algorithm.title) }
                p.quiet { code { (algorithm.name) } ": " (recording.summary()) }
                p.quiet { (algorithm.source) }
                @if let Some(heads) = recording.segments() {
                    p.quiet { "Segments begin at " (heads.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")) "." }
                }
                @if let Some(fault) = recording.fault {
                    p.fault { strong { "The model stops. " } (fault) "." }
                }
            }
            noscript { p { "Playing needs JavaScript. The picture of the whole run is below." } }
            section aria-label="Player" {
                (controls(recording.run.steps.len()))
                p id="now" aria-live="polite" {}
                div.box { svg class="run stage" id="stage" role="group" aria-label="The step: words read, threads, words written. Up and down go from one to the next." {} }
                p id="what" class="quiet" aria-live="polite" {}
                (legend(true))
            }
            div.columns {
                section aria-labelledby="memory-title" {
                    h2 id="memory-title" { "Memory after the step" }
                    div id="memory" {}
                }
                section aria-labelledby="counts-title" {
                    h2 id="counts-title" { "Counts" }
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
            section {
                h2 { "The whole run" }
                div.box.picture tabindex="0" role="region" aria-label="The whole run as a picture" { (svg::part(recording)) }
            }
            script id="run" type="application/json" { (PreEscaped(json::script(recording))) }
            script { (PreEscaped(STAGE)) (PreEscaped(PLAYER)) }
        },
    )
}

/// An overview: a card for each recording, with a link to `NAME.html`.
#[must_use]
pub fn overview(recordings: &[Recording]) -> String {
    document(
        "The scan laboratory",
        &html! {
            header {
                h1 { "The scan laboratory" }
                p.quiet {
                    "The classic algorithms of parallel scan (prefix sums) and reduction, run on a machine model that counts. \
                     Rows of a picture are steps, columns are words (of wide arrays, the first ones); arrows go from what is read to \
                     what is written. Work is the number of operations, depth how many of them follow each other; cycles, \
                     conflicts and divergent branches are those between the load and the store."
                }
                (legend(false))
            }
            ul.cards {
                @for recording in recordings { li.card { (card(recording)) } }
            }
        },
    )
}

fn card(recording: &Recording) -> Markup {
    let algorithm = recording.algorithm;
    let link = format!("{}.html", algorithm.name);
    html! {
        p.kind { (algorithm.computes.name()) }
        h2 { a href=(link) { (algorithm.title) } }
        p.quiet { (algorithm.source) }
        div.thumbnail { (svg::thumbnail(recording)) }
        div {
            (facts(&recording.run))
            @if let Some(fault) = recording.fault { p.fault { (fault) "." } }
        }
        p.quiet { code { (algorithm.name) } ", n = " (recording.input.len()) }
    }
}

/// What a run costs; cycles and so on without loads and stores.
fn facts(run: &Run) -> Markup {
    let inner = run.inner();
    let facts = [
        ("work", inner.operations),
        ("depth", run.span().operations),
        ("barriers", run.total().barriers),
        ("cycles", inner.cycles),
        ("conflicts", inner.conflicts),
        ("divergent branches", inner.divergent_branches),
    ];
    html! {
        dl.facts { @for (name, number) in facts { div { dt { (name) } dd { (number) } } } }
    }
}

fn controls(steps: usize) -> Markup {
    let button = |id: &str, label: &str, icon: &str| {
        html! {
            button type="button" id=(id) aria-label=(label) title=(label) {
                svg viewBox="0 0 20 20" aria-hidden="true" { path d=(icon) {} }
            }
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
            label { span { "Speed" } select id="speed" {
                @for (value, name) in [("0.5", "half"), ("1", "normal"), ("2", "double"), ("4", "fourfold")] {
                    option value=(value) selected[value == "1"] { (name) }
                }
            } }
        }
    }
}

/// What the arrows mean; `steps`: and what else a page with steps has.
fn legend(steps: bool) -> Markup {
    html! {
        ul.legend {
            @for (_, name, style) in DEGREES {
                li { svg class="run" viewBox="0 0 34 12" width="34" height="12" aria-hidden="true" {
                    path class=(format!("arrow {style}")) d="M1 6H31" {} path class=(format!("arrow tip {style}")) d="M26 2L31 6L26 10" {}
                } (name) }
            }
            @if steps {
            li { svg class="run" viewBox="0 0 34 16" width="34" height="16" aria-hidden="true" {
                rect class="cell new" x="4" y="1" width="26" height="14" rx="2" {}
            } "written" }
            li { svg class="run" viewBox="0 0 34 16" width="34" height="16" aria-hidden="true" {
                path class="fork" d="M17 15V9M17 9L11 2M17 9L23 2" {}
            } "divergent warp" }
            }
        }
    }
}

fn document(title: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="generator" content=(MARK);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                link rel="icon" href="data:,";
                title { (title) }
                style { (PreEscaped(svg::COLOURS)) (PreEscaped(svg::STYLE)) (PreEscaped(STYLE)) }
            }
            body { main { (body) } }
        }
    };
    page.0
}
