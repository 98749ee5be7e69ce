//! Text of an algorithm on a page.

use crate::lesson::{Line, PSEUDOCODE, Part, Section};
use maud::{Markup, html};

/// Shows the paragraphs, the lists and the code of a section.
pub(super) fn parts(section: &Section) -> Markup {
    let items = |part: &Part| matches!(part, Part::Item(_));
    html! {
        @for group in section.parts.chunk_by(|a, b| items(a) && items(b)) {
            @match group {
                [Part::Prose(text)] => p { (prose(text)) },
                [Part::Code(lines)] => (code(lines, section.heading == PSEUDOCODE)),
                some => ul.list {
                    @for part in some { @if let Part::Item(text) = part { li { (prose(text)) } } }
                },
            }
        }
    }
}

/// Shows text in which code stands between backticks.
pub(super) fn prose(text: &str) -> Markup {
    html! {
        @for (number, part) in text.split('`').enumerate() {
            @if number % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// Shows lines of code. With `runs` it is the pseudocode, whose lines can be lit when a step runs.
fn code(lines: &[Line], runs: bool) -> Markup {
    let steps = |line: &Line| {
        let names: Vec<String> = line.steps.iter().map(ToString::to_string).collect();
        (!names.is_empty()).then(|| names.join("|"))
    };
    html! {
        pre.code[runs] tabindex="0" role="region" aria-label=(if runs { "Pseudocode" } else { "Picture in text" }) {
            @for line in lines {
                @if runs {
                    span.line data-steps=[steps(line)] title=[steps(line).map(|names| format!("step {}", names.replace('|', ", ")))] { (line.text) }
                } @else { (line.text) "\n" }
            }
        }
    }
}
