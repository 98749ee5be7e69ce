// Cases of reduce/short_rows.cuh: rows of the lengths that a kernel is compiled for.

#include "emulator/workspace.h"

constexpr u32 CHUNK_LANES = 128;  // for the oracle: any number of lanes that is not less than the elements of a row
#include "emulator/lanes.h"

namespace emulator {

static In any_element() {
    const double x = ((double)random_bits() - 9e18) * 1.2345e-20;
    if constexpr (arith::half<In>) return arith::narrow<In>((f32)x);
    else return (In)(PRODUCT ? 1 + x / 8 : x);
}

static void one_case() {
    const u64 row = ROW_USED - below((ROW_USED + 1) / 2), rows = 1 + below(3 * THREADS), n = rows * row;
    Guarded<In> input(n);
    for (u64 i = 0; i < n; i++) input[i] = any_element();
    Guarded<Out> output(rows);
    Guarded<Given> init(1);
    init[0] = (Given)0.375;
    Space space = Space::of<T>(1);
    RowTotalsParams p;
    memset((void*)&p, 0, sizeof p);
    p.input = input.values, p.output = output.values, p.rows = rows, p.row = row, p.workspace = space.workspace();
    p.given_init = p.given_first = given_acc(init[0]);
    if (HAS_INIT && once_in(2)) p.init_from = init.values, memset((void*)&p.given_init, 0x77, sizeof(Acc));
    launch((rows + THREADS - 1) / THREADS, THREADS, THREADS * (row | 1) * sizeof(T), [&] { KERNEL(p); });

    output.check("results"), input.check("elements");
    for (u64 k = 0; k < rows; k++) {
        std::vector<T> mapped(row);
        for (u64 i = 0; i < row; i++) mapped[i] = map(input[k * row + i], i, k * row + i);
        const T total = LanesOracle<T>::total(mapped);
        if (!same_bits(output[k], result(HAS_INIT ? combine(ValueOfAcc::of(given_acc(init[0])), total) : total))) fail("wrong in row %llu of %llu, of %llu elements", k, rows, row);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
