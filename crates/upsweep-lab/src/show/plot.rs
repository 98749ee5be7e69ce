//! Plots over the number of elements, as SVG, each line with its name at its end.

use super::palette::{self, apart};
use super::svg::file;
use maud::{Markup, PreEscaped, html};

/// Line of a plot: its name, and its points, each a number of elements and a value.
#[derive(Clone, Debug)]
pub struct Line {
    /// Name of the line.
    pub name: String,
    /// Points `(elements, value)`; on a logarithmic axis values of 0 are left out, as they have no logarithm.
    pub points: Vec<(usize, f64)>,
}

/// Scale of a panel's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Logarithmic scale, by decades.
    Logarithmic,
    /// Linear scale from 0 to 1, or from 0 to the largest value if that is above 1.
    Share,
}

/// Plot of values over the number of elements, with one or more lines.
#[derive(Clone, Debug)]
pub struct Panel {
    /// Title of the plot.
    pub title: String,
    /// Unit of the values, which is the title of their axis.
    pub unit: &'static str,
    /// Scale of the values.
    pub scale: Scale,
    /// Lines of the plot, one for each algorithm.
    pub lines: Vec<Line>,
}

/// Throughput that an algorithm, or a copy, had in a race (a timing of all algorithms on a GPU).
#[derive(Clone, Copy, Debug)]
pub struct Speed<'a> {
    /// Name of the algorithm, or [`COPY`].
    pub name: &'a str,
    /// Number of elements.
    pub n: usize,
    /// Throughput in GB a second, of the bytes that no algorithm can avoid reading or writing.
    pub gbps: f64,
}

/// Name of a copy (a kernel that only copies) in a race: a timing of algorithms on one GPU.
pub const COPY: &str = "copy";

/// Width of a plot's area in pixels, if there are several plots, and if there is one alone.
const WIDTHS: [f64; 2] = [320.0, 480.0];
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 66.0;
const TOP: f64 = 44.0;
const BOTTOM: f64 = 52.0;
/// Distance in pixels from the plot's area to the labels, and smallest distance between two labels.
const LEADER: f64 = 22.0;
const GAP: f64 = 15.0;
/// Draws the plots side by side.
#[must_use]
pub fn render(panels: &[Panel]) -> String {
    file(&draw(panels, true))
}

/// Draws the plots side by side as a file of their own, or as a part of a page that has the styles.
fn draw(panels: &[Panel], alone: bool) -> Markup {
    let lines = || panels.iter().flat_map(|panel| &panel.lines);
    let longest = lines().map(|line| line.name.chars().count()).max().unwrap_or(0);
    let most = panels.iter().map(|panel| panel.lines.len()).max().unwrap_or(0);
    let inner = WIDTHS[usize::from(panels.len() == 1)];
    let each = LEFT + inner + LEADER + 12.0 + 7.0 * longest as f64;
    let (width, height) = (each * panels.len().max(1) as f64, HEIGHT.max(TOP + BOTTOM + GAP * most as f64));
    let xmlns = alone.then_some("http://www.w3.org/2000/svg");
    html! {
        svg class="plot" xmlns=[xmlns] viewBox=(format!("0 0 {width} {height}")) width=(width) height=(height) role="img" {
            title { (panels.iter().map(|panel| panel.title.as_str()).collect::<Vec<_>>().join("; ")) ", over the number of elements" }
            @if alone { style { (PreEscaped(palette::COLOURS)) (PreEscaped(palette::STYLE)) } }
            rect class="paper" width=(width) height=(height) {}
            @for (number, panel) in panels.iter().enumerate() {
                g transform=(format!("translate({} 0)", number as f64 * each)) { (panel.draw(inner, height)) }
            }
        }
    }
}

