//! Command `lab claims`: statements of lectures and papers, beside the counts of the model.

use upsweep_lab::claims::{Claim, claims};

/// Maximum number of characters of a line.
const WIDTH: usize = 100;

/// Returns the lines that list all claims, with those that do not hold first.
pub(super) fn lines() -> Vec<String> {
    let mut claims = claims();
    claims.sort_by_key(|claim| claim.holds);
    let not = claims.iter().filter(|claim| !claim.holds).count();
    let mut lines = vec![format!("{} claims, of which {not} do not hold as they are printed", claims.len())];
    claims.iter().for_each(|claim| add(&mut lines, claim));
    lines
}

fn add(lines: &mut Vec<String>, claim: &Claim) {
    let Claim { name, source, statement, claimed, found, holds, remark } = claim;
    lines.push(String::new());
    lines.push(format!("{}  {name}", if *holds { "holds" } else { "DIFFERS" }));
    wrap(lines, "", &format!("{statement} ({source})"));
    wrap(lines, "claimed  ", claimed);
    wrap(lines, "found    ", found);
    wrap(lines, "", remark);
}

/// Appends `text` to `lines`, wrapped. The first line has two blanks and `title` before it, and later lines are
/// indented as far as the text of the first.
fn wrap(lines: &mut Vec<String>, title: &str, text: &str) {
    let mut line = format!("  {title}");
    let indent = " ".repeat(line.len());
    for word in text.split_whitespace() {
        if line.len() > indent.len() && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(std::mem::replace(&mut line, indent.clone()));
        }
        if line.len() > indent.len() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if line.len() > indent.len() {
        lines.push(line);
    }
}
