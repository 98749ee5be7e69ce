// Cases of reduce/join_totals.cuh: the totals of parts, each a subtree of as many chunks but for the last.

#include "emulator/workspace.h"

#include "emulator/columns_oracle.h"

namespace emulator {

static void one_case() {
    const u64 rows = 1 + below(3 * WARPS), parts = 1 + below(once_in(2) ? 40 : 700);
    Guarded<Acc> totals(rows * parts);
    for (u64 i = 0; i < rows * parts; i++) totals[i] = (Acc)(((double)random_bits() - 9e18) * 1.2345e-20);
    Guarded<Out> output(rows);
    RowTotalsParams p;
    memset((void*)&p, 0, sizeof p);
    p.output = output.values, p.rows = rows, p.parts = parts, p.totals = totals.values;
    const Given init = (Given)0.375;
    p.given_init = p.given_first = given_acc(init);
    launch((rows + WARPS - 1) / WARPS, THREADS, 0, [&] { KERNEL(p); });

    output.check("results"), totals.check("totals of parts");
    for (u64 k = 0; k < rows; k++) {
        std::vector<T> left;
        for (u64 i = 0; i < parts; i++) left.push_back(ValueOfAcc::of(totals[k * parts + i]));
        const T total = ColumnsOracle<T>::tree(left);
        if (!same_bits(output[k], result(HAS_INIT ? combine(ValueOfAcc::of(given_acc(init)), total) : total))) fail("wrong in row %llu of %llu, of %llu parts", k, rows, parts);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
