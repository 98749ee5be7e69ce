//! Histogram as an SVG picture.

use std::fmt::Write;

/// Width and height of the picture, in SVG units; the constants after these are the margins of the plot.
const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 40.0;
/// Number of intervals between the labels along each axis.
const TICKS: usize = 5;

/// CSS of the picture: a light style, and a dark one for readers who prefer it.
const STYLE: &str = "text{fill:#1c2433}.paper{fill:#fff}.line{stroke:#d3d9e3}.floor{stroke:#1c2433}.bars{fill:#08735c}\
    @media(prefers-color-scheme:dark){text{fill:#e7eaf0}.paper{fill:#12151b}.line{stroke:#323a48}.floor{stroke:#e7eaf0}.bars{fill:#5fd6b6}}";

/// Renders a bar for each bin, as wide as the bin and as high as its count.
pub(super) fn render(title: &str, edges: &[f64], counts: &[u64]) -> String {
    let (low, high) = (edges.first().copied().unwrap_or(0.0), edges.last().copied().unwrap_or(1.0));
    // The bounds are halved before they are subtracted: the width of the widest range would overflow f64.
    let across = (high / 2.0 - low / 2.0).max(f64::MIN_POSITIVE);
    let most = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    let x = |edge: f64| {
        let part = if edge.is_finite() {
            ((edge / 2.0 - low / 2.0) / across).clamp(0.0, 1.0)
        } else {
            f64::from(u8::from(edge > 0.0))
        };
        LEFT + (WIDTH - LEFT - RIGHT) * part
    };
    let floor = HEIGHT - BOTTOM;
    let y = |count: f64| floor - (floor - TOP) * count / most;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <title>{0}</title>\n<style>{STYLE}</style>\n<rect width=\"100%\" height=\"100%\" class=\"paper\"/>\n\
         <text x=\"{LEFT}\" y=\"24\" font-size=\"15\">{0}</text>\n",
        escaped(title)
    );
    let mut line = |text: std::fmt::Arguments<'_>| {
        // Writing to a string cannot fail.
        let _ = writeln!(svg, "{text}");
    };
    for tick in 0..=TICKS {
        let part = tick as f64 / TICKS as f64;
        let (count, edge) = (most * part, low * (1.0 - part) + high * part);
        let (at, along) = (y(count), LEFT + (WIDTH - LEFT - RIGHT) * part);
        line(format_args!("<path d=\"M{LEFT} {at:.1}H{}\" class=\"line\"/>", WIDTH - RIGHT));
        let count = short(count);
        line(format_args!("<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{count}</text>", LEFT - 8.0, at + 4.0));
        let (edge, below) = (short(edge), HEIGHT - 16.0);
        line(format_args!("<text x=\"{along:.1}\" y=\"{below}\" text-anchor=\"middle\">{edge}</text>"));
    }
    let mut outline = format!("M{LEFT} {floor}");
    for (ends, &count) in edges.windows(2).zip(counts) {
        // Writing to a string cannot fail.
        let _ = write!(outline, "H{:.2}V{:.2}H{:.2}", x(ends[0]), y(count as f64), x(ends[1]));
    }
    line(format_args!("<path d=\"{outline}V{floor}Z\" class=\"bars\"/>"));
    line(format_args!("<path d=\"M{LEFT} {floor}H{}\" class=\"floor\"/>", WIDTH - RIGHT));
    svg + "</svg>\n"
}

/// Formats an edge in at most six digits.
pub(super) fn short(edge: f64) -> String {
    let rounded = format!("{edge:.5e}").parse().unwrap_or(edge);
    if rounded == 0.0 || (1e-4..1e9).contains(&f64::abs(rounded)) {
        format!("{rounded}")
    } else {
        format!("{rounded:e}")
    }
}

/// Escapes `text` for XML.
fn escaped(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    plain.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_and_bars_have_the_height_of_their_counts() {
        let svg = render("3 values of <a&b>.npy", &[0.0, 1.0, 2.0], &[1, 2]);
        assert!(svg.contains("3 values of &lt;a&amp;b&gt;.npy") && !svg.contains("<a&"), "{svg}");
        assert!(svg.contains("M70 380H70.00V210.00H425.00H425.00V40.00H780.00V380Z"), "{svg}");
    }

    /// Every drawn element has its colour from the style, which has a dark form of each.
    #[test]
    fn every_colour_has_a_dark_form() {
        let svg = render("", &[0.0, 1.0], &[1]);
        let (light, dark) = STYLE.split_once("@media(prefers-color-scheme:dark)").unwrap();
        let drawn = svg.replace(STYLE, "");
        assert!(!drawn.contains("fill=") && !drawn.contains("stroke=") && drawn.contains("<style>"), "{svg}");
        for class in ["paper", "line", "floor", "bars"] {
            let rule = format!(".{class}{{");
            assert!(
                light.contains(&rule) && dark.contains(&rule) && drawn.contains(&format!("class=\"{class}\"")),
                "{class}"
            );
        }
    }

    #[test]
    fn ranges_of_any_width_have_a_picture() {
        for edges in [[-1.7e308, 0.0, 1.7e308], [0.0, 0.0, 0.0], [f64::NEG_INFINITY, 0.0, f64::INFINITY]] {
            let svg = render("", &edges, &[0, u64::MAX]);
            assert!(!svg.contains("NaN H") && svg.contains("</svg>"), "{svg}");
        }
    }

    #[test]
    fn edges_are_short() {
        let texts = [0.1 + 0.2, 1.0 / 3.0, 123_456_789.0, 1e20, -2.5e-7, 0.0].map(short);
        assert_eq!(texts, ["0.3", "0.333333", "123457000", "1e20", "-2.5e-7", "0"]);
    }
}
