//! Live pages: the form of the settings, the scripts, and the model that they call.

use super::super::palette::base64;
use super::super::recording::Recording;
use super::super::{MOST_LIVE, listed};
use crate::algorithm::Algorithm;
use crate::algorithms::{ALGORITHMS, GROUPS};
use crate::machine::Order;
use maud::{Markup, PreEscaped, html};

/// Script with the function that asks the compiled model a question.
pub(super) const ASK: &str = include_str!("../../../assets/ask.js");

const SCRIPTS: [&str; 8] = [
    ASK,
    include_str!("../../../assets/run.js"),
    include_str!("../../../assets/stage.js"),
    include_str!("../../../assets/banks.js"),
    include_str!("../../../assets/tiles.js"),
    include_str!("../../../assets/lane.js"),
    include_str!("../../../assets/player.js"),
    include_str!("../../../assets/live.js"),
];

/// Compressed WebAssembly of the model, by `cargo xtask wasm` from this crate. It does not contain itself once more.
#[cfg(not(target_arch = "wasm32"))]
static MODEL: &[u8] = include_bytes!("../../../assets/model.wasm.gz");
#[cfg(target_arch = "wasm32")]
static MODEL: &[u8] = &[];

/// Scripts of a page on which a run plays, and the compiled model that they call.
pub(super) fn scripts() -> Markup {
    html! {
        (model())
        script { @for script in SCRIPTS { (PreEscaped(script)) } }
    }
}

/// Compressed WebAssembly of the model, in base 64, as an element of the page.
pub(super) fn model() -> Markup {
    html! { script id="model" type="text/plain" { (PreEscaped(base64(MODEL))) } }
}

/// Form with all settings of a run; `beside` is the run that is shown beside it.
pub(super) fn panel(recording: &Recording, beside: Option<&Recording>) -> Markup {
    let shape = recording.shape;
    let values = serde_json::to_string(&recording.input).unwrap_or_default();
    let segments = recording.segments().or_else(|| beside?.segments()).map(|heads| listed(&heads));
    let text = |number: Option<String>| number.unwrap_or_default();
    let order = if let Order::Chance(seed) = shape.order { Some(seed.to_string()) } else { None };
    let choice = |id: &str, label: &str, options: &[(String, String)], chosen: &str| {
        html! {
            label { span { (label) } select id=(id) {
                @for (value, name) in options { option value=(value) selected[value == chosen] { (name) } }
            } }
        }
    };
    let numbers = |numbers: &[usize]| numbers.iter().map(|n| (n.to_string(), n.to_string())).collect::<Vec<_>>();
    let operators = [
        ("sum", "sum"),
        ("max", "maximum"),
        ("affine", "functions, one behind the other"),
        ("ranges", "which elements, as x8..11"),
    ]
    .map(|(value, name)| (value.to_owned(), name.to_owned()));
    html! {
        section id="live" aria-label="Settings" hidden {
            form id="settings" {
                details { summary { "Change the algorithm, set another one beside it, change the elements, the operator, the machine" } div.settings {
                    label { span { "Algorithm" } select id="algorithm" { (algorithms(recording.algorithm)) } }
                    label { span { "Beside it" } select id="beside" { option value="" { "nothing" } (algorithms_or_none(beside.map(|run| run.algorithm))) } }
                    (choice("op", "Operator", &operators, recording.operator))
                    label { span { "Elements" } input id="n" type="number" min="1" max=(MOST_LIVE) value=(recording.input.len()); }
                    (choice("banks", "Banks", &numbers(&[2, 4, 8, 16, 32]), &shape.banks.number().to_string()))
                    (choice("warp", "Threads of a warp", &numbers(&[2, 4, 8, 16, 32]), &shape.warp.to_string()))
                    label { span { "Elements of a block" } input id="tile" type="number" min="2" placeholder="usual" value=(text(shape.tile.map(|tile| tile.to_string()))); }
                    label { span { "Order of blocks" } input id="order" type="number" min="0" placeholder="in phases" value=(text(order)); }
                    label { span { "Segments begin at" } input id="heads" type="text" autocomplete="off" placeholder="no segments" disabled[segments.is_none()] value=(text(segments)); }
                } }
                p.quiet { "Drag an element to the left or to the right, or type: what depends on it is marked, in every step." }
                ol id="elements" aria-label="Elements" data-values=(values) data-places=(matches!(recording.operator, "affine" | "ranges")) {}
                p id="trouble" role="status" {}
            }
        }
    }
}

fn algorithms(chosen: &Algorithm) -> Markup {
    algorithms_or_none(Some(chosen))
}

/// Options of a form: all algorithms, in their groups, of which `chosen` is selected, if any is.
fn algorithms_or_none(chosen: Option<&Algorithm>) -> Markup {
    html! {
        @for group in GROUPS {
            optgroup label=(group.title) {
                @for algorithm in group.files.iter().flat_map(|file| ALGORITHMS.iter().filter(move |algorithm| algorithm.file == *file)) {
                    option value=(algorithm.name) selected[chosen.is_some_and(|chosen| chosen.name == algorithm.name)] { (algorithm.name) }
                }
            }
        }
    }
}
