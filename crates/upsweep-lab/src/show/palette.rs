//! Palette of all pictures, here and of the command line's plots: colours, styles of lines, places of labels. Colours
//! are in one style sheet, for light screens and for dark ones; pictures in pixels take theirs from it, too.

use super::labels;

/// Style sheet with the colours, for light and for dark screens.
pub const COLOURS: &str = include_str!("../../assets/colours.css");
/// Style sheet of pictures: elements `svg` of the class `run` or `plot`.
pub const STYLE: &str = include_str!("../../assets/picture.css");

/// Classes of colours that colour-blind readers can tell apart (after Okabe and Ito, but darker), and dashes.
const LINES: [(&str, &str); 6] =
    [("l1", ""), ("l2", "7 3"), ("l3", "2 3"), ("l4", "9 3 2 3"), ("l5", "12 4"), ("l6", "4 2")];

/// Returns the class of a line's colour, its dashes, and whether its points are filled. Six lines differ in both; the next
/// six have the same colours, but other dashes, and rings for points.
#[must_use]
pub fn line(number: usize) -> (&'static str, Option<&'static str>, bool) {
    let round = number / LINES.len();
    let dashes = LINES[(number + round) % LINES.len()].1;
    (LINES[number % LINES.len()].0, Some(dashes).filter(|dashes| !dashes.is_empty()), round.is_multiple_of(2))
}

/// Returns the colour of this name on a light screen, as red, green and blue; [`None`] if the palette has none.
///
/// ```
/// use upsweep_lab::show::palette::colour;
///
/// assert_eq!((colour("paper"), colour("pink")), (Some([255, 255, 255]), None));
/// ```
#[must_use]
pub fn colour(name: &str) -> Option<[u8; 3]> {
    let (light, _dark) = COLOURS.split_once("@media")?;
    let (_, after) = light.split_once(&format!("--{name}: #"))?;
    let digits = |at: usize| u8::from_str_radix(after.get(at..at + 2)?, 16).ok();
    Some([digits(0)?, digits(2)?, digits(4)?])
}

/// Returns places of labels at least `gap` apart, between `low` and `high`: each as near to the end of its line as the others
/// leave room for.
#[must_use]
pub fn apart(ends: &[f64], gap: f64, low: f64, high: f64) -> Vec<f64> {
    labels::apart(ends, gap, low, high)
}

/// Encodes bytes in base 64, for files inside of pictures and pages.
#[must_use]
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = three.iter().fold(0, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - three.len()));
        for digit in 0..4 {
            let sextet = (bits >> (18 - 6 * digit) & 63) as usize;
            text.push(if digit <= three.len() { char::from(DIGITS[sextet]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thirty_six_lines_are_told_apart() {
        for other in 0..36 {
            assert!((0..other).all(|number| line(number) != line(other)), "{other}");
        }
    }

    #[test]
    fn every_line_has_a_colour_of_its_own() {
        let colours: Vec<[u8; 3]> = LINES.iter().filter_map(|(class, _)| colour(class)).collect();
        assert_eq!((colours.len(), colours[0]), (LINES.len(), [0x00, 0x72, 0xb2]));
        assert!((1..colours.len()).all(|k| !colours[..k].contains(&colours[k])));
    }

    #[test]
    fn labels_do_not_touch_and_stay_near() {
        assert_eq!(apart(&[10.0, 50.0], 15.0, 0.0, 100.0), [10.0, 50.0]);
        // The label of the uppermost line stays; the others move down below it, in the order of their lines.
        assert_eq!(apart(&[22.0, 20.0, 21.0], 15.0, 0.0, 100.0), [50.0, 20.0, 35.0]);
        // At the lower edge labels can only move up.
        assert_eq!(apart(&[99.0, 98.0, 100.0], 15.0, 0.0, 100.0), [85.0, 70.0, 100.0]);
        assert!(apart(&[], 15.0, 0.0, 100.0).is_empty());
    }

    #[test]
    fn bytes_in_base_64() {
        // These are the examples of RFC 4648.
        let found = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|text| base64(text.as_bytes()));
        assert_eq!(found, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }
}