/// Draws timed throughputs as fractions of a copy's: how near each is to memory bandwidth, at every length.
#[must_use]
pub fn race(speeds: &[Speed<'_>]) -> String {
    render(&[race_panel(speeds)])
}

/// Draws the plot of [`race`] as a part of a page.
pub(super) fn race_part(speeds: &[Speed<'_>]) -> Markup {
    draw(&[race_panel(speeds)], false)
}

fn race_panel(speeds: &[Speed<'_>]) -> Panel {
    let copy = |n| speeds.iter().find(|speed| speed.name == COPY && speed.n == n).map(|speed| speed.gbps);
    let mut lines: Vec<Line> = Vec::new();
    for &Speed { name, n, gbps } in speeds.iter().filter(|speed| speed.name != COPY) {
        let Some(copy) = copy(n) else { continue };
        let point = (n, gbps / copy);
        match lines.iter_mut().find(|line| line.name == name) {
            Some(line) => line.points.push(point),
            None => lines.push(Line { name: name.to_owned(), points: vec![point] }),
        }
    }
    let title = "Speed beside a copy of the same array".to_owned();
    Panel { title, unit: "share of a copy's speed", scale: Scale::Share, lines }
}

/// Axis of values: the smallest and the largest, and the position and text of each mark.
struct Axis {
    low: f64,
    high: f64,
    marks: Vec<(f64, Markup)>,
}

impl Scale {
    /// Position of a value on the axis; [`None`] if it has no logarithm.
    fn at(self, value: f64) -> Option<f64> {
        match self {
            Self::Logarithmic => (value > 0.0).then(|| value.log10()),
            Self::Share => Some(value),
        }
    }

    fn axis(self, values: impl Iterator<Item = f64>) -> Axis {
        let (least, most) = values.fold((f64::MAX, f64::MIN), |(a, b), value| (a.min(value), b.max(value)));
        match self {
            Self::Logarithmic => {
                let low = least.min(3.0).floor().max(0.0);
                let high = most.max(1.0).ceil().max(low + 1.0);
                let mark = |decade: u32| (f64::from(decade), html! { "10" tspan dy="-5" font-size="9" { (decade) } });
                Axis { low, high, marks: (low as u32..=high as u32).map(mark).collect() }
            }
            Self::Share => {
                let high = (most.max(1.0) * 5.0).ceil() / 5.0;
                let mark = |fifth: u32| (f64::from(fifth) / 5.0, html! { (format!("{:.1}", f64::from(fifth) / 5.0)) });
                Axis { low: 0.0, high, marks: (0..=(high * 5.0).round() as u32).map(mark).collect() }
            }
        }
    }
}

impl Panel {
    fn draw(&self, width: f64, height: f64) -> Markup {
        let log2 = |value: usize| (value.max(1) as f64).log2();
        // Points of each line, as log₂ of the number of elements and the position on the axis of values.
        let lines: Vec<Vec<(f64, f64)>> = self
            .lines
            .iter()
            .map(|line| {
                let mut points: Vec<_> =
                    line.points.iter().filter_map(|&(n, value)| Some((log2(n), self.scale.at(value)?))).collect();
                points.sort_by(|a, b| a.0.total_cmp(&b.0));
                points
            })
            .collect();
        let points = || lines.iter().flatten();
        let (least, most) = points().fold((f64::MAX, f64::MIN), |(a, b), &(n, _)| (a.min(n), b.max(n)));
        let (least, most) = if least > most { (0.0, 1.0) } else { (least, most.max(least + 1.0)) };
        let axis = self.scale.axis(points().map(|&(_, value)| value));
        let (right, bottom) = (LEFT + width, height - BOTTOM);
        let x = |n: f64| LEFT + (n - least) / (most - least) * width;
        let y = |value: f64| TOP + (axis.high - value) / (axis.high - axis.low) * (bottom - TOP);
        let sizes = (least.ceil() as u32..=most as u32).filter(|log| most - least <= 8.0 || log.is_multiple_of(2));
        let drawn: Vec<usize> = (0..lines.len()).filter(|&line| !lines[line].is_empty()).collect();
        let ends: Vec<(f64, f64)> =
            drawn.iter().filter_map(|&line| lines[line].last()).map(|&(n, value)| (x(n), y(value))).collect();
        let labels = apart(&ends.iter().map(|end| end.1).collect::<Vec<_>>(), GAP, TOP, bottom);
        html! {
            text class="head" x=(LEFT) y="24" { (self.title) }
            @for (value, text) in &axis.marks {
                @let at = y(*value);
                line class="grid" x1=(LEFT) x2=(right) y1=(point(at)) y2=(point(at)) {}
                text class="quiet" x=(LEFT - 8.0) y=(point(at + 4.0)) text-anchor="end" { (text) }
            }
            @for log in sizes {
                text class="quiet" x=(point(x(f64::from(log)))) y=(bottom + 20.0) text-anchor="middle" { (size(log)) }
            }
            text class="quiet axis" x=((LEFT + right) / 2.0) y=(height - 10.0) text-anchor="middle" { "elements" }
            text class="quiet axis" transform=(format!("translate(16 {}) rotate(-90)", (TOP + bottom) / 2.0)) text-anchor="middle" { (self.unit) }
            @for ((&line, &(end, at)), &label) in drawn.iter().zip(&ends).zip(&labels) {
                @let (colour, dashes, filled) = palette::line(line);
                @let places: Vec<_> = lines[line].iter().map(|&(n, value)| (point(x(n)), point(y(value)))).collect();
                path class=(format!("line {colour}")) stroke-dasharray=[dashes] d=(format!("M{}", places.iter().map(|(x, y)| format!("{x} {y}")).collect::<Vec<_>>().join("L"))) {}
                @for (x, y) in &places {
                    circle class=(format!("point {colour}{}", if filled { "" } else { " ring" })) cx=(x) cy=(y) r="3" {}
                }
                path class=(format!("leader {colour}")) d=(format!("M{} {}L{} {}", point(end + 5.0), point(at), point(right + LEADER - 4.0), point(label))) {}
                text class="name" x=(point(right + LEADER)) y=(point(label + 4.0)) { (self.lines[line].name) }
            }
        }
    }
}

/// Shows a power of two: as a number up to 4096, then as 2 with an exponent.
fn size(log: u32) -> Markup {
    html! { @if log <= 12 { (1u64 << log) } @else { "2" tspan dy="-5" font-size="9" { (log) } } }
}

/// Formats a coordinate in pixels with one decimal.
fn point(at: f64) -> String {
    format!("{at:.1}")
}
