// Cases of recurrence/recurrence.cuh, of integers: every bit is known.

#include "emulator/workspace.h"

namespace emulator {

using Numbers = std::vector<T>;

// Reference: the result of an element, and the states after it, by the definition.
static T one_step(const Numbers& numbers, Numbers& z, T x) {
    if constexpr (SECTIONS > 0) {
        for (u32 s = 0; s < SECTIONS; s++) {
            const T* const c = numbers.data() + 5 * s;
            const T y = c[0] * x + z[2 * s];
            z[2 * s] = c[1] * x + c[3] * y + z[2 * s + 1];
            z[2 * s + 1] = c[2] * x + c[4] * y;
            x = y;
        }
        return x;
    }
    const T y = numbers[0] * x + z[0];
    for (u32 j = 0; j < ORDER; j++) {
        z[j] = numbers[j + 1] * x + (FEEDBACK ? numbers[ORDER + 1 + j] * y : 0) + (j + 1 < ORDER ? z[j + 1] : 0);
    }
    return y;
}

// The coefficients, and A^ITEMS, A^(2 ITEMS), ..., whose columns are the images of unit vectors.
static Numbers any_numbers() {
    Numbers numbers;
    for (u32 i = 0; i < COEFFICIENTS; i++) numbers.push_back(!FEEDBACK && i > ORDER ? 0 : (T)random_bits());
    Numbers power(ORDER * ORDER);
    for (u32 j = 0; j < ORDER; j++) {
        Numbers z(ORDER);
        z[j] = 1;
        for (u32 i = 0; i < ITEMS; i++) one_step(numbers, z, 0);
        for (u32 i = 0; i < ORDER; i++) power[i * ORDER + j] = z[i];
    }
    for (u32 level = 0; level < LEVELS; level++) {
        numbers.insert(numbers.end(), power.begin(), power.end());
        Numbers square(ORDER * ORDER);
        for (u32 i = 0; i < ORDER; i++) {
            for (u32 j = 0; j < ORDER; j++) {
                for (u32 k = 0; k < ORDER; k++) square[i * ORDER + j] += power[i * ORDER + k] * power[k * ORDER + j];
            }
        }
        power = square;
    }
    // Contribution of each of a thread's elements to each state.
    for (u32 i = 0; i < ORDER && WEIGHTS_GIVEN; i++) {
        for (u32 at = 0; at < ITEMS; at++) {
            Numbers z(ORDER);
            for (u32 k = at; k < ITEMS; k++) one_step(numbers, z, k == at);
            numbers.push_back(z[i]);
        }
    }
    return numbers;
}

static void one_case() {
    const u64 most_tiles = (GROUPS + 2) * GROUP + 3, whole = once_in(16) ? most_tiles - 1 - below(40) : below(12);
    u64 n = 1 + (once_in(4) ? below(100) : whole * TILE + (once_in(2) ? 0 : below(TILE)));
    const u64 row = HEADS == Heads::ROWS ? max(n / (1 + below(once_in(2) ? 5 : n)), 1ull) : n;
    n -= n % row;
    const u64 lines = n / row, tiles = tile_number(n);
    const Numbers numbers = any_numbers();
    memcpy(parameter_bytes, numbers.data(), numbers.size() * sizeof(T));

    // In place if possible.
    Guarded<Out> output(n);
    Guarded<In> separate(n);
    In* const input = arith::same_type<In, Out> && once_in(4) ? (In*)output.values : separate.values;
    std::vector<In> x;
    for (u64 i = 0; i < n; i++) x.push_back(input[i] = any_value<In>());
    Guarded<Given> first(HAS_INIT ? lines * ORDER : 0), last(CARRIES ? lines * ORDER : 0);
    for (u64 i = 0; i < first.number; i++) first[i] = any_value<Given>();

    const u64 grid = min(tiles, 1 + below(4));
    Space space = Space::of<Carried>(Chain<Carried>::entries(tiles));
    ScanParams p;
    memset((void*)&p, 0, sizeof p);
    p.input = input, p.output = output.values, p.n = n, p.outputs = n, p.workspace = space.workspace();
    p.row = row, p.row_reciprocal = ~0ull / row, p.init_from = first.values, p.carry = last.values;
    for (u64 bit = 0; bit < 64; bit++) p.row_pattern |= (u64)(bit % row == 0) << bit;
    launch(grid, THREADS + Pipeline<RecurrenceTask>::HELPERS * WARP, STAGES * Input::TILE_BYTES + Beside::BYTES, [&] { KERNEL(p); });

    output.check("results"), separate.check("elements"), first.check("initial states"), last.check("final states");
    if (tiles > 1) space.check();
    for (u64 line = 0; line < lines; line++) {
        Numbers z(ORDER);
        for (u32 j = 0; HAS_INIT && j < ORDER; j++) z[j] = first[line * ORDER + j];
        for (u64 k = 0; k < row; k++) {
            const u64 at = line * row + (REVERSE ? row - 1 - k : k);
            const T y = one_step(numbers, z, x[at]);
            if (output[at] != y) fail("wrong at %llu of %llu in line %llu of %llu", k, row, line, lines);
        }
        for (u32 j = 0; CARRIES && j < ORDER; j++) {
            if (last[line * ORDER + j] != z[j]) fail("wrong state %llu of line %llu of %llu", (u64)j, line, lines);
        }
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
