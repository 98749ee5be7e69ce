//! Second forms: the same steps, and a CUDA kernel of other instructions. No page has them: nothing would differ.

use super::by_name;
use crate::algorithm::Algorithm;
use crate::variant::{Variant, Writing};
use std::sync::LazyLock;

/// Pairs of names: an algorithm's, and that of its CUDA kernel's second form (other instructions) in a timing.
const NAMES: [(&str, &str); 14] = [
    ("reduce-interleaved", "reduce-interleaved-second"),
    ("reduce-strided", "reduce-strided-second"),
    ("reduce-strided-padded", "reduce-strided-padded-second"),
    ("kogge-stone", "kogge-stone-second"),
    ("double-buffered", "double-buffered-second"),
    ("brent-kung", "brent-kung-second"),
    ("brent-kung-padded", "brent-kung-padded-second"),
    ("brent-kung-modulo", "brent-kung-modulo-second"),
    ("inverse", "inverse-second"),
    ("inverse-padded", "inverse-padded-second"),
    ("blelloch", "blelloch-second"),
    ("blelloch-padded", "blelloch-padded-second"),
    ("chained", "chained-second"),
    ("look-back", "look-back-second"),
];

static FORMS: LazyLock<Vec<(&str, Algorithm)>> = LazyLock::new(|| {
    let form = |(first, name)| {
        let algorithm = by_name(first)?;
        let variant = Variant { writing: Writing::Second, ..algorithm.variant };
        Some((first, Algorithm { name, variant, ..*algorithm }))
    };
    NAMES.into_iter().filter_map(form).collect()
});

/// Returns the algorithms, each followed by the second form of its kernel (the same steps in other instructions), if it
/// has one. A statement about an algorithm's speed has to hold for both forms.
pub fn with_second_forms(algorithms: impl IntoIterator<Item = &'static Algorithm>) -> Vec<&'static Algorithm> {
    let both = |algorithm: &'static Algorithm| {
        let second = FORMS.iter().find(|(first, _)| *first == algorithm.name);
        [Some(algorithm), second.map(|(_, form)| form)].into_iter().flatten()
    };
    algorithms.into_iter().flat_map(both).collect()
}

#[cfg(test)]
mod tests {
    use super::super::ALGORITHMS;
    use super::*;

    #[test]
    fn second_forms_follow_the_first_and_have_names_of_their_own() {
        let all = with_second_forms(ALGORITHMS);
        assert_eq!(all.len(), ALGORITHMS.len() + NAMES.len());
        for form in all.windows(2).filter(|pair| pair[1].variant.writing == Writing::Second) {
            assert_eq!(form[1].name, format!("{}-second", form[0].name));
            assert_eq!((form[1].file, by_name(form[1].name).is_none()), (form[0].file, true));
        }
    }
}
