// Cases of reduce/row_totals.cuh: rows of any length, whole or in parts.

#include "emulator/workspace.h"

constexpr u32 CHUNK_LANES = ROW_LANES;  // for the oracle
#include "emulator/lanes.h"

namespace emulator {

static In any_element() {
    const double x = ((double)random_bits() - 9e18) * 1.2345e-20;
    if constexpr (arith::half<In>) return arith::narrow<In>((f32)x);
    else return (In)(PRODUCT ? 1 + x / 8 : x);
}

static void one_case() {
    const u64 row = 1 + below(once_in(2) ? 9 * ROW_LANES : 40 * 8 * ROW_LANES), rows = 1 + below(2 * WARPS), n = rows * row;
    const u64 part = once_in(2) ? 8 * ROW_LANES << 10 : 8 * ROW_LANES << below(4), parts = (row + part - 1) / part;
    Guarded<In> input(n);
    for (u64 i = 0; i < n; i++) input[i] = any_element();
    Guarded<Out> output(rows);
    Guarded<Acc> totals(rows * parts);
    Guarded<Given> init(1);
    init[0] = (Given)0.375;
    Space space = Space::of<T>(1);
    RowTotalsParams p;
    memset((void*)&p, 0, sizeof p);
    p.input = input.values, p.output = output.values, p.rows = rows, p.row = row, p.part = part, p.parts = parts;
    p.totals = totals.values, p.workspace = space.workspace();
    p.given_init = p.given_first = given_acc(init[0]);
    if (HAS_INIT && once_in(2)) p.init_from = init.values, memset((void*)&p.given_init, 0x77, sizeof(Acc));
    launch((rows * parts + WARPS - 1) / WARPS, THREADS, 0, [&] { KERNEL(p); });

    output.check("results"), input.check("elements"), totals.check("totals of parts");
    for (u64 k = 0; k < rows; k++) {
        std::vector<T> mapped(row);
        for (u64 i = 0; i < row; i++) mapped[i] = map(input[k * row + i], i, k * row + i);
        for (u64 i = 0; parts > 1 && i < parts; i++) {
            const std::vector<T> own(mapped.begin() + i * part, mapped.begin() + (i + 1 < parts ? (i + 1) * part : row));
            if (!same_bits(totals[k * parts + i], ValueOfAcc::back(LanesOracle<T>::total(own)))) fail("wrong part %llu of row %llu of %llu, of %llu elements", i, k, rows, row);
        }
        if (parts > 1) continue;
        const T total = LanesOracle<T>::total(mapped);
        if (!same_bits(output[k], result(HAS_INIT ? combine(ValueOfAcc::of(given_acc(init[0])), total) : total))) fail("wrong in row %llu of %llu, of %llu elements", k, rows, row);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
