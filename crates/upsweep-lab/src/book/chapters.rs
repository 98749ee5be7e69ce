//! Chapters of the book.

use super::occupancy::{GPUS, Kernel, hiding};
use super::{Chapter, Exercise, run};
use crate::machine::Banks::{Sixteen, ThirtyTwo};

/// All chapters, in the order in which they are read.
pub static CHAPTERS: &[Chapter] = &[
    Chapter {
        file: "1-reduce",
        title: "Reduce: which thread adds?",
        text: &[
            "A reduction combines n elements to one value. In parallel it is a tree: half of the sums of the step before, until one is left. \
             Any tree takes n - 1 additions, and its depth is log₂ n.",
            "The tree leaves open which thread adds which words. A warp of 32 threads executes one instruction at a time. If some of its threads add and \
             others do not, it takes both ways, one after the other: it diverges. A warp without any thread at work is idle. It accesses no memory, but it issues the round's \
             instructions as well, unless a branch jumps over them.",
        ],
        question: "512 threads, and in each step half as many add. Which threads should it be?",
        answer: &[
            "The first ones. Then whole warps fall idle, and only the last 5 steps, in which less than a warp adds, diverge. If every second thread adds, \
             then every fourth, all 16 warps diverge for 5 steps.",
            "How much that is worth is another question. For 2²⁶ elements on an H200 `reduce-interleaved` takes 674 µs and `reduce-sequential` 319 µs. But the lecture asks \
             `t % (2 * stride) == 0`, and that remainder is more than half of a round's instructions. The same kernel with a mask for the remainder takes 338 µs: the remainder \
             cost more than the divergence.",
            "Today the last word are shuffles: threads of a warp read each other's registers, without shared memory and without barriers.",
        ],
        compare: (
            512,
            ThirtyTwo,
            &[
                "reduce-interleaved",
                "reduce-strided",
                "reduce-sequential-ordered",
                "reduce-unrolled-ordered",
                "reduce-shuffle",
            ],
        ),
        in_step: ["reduce-interleaved", "reduce-sequential"],
        play: &[
            ("reduce-interleaved", 3, "every fourth thread adds, in every warp"),
            ("reduce-sequential", 3, "the first threads add, and the others are whole warps"),
        ],
        exercise: Exercise {
            question: "How many additions does `reduce-sequential` do for 512 elements?",
            hint: "Each addition makes one value of two.",
            why: "n - 1: each addition leaves one value less, from 512 to 1.",
            answer: || Some(run("reduce-sequential", 512, ThirtyTwo)?.total().operations),
        },
        claims: &[
            "reduction-work",
            "reduction-steps",
            "reductions-do-not-race",
            "interleaved-first-steps",
            "interleaved-later-steps",
            "interleaved-one-thread",
            "interleaved-half",
            "interleaved-quarter",
            "interleaved-conflicts",
            "sequential-divergence",
            "sequential-sub-sums",
            "sequential-retiring",
            "sequential-conflicts",
            "sequential-loop",
            "sequential-loop-end",
            "last-loops",
            "unrolled-lines",
            "unrolled-bound",
            "aligned-branches",
        ],
    },
    Chapter {
        file: "2-scan",
        title: "Scan: all prefixes at once",
        text: &[
            "A scan has a result for every element: what all elements up to it combine to. One thread needs n - 1 additions, each of which waits for \
             the one before. A tree for each element would do, but all of them together take n (n - 1) / 2 additions.",
            "Hillis and Steele, and Kogge and Stone, share the trees' parts. In each step every word gets the word `stride` to its left in front, and the \
             stride doubles. After k steps a word holds the last 2ᵏ elements, so log₂ n steps are enough.",
            "It need not be a sum. A loop whose result goes into its next round, such as y = m y + c with other m and c each time, is a scan of functions, because one function behind \
             another is associative: `--op affine`.",
        ],
        question: "In place, Kogge-Stone has two barriers a step: one before the reads, one before the writes. Why two?",
        answer: &[
            "Thread t + stride reads the word that thread t writes. Without the second barrier a warp may write before another one has read: a race. Within \
             a warp the model has lockstep, as GPUs had before Volta, so up to 32 elements it finds no race, and with 33 it does. Since Volta the threads of a warp need not run in \
             lockstep: without a barrier, or a `__syncwarp()` within a warp, it is a race at any length.",
            "With two buffers one barrier is enough: what is read in a step is not what is written. That costs twice the shared memory.",
        ],
        compare: (512, ThirtyTwo, &["sequential", "kogge-stone", "double-buffered"]),
        in_step: ["kogge-stone", "double-buffered"],
        play: &[
            ("kogge-stone-race", 3, "the word that is written while another warp reads it"),
            ("kogge-stone", 2, "the sums wait in registers, until all have read"),
            ("double-buffered", 2, "one buffer is read, the other written"),
        ],
        exercise: Exercise {
            question: "What is the least number of elements for which the model, which has lockstep, finds a race in `kogge-stone-race`?",
            hint: "How many threads does lockstep order?",
            why: "33: one thread more than a warp has.",
            answer: || (2..=64).find(|&n| run("kogge-stone-race", n, ThirtyTwo).is_none()).map(|n| n as u64),
        },
        claims: &[
            "sequential-work",
            "unshared-work",
            "naive-work-per-step",
            "kogge-stone-work",
            "hillis-steele-work",
            "first-attempt-work",
            "first-attempt-work-per-step",
            "naive-steps",
            "words-double",
            "naive-loop",
            "naive-threads",
            "naive-strides",
            "single-buffer-race",
            "sequential-equivalent",
            "recurrence",
            "inclusive-example",
            "exclusive-example",
            "double-buffer-in-place",
        ],
    },
    Chapter {
        file: "3-work",
        title: "Work against depth",
        text: &[
            "Kogge-Stone does n log₂ n - (n - 1) additions, where n - 1 would do. A tree up and a tree down do no more than 2 n: the way up leaves sums, and the \
             way down hands them on to where they are missing. In return the depth is twice log₂ n.",
            "Brent and Kung's tree is inclusive. Blelloch's is exclusive: it begins the way down with the identity at the root.",
        ],
        question: "Blelloch's kernel does a quarter of Kogge-Stone's additions, and on a GPU takes 1.2 times as long. Why?",
        answer: &[
            "It waits for banks. For 512 elements Blelloch's tree has 557 conflicts, and Kogge-Stone has none. Padding takes most of them away. For 2²⁶ elements on an H200 Kogge-Stone takes \
             607 µs, Blelloch 747 µs, and Blelloch padded 537 µs. So less work is faster, once banks are not in its way.",
            "It is not four times as fast. A warp issues an instruction once, for 32 threads or for one. Additions of idle threads in a warp that works are not saved, and a tree has \
             two rounds where Kogge-Stone has one.",
            "Both hold for a second form of each kernel, too: Kogge-Stone takes 589 µs, Blelloch 847 µs, padded 550 µs. How a kernel is written can hide it: `blelloch-dividing` \
             takes 1003 µs.",
        ],
        compare: (512, ThirtyTwo, &["kogge-stone", "brent-kung", "brent-kung-modulo", "inverse", "blelloch"]),
        in_step: ["kogge-stone", "blelloch"],
        play: &[
            ("brent-kung", 8, "one thread works, and all wait"),
            ("blelloch", 8, "the root becomes the identity"),
            ("blelloch", 12, "left gets right, right gets both"),
        ],
        exercise: Exercise {
            question: "How many additions does `brent-kung` do for 64 elements?",
            hint: "n - 1 up. Down it is one less at each of the log₂ n levels.",
            why: "2 n - 2 - log₂ n = 128 - 2 - 6.",
            answer: || Some(run("brent-kung", 64, ThirtyTwo)?.total().operations),
        },
        claims: &[
            "blelloch-work",
            "balanced-steps",
            "brent-kung-work",
            "brent-kung-steps",
            "brent-kung-threads",
            "brent-kung-third-level",
            "inverse-work",
            "down-sweep",
            "twenty-times-the-work",
            "twenty-times-slower",
        ],
    },
    Chapter {
        file: "4-banks",
        title: "Banks",
        text: &[
            "Shared memory has 32 banks, 16 on the GPUs of the lectures. Word i lies in bank i modulo their number. A bank gives one word a turn. If the threads of a \
             warp want different words of one bank, they take turns; threads at the same word share one.",
            "In a tree neighbouring threads work at words that are ever further apart: 2, 4, 8, 16 words. Every doubling leaves half of the banks, and twice the turns.",
        ],
        question: "The distances go on doubling. Why do the turns not?",
        answer: &[
            "As the distance doubles the threads at work halve. With 16 banks and a half-warp of 16 threads the worst is in the middle: for 512 elements 2, 4, 8, \
             16, 16, 8, 4, 2 and 1 turns.",
        ],
        compare: (
            512,
            Sixteen,
            &["reduce-interleaved", "reduce-strided", "reduce-strided-padded", "reduce-sequential"],
        ),
        in_step: ["reduce-interleaved", "reduce-strided"],
        play: &[
            ("reduce-strided", 2, "stride 1: two words in each of eight banks"),
            ("reduce-strided", 4, "stride 4: all words in two banks"),
            ("reduce-interleaved", 4, "the same tree, and every thread at its own bank"),
        ],
        exercise: Exercise {
            question: "32 threads read words 0, 8, 16, 24, ... of 32 banks. How many turns does it take?",
            hint: "Words 0, 32, 64, ... lie in bank 0.",
            why: "The words lie in banks 0, 8, 16 and 24: 4 banks for 32 words.",
            answer: || Some((0..32_u64).map(|thread| 8 * thread).filter(|word| word % 32 == 0).count() as u64),
        },
        claims: &[
            "loads-conflicts",
            "tree-64-degrees",
            "tree-64",
            "tree-128-addresses",
            "tree-512",
            "tree-crowds",
            "brent-kung-conflicts",
        ],
    },
    Chapter {
        file: "5-padding",
        title: "Padding",
        text: &[
            "With a word of padding behind each round of the banks, word i lies at i + i / banks. Words that were one round apart, in one bank, are now in \
             neighbouring ones.",
            "The lecture counts what it costs: 8 cycles a step of a warp, for the addresses. So 64 leaves take 84 cycles for 102, and 512 take 304 for 570.",
        ],
        question: "When does padding not pay?",
        answer: &[
            "Where there are few turns to save: below 64 elements, with 16 banks, its addresses cost more than it saves. And where the kernel \
             waits for something else.",
            "On an H200 padding takes two thirds of the turns of both trees, and the kernels wait for turns. For 2²⁶ elements Brent and Kung's takes 748 µs, padded 522 µs; Blelloch's 747 µs, \
             padded 537 µs. A second form of each saves as much. The times include the kernel that adds what lies before a block, which has no banks to pad.",
            "`blelloch-dividing` does the same steps, but asks `t < n / (2 * stride)`. The division is 18 of the 28 to 33 instructions of a round. It takes 1003 µs, padded 978 µs: \
             the turns pass while instructions are issued. A division costs more than all conflicts, and hides them.",
            "A few conflicts stay. `brent-kung-padded` has 22 for 512 elements and 32 banks. The words of a warp begin off a multiple of the banks there, so they touch one \
             round of the banks more than there are banks, and two of them meet.",
        ],
        compare: (
            512,
            ThirtyTwo,
            &[
                "brent-kung",
                "brent-kung-padded",
                "blelloch",
                "blelloch-padded",
                "blelloch-dividing",
                "blelloch-dividing-padded",
            ],
        ),
        in_step: ["blelloch", "blelloch-padded"],
        play: &[
            ("blelloch", 4, "four words of one bank"),
            ("blelloch-padded", 4, "the same words, in banks of their own"),
        ],
        exercise: Exercise {
            question: "How many words of shared memory do 1024 padded words take, with 32 banks?",
            hint: "A word more for each 32.",
            why: "1024 + 1024 / 32: 3 % more.",
            answer: || Some(1024 + 1024 / 32),
        },
        claims: &[
            "tree-128",
            "tree-512-padded-degrees",
            "brent-kung-padded-conflicts",
            "tree-64-padded-addresses",
            "tree-128-padded-banks",
            "padding-waste",
            "padded-loop",
            "padded-loop-bound",
        ],
    },
    Chapter {
        file: "6-segments",
        title: "Segments",
        text: &[
            "A segmented scan begins anew at each head: many scans of any lengths, in one. The pair of a range says whether a head is in it, and what its \
             elements from the last head on combine to.",
            "Two neighbouring pairs give (f, a) ⊙ (g, b) = (f or g, if g: b else: a ⊕ b). That is associative where ⊕ is, so any scan will do.",
            "Segments are what makes a recursion parallel. Quicksort splits keys by a pivot and then sorts each part: the parts are segments, and one segmented scan \
             tells the keys of all of them where to go. So a round of it splits everything that is left, and the number of rounds is the depth of the recursion.",
        ],
        question: "Which of the two flags decides whether a is left out, and why?",
        answer: &[
            "That of the right pair: a head in the right range cuts off what lies to its left. A head in the left range cuts off nothing that the left pair still holds.",
        ],
        compare: (512, ThirtyTwo, &["blelloch", "segmented-pairs", "segmented-sweep"]),
        in_step: ["segmented-pairs", "segmented-sweep"],
        play: &[
            ("segmented-pairs", 2, "pairs of flags and values"),
            ("segmented-sweep", 8, "the original heads decide on the way down"),
            ("quicksort", 2, "every key is compared with the first one of its segment"),
            ("quicksort", 13, "the sums of the marks are the places: one segment becomes three"),
        ],
        exercise: Exercise {
            question: "The segments [1 2 3 4] [6 5] [1 3 5] are scanned in one, inclusively. What is the result at the element 4?",
            hint: "Only elements of its own segment count.",
            why: "1 + 2 + 3 + 4.",
            answer: || Some((1..=4).sum()),
        },
        claims: &["segmented-operator", "segments-apart", "segments-together"],
    },
    Chapter {
        file: "7-blocks",
        title: "Many blocks",
        text: &[
            "A block has 1024 threads at most, and blocks cannot wait for each other, unless somebody makes sure that those they wait for run. The end of a kernel is \
             a barrier of all blocks.",
            "So three kernels: scan each part, scan the parts' sums, put in front of each element what lies before its part. If the sums are more than a block can hold, \
             they are scanned in the same way.",
        ],
        question: "How often does an element come from memory and go there?",
        answer: &[
            "Twice each: the first kernel reads x and writes y, the third reads y and writes it. A copy does it once each. So scan, then add takes at least twice the time of a copy, \
             however well a block scans. On an H200 `three-kernel` takes 913 µs for 2²⁶ elements, `recursive` 721 µs, and a copy 128 µs.",
            "Reduce, then scan has three kernels, too. Its first one only reads, so an element is read twice and written once: 3 n words, the time of one and a half copies.",
        ],
        compare: (512, ThirtyTwo, &["three-kernel", "recursive"]),
        in_step: ["three-kernel", "recursive"],
        play: &[
            ("three-kernel", 8, "the sum of a part goes to memory"),
            ("recursive", 9, "a block of many"),
            ("fenwick-updates", 4, "an update goes from node to node, to one of each size"),
        ],
        exercise: Exercise {
            question: "A million elements (10⁶), blocks of 512. How many levels does `recursive` need?",
            hint: "Each level has 512 times fewer elements.",
            why: "1954 blocks, then 4, then 1.",
            answer: || {
                let (mut left, mut levels) = (1_000_000_u64, 0);
                while left > 1 {
                    (left, levels) = (left.div_ceil(512), levels + 1);
                }
                Some(levels)
            },
        },
        claims: &["segment-sum", "fenwick-build", "fenwick-update"],
    },
    Chapter {
        file: "8-one-pass",
        title: "One pass",
        text: &[
            "To read and write each element once, a tile has to learn while the kernel runs what lies before it. In the chained scan each tile waits for the \
             inclusive prefix of the one before.",
            "With look-back a tile publishes its aggregate, what its own elements combine to, before it knows what lies before it. A tile reads aggregates to its left until it comes to a prefix.",
        ],
        question: "Both read and write each element once. Why does the chained scan crawl, and what makes one pass enough?",
        answer: &[
            "The chain has a link a tile: no tile publishes before the one before it did, so its time is the number of tiles times the way from a block to another. On an H200 those are 17,477 \
             tiles of a microsecond each: 17,840 µs, where `look-back` takes 502 µs. With tiles of half the size there are twice the links, and it takes 38,823 µs.",
            "An aggregate depends on nothing but the tile's own elements. So all tiles publish at once, and what a tile waits for is there when it looks, or nearly so. How far it has to look is chance: \
             play `look-back` with `--order 1`, `--order 2`, and see where it finds a P.",
        ],
        compare: (40_960, ThirtyTwo, &["three-kernel", "chained", "look-back", "production"]),
        in_step: ["chained", "look-back"],
        play: &[
            ("chained", 29, "a tile waits for the prefix of the tile before it"),
            ("look-back", 40, "a tile looks at four others at once"),
        ],
        exercise: Exercise {
            question: "How many times does a one-pass scan move each element between the chip and its memory?",
            hint: "It cannot be less than a copy.",
            why: "Once to read it, once to write it.",
            answer: || {
                let counts = run("look-back", 4096, ThirtyTwo)?.total_of(|step| step.is_transfer);
                Some((counts.global_reads + counts.global_writes) / 4096)
            },
        },
        claims: &[],
    },
    Chapter {
        file: "9-library",
        title: "The library's own",
        text: &[
            "upsweep's CUDA scan is a one-pass scan whose elements stay in registers, and whose look-back has a fixed shape: the aggregates of the tile's own group of 32, those of \
             the eight groups before, and the prefix of what lies before them.",
            "The shape does not depend on who was faster, so a sum of floats has the same bits in every run.",
        ],
        question: "What is left to gain, when each element is read and written once?",
        answer: &[
            "That memory never waits. Tiles are copied to shared memory several ahead of the one that is worked on, and a tile is finished four tiles after it was reduced, when its prefix \
             has long been there. On an H200 it takes 139 µs for 2²⁶ elements, where a copy takes 128 µs and the textbook look-back 502 µs.",
        ],
        compare: (40_960, ThirtyTwo, &["look-back", "production"]),
        in_step: ["look-back", "production"],
        play: &[
            ("production", 1, "a thread reduces its elements in registers"),
            ("production", 31, "the last tile of a group waits for its aggregates"),
        ],
        exercise: Exercise {
            question: "How many words of shared memory do the 8 warps of a block of `production` write for a tile of 2048 elements, if the block is one of four? Count for all four blocks.",
            hint: "Two words a warp: its total, and what lies before it.",
            why: "Two words a warp, 8 warps, 4 blocks: 64, for 8192 elements. The others hold all elements there.",
            answer: || Some(run("production", 8192, ThirtyTwo)?.total().shared_writes),
        },
        claims: &[],
    },
    Chapter {
        file: "10-latency",
        title: "What hides what",
        text: &[
            "A word from memory takes hundreds of cycles. A multiprocessor does not wait: it goes on with another warp. How many it has depends on what a kernel asks for: threads, registers and \
             shared memory of a block, of each of which there is only so much.",
            "While one warp waits, the others issue. If a warp has k instructions of c cycles between two waits, latency / (k c) warps hide the latency of a scheduler. \
             The lectures' GPU has one scheduler, and a multiprocessor of an H200 four, each with warps of its own.",
        ],
        question: "More warps hide more. So is the block with the most warps the fastest?",
        answer: &[
            "Only until the latency is hidden. From there on warps add nothing, and what they cost, registers that a thread does without, may be what is missing. A thread with several independent \
             loads hides latency, too: the library's tiles wait for copies that are several tiles ahead, with few warps.",
        ],
        compare: (512, ThirtyTwo, &["reduce-sequential-ordered", "reduce-unrolled-ordered", "reduce-shuffle"]),
        in_step: ["reduce-unrolled-ordered", "reduce-shuffle"],
        play: &[("reduce-shuffle", 2, "no shared memory, no barrier: registers alone")],
        exercise: Exercise {
            question: "A latency of 200 cycles, 4 cycles an instruction, every fourth instruction reads memory: how many warps hide it?",
            hint: "A warp has 4 times 4 cycles to offer.",
            why: "200 / 16, rounded up, as the lecture has it.",
            answer: || Some(hiding(200, 4, 4)),
        },
        claims: &["warps-of-blocks", "latency-hiding"],
    },
];

/// Index of the GPU and the kernel that the calculator of occupancy begins with: those of the race.
pub(crate) const BEGIN: (usize, Kernel) = (GPUS.len() - 1, Kernel { threads: 256, registers: 16, shared: 2048 });
