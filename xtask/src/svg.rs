//! A plot of lines in panels, as SVG: share of a copy's speed (upwards) over the number of elements (to the right).

use std::fmt::Write;

/// One plot: a title and, for each library, its points `(log2 of the number of elements, share)`.
pub(crate) struct Panel {
    pub(crate) title: String,
    pub(crate) lines: Vec<(String, Vec<(u32, f64)>)>,
}

const WIDTH: f64 = 320.0;
const HEIGHT: f64 = 240.0;
const MARGIN: f64 = 40.0;
/// Half a label's width.
const RIGHT: f64 = 20.0;
const COLUMNS: usize = 3;
/// Told apart also by those who see few colours (Okabe and Ito).
const COLOURS: [&str; 7] = ["#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];

/// The panels, row by row, with one legend under them.
pub(crate) fn render(panels: &[Panel]) -> String {
    let mut libraries: Vec<&str> = Vec::new();
    for (name, _) in panels.iter().flat_map(|panel| &panel.lines) {
        if !libraries.contains(&name.as_str()) {
            libraries.push(name);
        }
    }
    let columns = panels.len().clamp(1, COLUMNS);
    let (width, height) = (columns as f64 * WIDTH, panels.len().div_ceil(columns) as f64 * HEIGHT + 30.0);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (index, panel) in panels.iter().enumerate() {
        let (x, y) = ((index % columns) as f64 * WIDTH, (index / columns) as f64 * HEIGHT);
        push(&mut out, format_args!("<g transform=\"translate({x} {y})\">\n"));
        draw(&mut out, panel, &libraries);
        out.push_str("</g>\n");
    }
    for (index, library) in libraries.iter().enumerate() {
        let (x, y) = (MARGIN + index as f64 * 130.0, height - 14.0);
        let colour = COLOURS[index % COLOURS.len()];
        push(&mut out, format_args!("<rect x=\"{x}\" y=\"{}\" width=\"16\" height=\"3\" fill=\"{colour}\"/>", y - 5.0));
        push(&mut out, format_args!("<text x=\"{}\" y=\"{y}\">{}</text>\n", x + 22.0, escape(library)));
    }
    out.push_str("</svg>\n");
    out
}

fn draw(out: &mut String, panel: &Panel, libraries: &[&str]) {
    let points = || panel.lines.iter().flat_map(|(_, points)| points);
    let least = points().map(|&(size, _)| size).min().unwrap_or(0);
    let most = points().map(|&(size, _)| size).max().unwrap_or(1).max(least + 1);
    // A share above 1 is possible where everything is in a cache.
    let top = points().map(|&(_, share)| share).fold(1.0, f64::max);
    let x = |size: u32| MARGIN + f64::from(size - least) / f64::from(most - least) * (WIDTH - MARGIN - RIGHT);
    let y = |share: f64| HEIGHT - MARGIN - share / top * (HEIGHT - MARGIN - 30.0);
    push(out, format_args!("<text x=\"{MARGIN}\" y=\"18\" font-weight=\"bold\">{}</text>\n", escape(&panel.title)));
    for step in 0..=4 {
        let share = top * f64::from(step) / 4.0;
        let (at, end) = (y(share), WIDTH - RIGHT);
        push(out, format_args!("<line x1=\"{MARGIN}\" y1=\"{at:.1}\" x2=\"{end}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>"));
        push(
            out,
            format_args!("<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{share:.2}</text>\n", MARGIN - 5.0, at + 4.0),
        );
    }
    for size in (least..=most).filter(|size| (size - least) % 4 == 0) {
        let (at, under) = (x(size), HEIGHT - MARGIN + 15.0);
        push(out, format_args!("<text x=\"{at:.1}\" y=\"{under}\" text-anchor=\"middle\">2^{size}</text>\n"));
    }
    for (library, points) in &panel.lines {
        let colour = COLOURS[libraries.iter().position(|name| name == library).unwrap_or(0) % COLOURS.len()];
        let mut points = points.clone();
        points.sort_by_key(|&(size, _)| size);
        let line: Vec<String> = points.iter().map(|&(n, share)| format!("{:.1},{:.1}", x(n), y(share))).collect();
        let line = line.join(" ");
        push(out, format_args!("<polyline points=\"{line}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\n"));
    }
}

/// Writing to a string cannot fail.
fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _infallible = out.write_fmt(text);
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
