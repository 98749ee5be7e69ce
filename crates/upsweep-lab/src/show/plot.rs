//! Counts over the number of elements, as SVG: both axes are logarithmic.

use super::svg::{COLOURS, STYLE, file};
use maud::{PreEscaped, html};

/// A line of a plot: its name, and its points: elements and count.
#[derive(Clone, Debug)]
pub struct Line {
    /// What it stands for.
    pub name: String,
    /// `(elements, count)`; counts of 0 are left out, as a logarithm has no place for them.
    pub points: Vec<(usize, u64)>,
}

/// A plot: its title and its lines.
#[derive(Clone, Debug)]
pub struct Panel {
    /// What is counted.
    pub title: String,
    /// A line for each algorithm.
    pub lines: Vec<Line>,
}

/// The width of one of several panels, and of one alone.
const WIDTHS: [f64; 2] = [420.0, 640.0];
const HEIGHT: f64 = 330.0;
const LEFT: f64 = 56.0;
const TOP: f64 = 44.0;
/// Told apart also by those who see few colours (Okabe and Ito), and by their dashes.
const LINES: [(&str, &str); 6] = [
    ("#0072b2", ""),
    ("#d55e00", "7 3"),
    ("#009e73", "2 3"),
    ("#cc79a7", "9 3 2 3"),
    ("#e69f00", "12 4"),
    ("#56b4e9", "4 2"),
];

/// A line's colour, its dashes, and whether its points are filled. Six lines differ in both; the next six have the same
/// colours, but other dashes, and rings for points.
fn style(number: usize) -> (&'static str, Option<&'static str>, bool) {
    let round = number / LINES.len();
    let dashes = LINES[(number + round) % LINES.len()].1;
    (LINES[number % LINES.len()].0, Some(dashes).filter(|dashes| !dashes.is_empty()), round.is_multiple_of(2))
}

/// The panels side by side, with one legend under them.
#[must_use]
pub fn render(panels: &[Panel]) -> String {
    let names: Vec<&str> =
        panels.first().map(|panel| panel.lines.iter().map(|line| &*line.name).collect()).unwrap_or_default();
    let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let each = WIDTHS[usize::from(panels.len() == 1)];
    let width = each * panels.len().max(1) as f64;
    let item = 56.0 + 7.0 * longest as f64;
    let columns = ((width - LEFT) / item).max(1.0) as usize;
    let height = HEIGHT + 20.0 + 24.0 * names.len().div_ceil(columns) as f64;
    file(&html! {
        svg class="plot" xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {width} {height}")) width=(width) height=(height) role="img" {
            title { "Counts over the number of elements" }
            style { (PreEscaped(COLOURS)) (PreEscaped(STYLE)) }
            rect class="paper" width=(width) height=(height) {}
            @for (number, panel) in panels.iter().enumerate() {
                g transform=(format!("translate({} 0)", number as f64 * each)) { (panel.draw(each)) }
            }
            @for (number, name) in names.iter().enumerate() {
                @let (colour, dashes, filled) = style(number);
                g transform=(format!("translate({} {})", LEFT + (number % columns) as f64 * item, HEIGHT + 12.0 + 24.0 * (number / columns) as f64)) {
                    path class="line" stroke=(colour) stroke-dasharray=[dashes] d="M0 0H32" {}
                    circle cx="16" cy="0" r="3" stroke=(colour) fill=(if filled { colour } else { "none" }) {}
                    text x="40" y="4" { (name) }
                }
            }
        }
    })
}

impl Panel {
    fn draw(&self, width: f64) -> maud::Markup {
        let points = || self.lines.iter().flat_map(|line| line.points.iter().copied().filter(|&(_, count)| count > 0));
        let log2 = |value: usize| (value.max(1) as f64).log2();
        let (least, most) = points().fold((f64::MAX, f64::MIN), |(a, b), (n, _)| (a.min(log2(n)), b.max(log2(n))));
        let (least, most) = if least > most { (0.0, 1.0) } else { (least, most.max(least + 1.0)) };
        let decades = |count: u64| (count as f64).log10();
        let low = points().map(|(_, count)| decades(count)).fold(f64::MAX, f64::min).min(3.0).floor().max(0.0);
        let high = points().map(|(_, count)| decades(count)).fold(1.0, f64::max).ceil().max(low + 1.0);
        let x = |n: usize| LEFT + (log2(n) - least) / (most - least) * (width - LEFT - 28.0);
        let y = |at: f64| TOP + (high - at) / (high - low) * (HEIGHT - TOP - 48.0);
        let sizes = (least.ceil() as u32..=most as u32).filter(|log| most - least <= 8.0 || log.is_multiple_of(2));
        html! {
            text class="head" x=(LEFT) y="24" { (self.title) }
            @for decade in low as u32..=high as u32 {
                @let at = y(f64::from(decade));
                line class="grid" x1=(LEFT) x2=(width - 28.0) y1=(point(at)) y2=(point(at)) {}
                text class="quiet" x=(LEFT - 8.0) y=(point(at + 4.0)) text-anchor="end" { "10" tspan dy="-5" font-size="9" { (decade) } }
            }
            @for log in sizes {
                text class="quiet" x=(point(x(1 << log))) y=(HEIGHT - 28.0) text-anchor="middle" { (size(log)) }
            }
            text class="quiet" x=((LEFT + width - 28.0) / 2.0) y=(HEIGHT - 8.0) text-anchor="middle" { "elements" }
            @for (number, line) in self.lines.iter().enumerate() {
                @let (colour, dashes, filled) = style(number);
                @let at: Vec<String> = line.points.iter().filter(|&&(_, count)| count > 0).map(|&(n, count)| format!("{} {}", point(x(n)), point(y(decades(count))))).collect();
                @if !at.is_empty() {
                    path class="line" stroke=(colour) stroke-dasharray=[dashes] d=(format!("M{}", at.join("L"))) {}
                }
                @for at in &at {
                    @let (x, y) = at.split_once(' ').unwrap_or_default();
                    circle cx=(x) cy=(y) r="3" stroke=(colour) fill=(if filled { colour } else { "none" }) {}
                }
            }
        }
    }
}

/// A power of two, written out as long as it is short.
fn size(log: u32) -> maud::Markup {
    html! { @if log <= 12 { (1u64 << log) } @else { "2" tspan dy="-5" font-size="9" { (log) } } }
}

/// A coordinate in tenths of a pixel.
fn point(at: f64) -> String {
    format!("{at:.1}")
}

#[cfg(test)]
mod tests {
    use super::style;

    #[test]
    fn thirty_six_lines_are_told_apart() {
        for other in 0..36 {
            assert!((0..other).all(|number| style(number) != style(other)), "{other}");
        }
    }
}
