//! Lengths of arrays, around every boundary that an implementation may have.

/// Number of bytes of input in one tile of the CUDA backend; the CPU's blocks are multiples of it.
const TILE_BYTES: usize = 1 << 15;

/// Number of tiles in one group of tiles of the CUDA backend.
const GROUP_TILES: usize = 128;

/// Whether `UPSWEEP_TEST_SIZES=reduced` requests few and short arrays, as a run under compute-sanitizer needs.
pub fn reduced() -> bool {
    std::env::var_os("UPSWEEP_TEST_SIZES").is_some_and(|value| value == "reduced")
}

/// Returns `sizes` unchanged, or in a [`reduced`] run only every third of the sizes up to 100 000.
fn thin(sizes: Vec<usize>) -> Vec<usize> {
    if reduced() { sizes.into_iter().filter(|&n| n <= 100_000).step_by(3).collect() } else { sizes }
}

/// Few lengths, for test cases that vary other options.
pub fn few() -> Vec<usize> {
    thin(vec![0, 1, 2, 33, 257, 1025, 5003])
}

/// Lengths around warps, blocks and short arrays.
pub fn small() -> Vec<usize> {
    thin(vec![0, 1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025])
}

/// Lengths around blocks, around tiles of elements of `element` bytes and groups of tiles, and two lengths far from any
/// boundary.
pub fn large(element: usize) -> Vec<usize> {
    let mut sizes: Vec<usize> = (12..=15).flat_map(|bits| (1 << bits) - 1..=(1 << bits) + 1).collect();
    let tile = TILE_BYTES / element;
    for tiles in [1, 2, 3, 5] {
        sizes.extend([tiles * tile - 1, tiles * tile, tiles * tile + 1]);
    }
    sizes.sort_unstable();
    sizes.dedup();
    sizes.extend([(1 << 20) / element.max(4) * 4 + 7, 1_000_007]);
    thin(sizes)
}

/// Lengths around one group of tiles (the tiles whose totals the CUDA backend adds up), and a length past two groups.
pub fn groups(element: usize) -> Vec<usize> {
    let group = GROUP_TILES * TILE_BYTES / element;
    if reduced() { vec![] } else { vec![group - 1, group, group + 1, 2 * group + 13] }
}

/// Returns one length, of results that exceed the CPU's caches, so that the CPU stores past them (non-temporal).
pub fn past_caches(element: usize) -> Vec<usize> {
    if reduced() { vec![] } else { vec![(33 << 20) / element + 77] }
}

/// Shapes of one to four axes, with axes of length 0 and 1 in every position.
pub fn shapes() -> Vec<Vec<usize>> {
    let shapes: &[&[usize]] = &[
        &[0],
        &[1],
        &[37],
        &[5000],
        &[0, 5],
        &[5, 0],
        &[1, 300],
        &[300, 1],
        &[7, 1000],
        &[1000, 7],
        &[3, 33],
        &[129, 257],
        &[2, 40_000],
        &[40_000, 2],
        &[611, 1013],
        &[0, 3, 4],
        &[3, 0, 4],
        &[3, 4, 0],
        &[1, 5, 6],
        &[5, 1, 6],
        &[5, 6, 1],
        &[3, 1000, 5],
        &[33, 65, 17],
        &[2, 3, 10_000],
        &[3, 401, 511],
        &[2, 3, 4, 5],
        &[3, 1, 70, 9],
        &[1, 1, 1, 1],
        &[2, 0, 3, 0],
        &[4, 33, 2, 65],
    ];
    let shapes = shapes.iter().map(|shape| shape.to_vec());
    if reduced() {
        shapes.filter(|s| s.iter().product::<usize>() < 9000).step_by(2).collect()
    } else {
        shapes.collect()
    }
}
