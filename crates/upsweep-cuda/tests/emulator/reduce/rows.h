// Cases of reduce/rows.cuh.

#include "emulator/workspace.h"

namespace emulator {

static void one_case() {
    const u64 vectors = once_in(2) ? 1 + below(5 * DEPTH * WARP) : DEPTH * WARP * (1 + below(5)), row = vectors * VECTOR;
    const u64 rows = 1 + below(3 * WARPS), n = rows * row;
    Guarded<In> input(n);
    for (u64 i = 0; i < n; i++) input[i] = any_value<In>();
    Guarded<Out> output(rows);
    Guarded<Given> init(1);
    init[0] = any_value<Given>();
    RowsParams p;
    memset((void*)&p, 0, sizeof p);
    p.input = input.values, p.output = output.values, p.rows = rows, p.row = row;
    p.given_init = p.given_first = given_acc(init[0]);
    if (HAS_INIT && once_in(2)) p.init_from = init.values, memset((void*)&p.given_init, 0x77, sizeof(Acc));
    launch((rows + WARPS - 1) / WARPS, THREADS, 0, [&] { KERNEL(p); });

    output.check("results"), input.check("elements");
    for (u64 k = 0; k < rows; k++) {
        T acc = ValueOfAcc::of(given_acc(init[0]));
        for (u64 i = 0; i < row; i++) {
            const T e = map(input[k * row + i], i, k * row + i);
            acc = i > 0 || HAS_INIT ? combine(acc, e) : e;
        }
        if (!same_bits(output[k], result(acc))) fail("wrong in row %llu of %llu, of %llu elements", k, rows, row);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
