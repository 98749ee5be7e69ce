//! Page that shows all algorithms.

use super::super::recording::Recording;
use super::super::svg;
use super::{BESIDE, document, legend};
use crate::algorithms::GROUPS;
use crate::machine::Run;
use maud::{Markup, html};

/// Page with a card for each file of algorithms, in groups; the cards have links to `NAME.html`.
#[must_use]
pub fn overview(recordings: &[Recording]) -> String {
    let of_file = |file: &str| -> Vec<&Recording> {
        recordings.iter().filter(|recording| recording.algorithm.file == file).collect()
    };
    document(
        "The scan laboratory",
        &html! {
            header {
                h1 { "The scan laboratory" }
                p {
                    "The classic algorithms of parallel scan (prefix sums) and reduction, run on a machine model that counts. \
                     Rows of a picture are steps, columns are words; arrows go from what is read to \
                     what is written. Work is the number of operations, depth how many of them follow each other; cycles, \
                     conflicts and divergent branches are those between the load and the store."
                }
                p { a href=(BESIDE) { "Two algorithms in step, on the same elements" } }
                (legend(false))
            }
            @for group in GROUPS {
                section aria-label=(group.title) {
                    h2 { (group.title) }
                    p.about { (group.about) }
                    ul.cards {
                        @for file in group.files { @let forms = of_file(file); @if !forms.is_empty() { li.card { (card(&forms)) } } }
                    }
                }
            }
        },
    )
}

/// Card of the algorithms of one file.
fn card(forms: &[&Recording]) -> Markup {
    let [first, others @ ..] = forms else { return html! {} };
    let algorithm = first.algorithm;
    html! {
        p.kind { (algorithm.computes.name()) }
        h3 { a href=(format!("{}.html", algorithm.name)) { (algorithm.title) } }
        div.thumbnail { (svg::thumbnail(first)) }
        div {
            (facts(&first.run))
            @if let Some(fault) = first.fault { p.fault { (fault) "." } }
        }
        p.quiet { code { (algorithm.name) } ", n = " (first.input.len()) ", " (first.shape.banks.number()) " banks" }
        ul.forms {
            @for form in others { li { a href=(format!("{}.html", form.algorithm.name)) { (form.algorithm.name) } ": " (form.algorithm.title) } }
        }
    }
}

/// Costs of a run as a list. Cycles, conflicts and divergent branches are counted without loads and stores.
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
