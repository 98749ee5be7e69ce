//! Distinct texts, numbered as they come up.

use crate::collect::{Refused, Texts};
use hashbrown::HashTable;
use upsweep_core::memory;
use xxhash_rust::xxh3::xxh3_64;

/// Distinct texts. The number of a text is its index in the order in which they came up.
#[derive(Default)]
pub(crate) struct Distinct {
    /// Numbers of the texts, by the hashes of these.
    numbers: HashTable<u32>,
    texts: Texts,
    /// Hash and number of the text before.
    last: (u64, u32),
}

impl Distinct {
    /// Returns the number of a text, and whether it is new.
    pub(crate) fn number(&mut self, text: &[u8]) -> Result<(u32, bool), Refused> {
        let Self { numbers, texts, last } = self;
        let hash = xxh3_64(text);
        let is_text = |&number: &u32| texts.get(number as usize) == text;
        // Neighbours often have the same text.
        if hash == last.0 && !numbers.is_empty() && is_text(&last.1) {
            return Ok((last.1, false));
        }
        if let Some(&number) = numbers.find(hash, is_text) {
            *last = (hash, number);
            return Ok((number, false));
        }
        let number = u32::try_from(numbers.len()).map_err(|_| "there are more than 2^32 distinct texts".to_owned())?;
        let bytes = numbers.len().saturating_mul(size_of::<u32>());
        memory::ask(|| numbers.try_reserve(1, |&number| xxh3_64(texts.get(number as usize))))
            .map_err(|_| Refused::Memory(bytes))?;
        texts.push(text)?;
        numbers.insert_unique(hash, number, |&number| xxh3_64(texts.get(number as usize)));
        *last = (hash, number);
        Ok((number, true))
    }

    /// Number of texts.
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Returns the texts, by their numbers.
    pub(crate) fn into_texts(self) -> Texts {
        self.texts
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;
    use std::collections::HashMap;

    #[test]
    fn numbers_are_those_of_a_map() {
        let mut found = Distinct::default();
        let mut map = HashMap::new();
        for k in 0..5000u64 {
            let text = match k.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 53 {
                0..99 => String::new(),
                n @ 99..1000 => "ab".repeat(n as usize % 90),
                n => n.to_string(),
            };
            let next = map.len() as u32;
            let number = *map.entry(text.clone()).or_insert(next);
            assert_eq!(found.number(text.as_bytes()).unwrap(), (number, number == next && map.len() > next as usize));
        }
        assert_eq!(found.len(), map.len());
        let texts = found.into_texts();
        for (text, number) in map {
            assert_eq!(texts.get(number as usize), text.as_bytes());
        }
    }
}
