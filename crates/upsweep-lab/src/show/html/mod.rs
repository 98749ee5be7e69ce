//! Pages: a run that plays, and an overview of many. Each is one file that needs no network, and may not use one.

mod book;
mod compare;
mod lesson;
mod live;
mod overview;
mod page;
mod pair;

pub use book::{chapter, contents};
pub(crate) use compare::{Comparison, MOST_COMPARED};
pub use overview::overview;
pub(crate) use page::live_page;
pub use page::page;
pub(crate) use pair::live_pair;
pub use pair::pair;

use super::{DEGREES, palette};
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("../../../assets/page.css");

/// Policy: nothing may be loaded from anywhere. Styles, scripts and the model are those in the page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; \
                      img-src data:; base-uri 'none'; form-action 'none'";

/// Text near the beginning of every page of the laboratory, which no other file has there.
pub const MARK: &str = "upsweep lab, the laboratory of scans";

/// Name of the file, among many pages, in which two algorithms play in step.
pub const BESIDE: &str = "beside.html";

/// Links from a page to other pages.
#[derive(Clone, Copy, Debug)]
pub struct Links<'a> {
    /// File of the page that shows all algorithms.
    pub overview: &'a str,
    /// Name of the previous algorithm, whose page is `NAME.html`.
    pub previous: Option<&'a str>,
    /// Name of the next algorithm, whose page is `NAME.html`.
    pub next: Option<&'a str>,
}

/// Explains the arrows of pictures; with `steps`, also the other marks on a page with steps.
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
            li { svg class="run" viewBox="0 0 34 16" width="34" height="16" aria-hidden="true" {
                rect class="cell marked" x="4" y="2" width="26" height="12" rx="2" {}
            } "depends on the chosen element" }
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
                style { (PreEscaped(palette::COLOURS)) (PreEscaped(palette::STYLE)) (PreEscaped(STYLE)) }
            }
            body { main { (body) } }
        }
    };
    page.0
}
