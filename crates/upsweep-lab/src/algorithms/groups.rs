//! Groups of algorithms, in which they are taught.

/// Group of algorithms that answer one question.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// Title of the group.
    pub title: &'static str,
    /// Question that the algorithms answer.
    pub about: &'static str,
    /// Files of the algorithms, in the order in which they are taught.
    pub files: &'static [&'static str],
}

/// Groups of all algorithms, in the order in which they are taught.
pub static GROUPS: &[Group] = &[
    Group {
        title: "Reduce",
        about: "One value of many. The tree is the same each time; which thread adds which words decides how many warps diverge \
                and how many words meet in a bank.",
        files: &["reduce_interleaved", "reduce_strided", "reduce_sequential", "reduce_unrolled", "reduce_shuffle"],
    },
    Group {
        title: "Scan in few steps",
        about: "All prefixes at once, in log n steps, with n log n operations: more work than one thread would do, in return for \
                the least depth.",
        files: &["sequential", "hillis_steele", "kogge_stone", "double_buffered"],
    },
    Group {
        title: "Scan with little work",
        about: "A tree up and a tree down: no more than 2 n operations, twice the depth, and words of one bank at every level.",
        files: &["brent_kung", "inverse", "blelloch", "blelloch_dividing", "fenwick", "fenwick_updates"],
    },
    Group {
        title: "Segments",
        about: "Many scans at once: a scan that begins anew at each head. And what it is good for: a sort that splits all of its \
                parts at the same time.",
        files: &["segmented_pairs", "segmented_sweep", "quicksort"],
    },
    Group {
        title: "Many blocks",
        about: "More elements than a block can hold. Blocks cannot wait for each other, so the end of a kernel is their barrier. \
                These two scan, then add, so each element is read and written twice.",
        files: &["three_kernel", "recursive"],
    },
    Group {
        title: "One pass",
        about: "Each element is read and written once: the tiles tell each other what they know while the kernel runs.",
        files: &["chained", "look_back", "production"],
    },
];

#[cfg(test)]
mod tests {
    use super::super::ALGORITHMS;
    use super::*;

    #[test]
    fn every_file_is_in_one_group() {
        for algorithm in ALGORITHMS {
            let groups = GROUPS.iter().flat_map(|group| group.files).filter(|&&file| file == algorithm.file);
            assert_eq!(groups.count(), 1, "{}", algorithm.name);
        }
        let known = |file: &&&str| ALGORITHMS.iter().any(|algorithm| algorithm.file == **file);
        assert!(GROUPS.iter().flat_map(|group| group.files).all(|file| known(&file)));
    }
}
