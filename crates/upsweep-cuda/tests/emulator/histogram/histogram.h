// Cases of histogram/histogram.cuh.

#include "emulator/workspace.h"

namespace emulator {

// The bin of x, edge by edge, or by the job's own rule.
static u64 naive_bin(const In* edges, u64 bins, const In& x) {
    if constexpr (BY_EDGES) {
        u64 bin = ~0ull;
        for (u64 k = 0; k < bins; k++) {
            if (edges[k] <= x && (x < edges[k + 1] || (k == bins - 1 && x <= edges[bins]))) bin = k;
        }
        return bin;
    } else {
        return load_acc(x, 0, 0);
    }
}

static void one_case() {
    const u64 bins = 1 + below(once_in(2) ? 5 : 60), step = THREADS * VECTOR, part = step * (1 + below(HALVES ? 12 : 3));
    u64 n = once_in(4) ? below(100) : part * below(3) + below(part);
    // A last part with a few elements more or less than a whole number of vectors.
    if (once_in(3)) n = part * (1 + below(2)) - below(2 * VECTOR);
    n -= n % CHANNELS;
    const u64 rows = ROWS ? 1 + below(6) : 1, of_row = COUNTED_CHANNELS * bins;
    const u64 slots = COUNTED_CHANNELS * (BY_VALUE ? 256 : bins), results = rows * of_row;
    const u64 slice = SLICED ? 1 + below(slots) : slots, slices = (slots + slice - 1) / slice;
    const u64 places = n + VECTOR - 1, parts = places == 0 ? 1 : (places + part - 1) / part;
    // Rows of any lengths, cut into pieces.
    std::vector<u64> begins(rows + 1, n), pieces;
    begins[0] = 0;
    for (u64 row = 1; row < rows; row++) begins[row] = below(n + 1) / CHANNELS * CHANNELS;
    std::sort(begins.begin(), begins.end());
    for (u64 row = 0; row < rows; row++) {
        const u64 most = part / CHANNELS * CHANNELS;
        for (u64 at = begins[row]; at < begins[row + 1]; at += most) pieces.insert(pieces.end(), {at, min(most, begins[row + 1] - at), row});
    }
    if (pieces.empty()) pieces.assign(3, 0);

    Guarded<In> input(n), edges(bins + 1);
    Guarded<Out> weights(WEIGHTS == NO_WEIGHTS ? 0 : n), output(results);
    Guarded<Fixed> sums(WEIGHTS == FLOAT_WEIGHTS ? results : 0);
    Guarded<u32> marks(results), largest(results), exponents(results);
    // Distribution: all values, one, two, runs.
    const u32 kind = below(5);
    for (u64 i = 0; i < n; i++) input[i] = (In)(kind == 0 ? 1 : kind == 1 ? below(2) : kind == 2 ? i / 37 % (bins + 3) : below(bins + 3));
    u64 at = below(3);
    for (u64 k = 0; k <= bins; k++, at += below(3)) edges[k] = (In)at;
    constexpr bool FLOATS = WEIGHTS == FLOAT_WEIGHTS || WEIGHTS == EXPONENTS;
    for (u64 i = 0; i < weights.number; i++) {
        weights[i] = (Out)(i64)(below(1000) - 500);
        if (FLOATS && once_in(200)) weights[i] = (Out)(once_in(2) ? 1.0 / 0.0 : 0.0 / 0.0);
    }
    // The slot of an element, or one past the last.
    auto slot_of = [&](u64 i) {
        u64 row = rows - 1;
        while (begins[row] > i) row--;
        const u64 bin = naive_bin(edges.values, bins, input[i]), channel = (i - begins[row]) % CHANNELS;
        return bin >= bins || channel >= COUNTED_CHANNELS ? results : row * of_row + channel * bins + bin;
    };
    for (u64 k = 0; k < results; k++) output[k] = 0, marks[k] = 0, largest[k] = 0, exponents[k] = 0;
    if constexpr (FLOATS) {
        // Weights of one magnitude in a bin, and of others in the next.
        for (u64 i = 0; i < n; i++) {
            const u64 slot = slot_of(i);
            if (slot == results) continue;
            if (tally::finite((f64)weights[i])) weights[i] *= (Out)(slot % 2 == 0 ? 0x1p100 : 0x1p-100);
            if (tally::finite((f64)weights[i])) largest[slot] = max(largest[slot], max(tally::exponent((f64)weights[i]), 1u));
        }
    }
    for (u64 k = 0; k < sums.number; k++) sums[k] = Fixed{};

    Space space = Space::of<u32>(1);
    HistogramParams p;
    memset((void*)&p, 0, sizeof p);
    p.input = input.values, p.weights = weights.values, p.edges = edges.values, p.n = n, p.part = part, p.bins = bins;
    p.output = WEIGHTS == FLOAT_WEIGHTS ? (Out*)sums.values : WEIGHTS == EXPONENTS ? (Out*)exponents.values : output.values;
    p.slices = slices, p.slice = slice, p.largest = largest.values, p.spare = 20, p.marks = marks.values;
    p.pieces = pieces.data(), p.rows = rows;
    p.workspace = space.workspace();
    for (p.search = 1; p.search * 2 < bins; p.search *= 2) {}
    if (bins == 1) p.search = 0;
    launch((u32)((ROWS ? pieces.size() / 3 : parts) * slices), THREADS, (u32)(HALVES ? (((slice + 63) / 64 * 33 + 3) / 4 * 4 + 32 + 3 * 256 + 1) * 4 : (slice + 1) * COLUMNS * sizeof(Counter)), [&] { KERNEL(p); });

    input.check("elements"), edges.check("edges"), weights.check("weights"), output.check("results");
    sums.check("sums"), marks.check("marks"), largest.check("largest"), exponents.check("exponents");
    if constexpr (WEIGHTS == EXPONENTS) {
        for (u64 k = 0; k < results; k++) {
            if (exponents[k] != largest[k]) fail("the largest exponent of %llu is wrong", k);
        }
        return;
    }
    std::vector<Out> expected(results);
    std::vector<u32> expected_marks(results);
    for (u64 i = 0; i < n; i++) {
        const u64 slot = slot_of(i);
        if (slot == results) continue;
        if (WEIGHTS == NO_WEIGHTS) expected[slot] += 1;
        else if (WEIGHTS == FLOAT_WEIGHTS && !tally::finite((f64)weights[i])) expected_marks[slot] |= tally::mark((f64)weights[i]);
        else expected[slot] += weights[i];
    }
    for (u64 k = 0; k < results; k++) {
        Out found = output[k];
        if constexpr (WEIGHTS == FLOAT_WEIGHTS) found = (Out)tally::value(sums[k], max(largest[k], 1u), 20);
        if (found != expected[k]) fail("%llu of %llu elements in %llu parts, %llu slices: result %llu is wrong", n, n, parts, slices, k);
        if (marks[k] != expected_marks[k]) fail("the marks of %llu are wrong", k);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
