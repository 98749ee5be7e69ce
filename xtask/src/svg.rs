//! Plot of lines in panels, as SVG: share of a copy's speed (upwards) over the number of elements (to the right).

#[path = "../../crates/upsweep-lab/src/show/labels.rs"]
mod labels;

use labels::apart;
use std::fmt::Write;

/// Panel: a title and, for each library, its points `(log2 of the number of elements, share)`.
pub(crate) struct Panel {
    pub(crate) title: String,
    pub(crate) lines: Vec<(String, Vec<(u32, f64)>)>,
}

const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 56.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 46.0;
/// Width to the right of the axes, for the labels at the ends of the lines.
const RIGHT: f64 = 86.0;
const COLUMNS: usize = 3;
/// Number of styles of lines. Their colours differ also for readers who see few colours (after Okabe and Ito), on light
/// paper and on dark.
const LINES: usize = 7;
const STYLE: &str = "<style>\
    svg{--paper:#fff;--ink:#1c2433;--quiet:#5d687b;--grid:#d3d9e3;--l0:#c44e00;--l1:#0072b2;--l2:#00835f;--l3:#b0508a;--l4:#976500;--l5:#1f83b8;--l6:#1c2433}\
    @media(prefers-color-scheme:dark){svg{--paper:#12151b;--ink:#e7eaf0;--quiet:#9aa5b8;--grid:#323a48;\
    --l0:#f08a45;--l1:#4aa8e0;--l2:#2fbf94;--l3:#e297c4;--l4:#e6b03c;--l5:#7cc8f2;--l6:#e7eaf0}}\
    text{fill:var(--ink)}.q{fill:var(--quiet)}.g{stroke:var(--grid)}polyline{fill:none;stroke-width:2}path{fill:none;stroke-width:.7}\
    .l0{stroke:var(--l0)}.l1{stroke:var(--l1)}.l2{stroke:var(--l2)}.l3{stroke:var(--l3)}.l4{stroke:var(--l4)}.l5{stroke:var(--l5)}.l6{stroke:var(--l6)}\
    </style>\n";

/// Renders the panels as an SVG file, row by row; each line has its name at its end.
pub(crate) fn render(panels: &[Panel]) -> String {
    let mut libraries: Vec<&str> = Vec::new();
    for (name, _) in panels.iter().flat_map(|panel| &panel.lines) {
        if !libraries.contains(&name.as_str()) {
            libraries.push(name);
        }
    }
    let columns = panels.len().clamp(1, COLUMNS);
    let (width, height) = (columns as f64 * WIDTH, panels.len().div_ceil(columns) as f64 * HEIGHT);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"11\">\n{STYLE}\
         <rect width=\"100%\" height=\"100%\" style=\"fill:var(--paper)\"/>\n"
    );
    for (index, panel) in panels.iter().enumerate() {
        let (x, y) = ((index % columns) as f64 * WIDTH, (index / columns) as f64 * HEIGHT);
        push(&mut out, format_args!("<g transform=\"translate({x} {y})\">\n"));
        draw(&mut out, panel, &libraries);
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

fn draw(out: &mut String, panel: &Panel, libraries: &[&str]) {
    let points = || panel.lines.iter().flat_map(|(_, points)| points);
    let least = points().map(|&(size, _)| size).min().unwrap_or(0);
    let most = points().map(|&(size, _)| size).max().unwrap_or(1).max(least + 1);
    // A share above 1 is possible if everything is in a cache, so the axis may end above 1.
    let top = points().map(|&(_, share)| share).fold(1.0, f64::max);
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    let x = |size: u32| LEFT + f64::from(size - least) / f64::from(most - least) * (right - LEFT);
    let y = |share: f64| bottom - share / top * (bottom - TOP);
    push(out, format_args!("<text x=\"{LEFT}\" y=\"18\" font-weight=\"bold\">{}</text>\n", escape(&panel.title)));
    for step in 0..=4 {
        let share = top * f64::from(step) / 4.0;
        let at = y(share);
        push(out, format_args!("<line class=\"g\" x1=\"{LEFT}\" y1=\"{at:.1}\" x2=\"{right}\" y2=\"{at:.1}\"/>"));
        let (x, y) = (LEFT - 5.0, at + 4.0);
        push(out, format_args!("<text class=\"q\" x=\"{x}\" y=\"{y:.1}\" text-anchor=\"end\">{share:.2}</text>\n"));
    }
    for size in (least..=most).filter(|size| (size - least) % 4 == 0) {
        let (at, under) = (x(size), bottom + 15.0);
        push(
            out,
            format_args!("<text class=\"q\" x=\"{at:.1}\" y=\"{under}\" text-anchor=\"middle\">2^{size}</text>\n"),
        );
    }
    let (across, down) = ((LEFT + right) / 2.0, (TOP + bottom) / 2.0);
    push(
        out,
        format_args!(
            "<text class=\"q\" x=\"{across}\" y=\"{}\" text-anchor=\"middle\">elements</text>\n",
            bottom + 32.0
        ),
    );
    push(
        out,
        format_args!(
            "<text class=\"q\" transform=\"translate(14 {down}) rotate(-90)\" text-anchor=\"middle\">share of a copy's speed</text>\n"
        ),
    );
    let sorted = |points: &[(u32, f64)]| {
        let mut points = points.to_vec();
        points.sort_by_key(|&(size, _)| size);
        points.iter().map(|&(size, share)| (x(size), y(share))).collect::<Vec<_>>()
    };
    let lines: Vec<(&str, Vec<(f64, f64)>)> = panel
        .lines
        .iter()
        .map(|(name, points)| (name.as_str(), sorted(points)))
        .filter(|line| !line.1.is_empty())
        .collect();
    let ends: Vec<(f64, f64)> = lines.iter().filter_map(|(_, points)| points.last().copied()).collect();
    let labels = apart(&ends.iter().map(|end| end.1).collect::<Vec<_>>(), 13.0, TOP, bottom);
    for (((library, points), end), label) in lines.iter().zip(&ends).zip(&labels) {
        let class = libraries.iter().position(|name| name == library).unwrap_or(0) % LINES;
        let line: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        push(out, format_args!("<polyline class=\"l{class}\" points=\"{}\"/>", line.join(" ")));
        push(
            out,
            format_args!(
                "<path class=\"l{class}\" d=\"M{:.1} {:.1}L{} {label:.1}\"/>",
                end.0 + 2.0,
                end.1,
                right + 14.0
            ),
        );
        push(out, format_args!("<text x=\"{}\" y=\"{:.1}\">{}</text>\n", right + 17.0, label + 4.0, escape(library)));
    }
}

/// Appends `text` to `out`. Writing to a string cannot fail.
fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _infallible = out.write_fmt(text);
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
