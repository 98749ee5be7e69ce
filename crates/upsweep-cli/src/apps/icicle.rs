//! Icicle plot of a tree: each vertex as wide as its sum, under its parent.

use std::fmt::Write;

/// Width of the picture, and height of a row of vertices, in SVG units.
const WIDTH: f64 = 1200.0;
const ROW: f64 = 22.0;
/// Minimum width of a vertex that is drawn, in SVG units: narrower ones are left out.
const NARROWEST: f64 = 0.5;
/// Width of a letter of a vertex's label, in SVG units.
const LETTER: f64 = 7.0;
const COLOURS: [&str; 6] = ["#88ccee", "#ddcc77", "#cc6677", "#aaddaa", "#bbaadd", "#dddddd"];

/// CSS of the background and of the edges: light, and dark for readers who prefer it. The vertices' own colours have
/// dark letters in both.
const STYLE: &str =
    ".paper{fill:#fff}.edge{stroke:#fff}@media(prefers-color-scheme:dark){.paper{fill:#12151b}.edge{stroke:#12151b}}";

/// Tree to be drawn: name, parent, depth and sum of each vertex.
pub(super) struct Icicle<'a> {
    pub(super) names: &'a [String],
    pub(super) parents: &'a [u32],
    pub(super) depths: &'a [u32],
    pub(super) sums: &'a [i64],
    /// Numbers of the vertices, each parent before its children.
    pub(super) order: &'a [u32],
}

/// Renders the plot of a tree as SVG.
pub(super) fn render(tree: &Icicle<'_>) -> String {
    let width = |vertex: usize| tree.sums.get(vertex).map_or(0.0, |&sum| sum.max(0) as f64);
    let is_root = |vertex: usize| tree.parents.get(vertex).is_none_or(|&parent| parent as usize >= tree.parents.len());
    let roots: f64 = (0..tree.sums.len()).filter(|&vertex| is_root(vertex)).map(width).sum();
    let scale = WIDTH / roots.max(1.0);
    // Horizontal start of the next child of each vertex; the last element is the start of the next root.
    let mut next = vec![0.0; tree.sums.len() + 1];
    let (mut body, mut deepest) = (String::new(), 0);
    for &vertex in tree.order {
        let vertex = vertex as usize;
        let above = if is_root(vertex) { tree.sums.len() } else { tree.parents[vertex] as usize };
        let x = next[above];
        let wide = width(vertex) * scale;
        next[above] += wide;
        next[vertex] = x;
        if wide < NARROWEST {
            continue;
        }
        let depth = tree.depths.get(vertex).copied().unwrap_or(0);
        deepest = deepest.max(depth);
        let (y, colour) = (f64::from(depth) * ROW, COLOURS[vertex % COLOURS.len()]);
        let name = tree.names.get(vertex).map_or("", String::as_str);
        let last = name.rsplit_once('/').map_or(name, |(_, last)| if last.is_empty() { name } else { last });
        let sum = tree.sums.get(vertex).copied().unwrap_or(0);
        let letters = ((wide - 4.0) / LETTER).max(0.0) as usize;
        let label: String = last.chars().take(letters).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(
            body,
            "<g><title>{}: {sum}</title><rect x=\"{x:.2}\" y=\"{y}\" width=\"{wide:.2}\" height=\"{ROW}\" fill=\"{colour}\" \
             class=\"edge\" stroke-width=\"0.5\"/><text x=\"{:.2}\" y=\"{}\">{}</text></g>",
            escaped(name),
            x + 2.0,
            y + 15.0,
            escaped(&label),
        );
    }
    let height = f64::from(deepest + 1) * ROW;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"monospace\" \
         font-size=\"11\">\n<style>{STYLE}</style>\n<rect width=\"100%\" height=\"100%\" class=\"paper\"/>\n{body}</svg>\n"
    )
}

fn escaped(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    plain.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_lie_under_their_parents() {
        let names: Vec<String> = ["r", "r/<a>", "r/b", "r/b/c"].map(String::from).to_vec();
        let tree = Icicle {
            names: &names,
            parents: &[9, 0, 0, 2],
            depths: &[0, 1, 1, 2],
            sums: &[100, 25, 50, 50],
            order: &[0, 1, 2, 3],
        };
        let svg = render(&tree);
        for rectangle in [
            "x=\"0.00\" y=\"0\" width=\"1200.00\"",
            "x=\"0.00\" y=\"22\" width=\"300.00\"",
            "x=\"300.00\" y=\"22\" width=\"600.00\"",
            "x=\"300.00\" y=\"44\" width=\"600.00\"",
        ] {
            assert!(svg.contains(rectangle), "{rectangle} in {svg}");
        }
        assert!(!svg.contains("white") && svg.contains("class=\"paper\"") && svg.contains("prefers-color-scheme:dark"));
        assert!(svg.contains("&lt;a&gt;") && !svg.contains("<a>"));
    }
}
