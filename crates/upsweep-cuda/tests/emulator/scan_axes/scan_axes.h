// Cases of scan_axes/scan_axes.cuh.

#include "emulator/workspace.h"

namespace emulator {

static void one_case() {
    const u64 arrays = 1 + below(2), height = 1 + below(once_in(4) ? 5 * HEIGHT : 2 * HEIGHT);
    const u64 width = (1 + below(once_in(2) ? 7 * WIDTH : WIDTH)) / (once_in(2) ? VECTOR : 1) + 1;
    const u64 columns = once_in(2) ? (width + VECTOR - 1) / VECTOR * VECTOR : width;
    const u64 border = EXCLUSIVE ? below(2) : 0, out_height = height + border, out_width = columns + border;
    // Alignment of rows in memory.
    Guarded<In> input(arrays * height * columns, columns % VECTOR == 0 ? VECTOR : 1);
    Guarded<Out> output(arrays * out_height * out_width, out_width % VECTOR == 0 ? VECTOR : 1);
    for (u64 i = 0; i < input.number; i++) input[i] = any_value<In>();
    ScanAxesParams p;
    memset((void*)&p, 0, sizeof p);
    p.input = input.values, p.output = output.values;
    p.height = height, p.width = columns, p.out_height = out_height, p.out_width = out_width;
    p.strips = (columns + WIDTH - 1) / WIDTH, p.tiles = (height + HEIGHT - 1) / HEIGHT, p.groups = (p.strips + GROUP - 1) / GROUP;
    p.group_entries = arrays * p.tiles * p.strips * HEIGHT;
    const auto begins = [](u64 address, u64 bytes, u64 most) {
        while ((address | bytes) % most != 0) most /= 2;
        return most;
    };
    p.access = begins((u64)input.values, columns * sizeof(In), COPY);
    p.out_aligned = begins((u64)output.values, out_width * sizeof(Out), STORE) == STORE;
    const Given first = any_value<Given>();
    p.given_first = given_acc(first);
    Space space = Space::of<T>(p.group_entries + arrays * p.tiles * p.groups * 2 * HEIGHT);
    p.workspace = space.workspace();
    launch(arrays * p.strips, COMPUTING + LOOKING_BACK, sizeof(Shared), [&] { KERNEL(p); });
    output.check("results"), input.check("elements"), space.check();

    std::vector<Out> expected(output.number, result(ValueOfAcc::of(p.given_first)));
    for (u64 a = 0; a < arrays; a++) {
        std::vector<T> above(columns);
        for (u64 r = 0; r < height; r++) {
            T left;
            for (u64 c = 0; c < columns; c++) {
                const u64 at = (a * height + r) * columns + c;
                const T e = map(input[at], c, at);
                left = c > 0 ? combine(left, e) : e;
                above[c] = r > 0 ? combine(above[c], left) : left;
                if (r + SHIFT < out_height && c + SHIFT < out_width) expected[(a * out_height + r + SHIFT) * out_width + c + SHIFT] = result(above[c]);
            }
        }
    }
    for (u64 i = 0; i < output.number; i++) {
        if (!same_bits(output[i], expected[i])) fail("wrong at %llu of %llu x %llu x %llu", i, arrays, out_height, out_width);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
