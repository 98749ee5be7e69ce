// Cases of reduce/join_columns.cuh: totals of parts of columns, of which some are joined.

#include "emulator/workspace.h"
#include "emulator/columns_oracle.h"

namespace emulator {

static void one_case() {
    const u64 outer = 1 + below(3), inner = 1 + below(once_in(2) ? 5 : 150), len = 1 + below(once_in(2) ? PARTS_JOINED : 9 * PARTS_JOINED);
    const u64 parts = (len + PARTS_JOINED - 1) / PARTS_JOINED;
    Guarded<Acc> from(outer * inner * len), to(outer * inner * parts);
    for (u64 i = 0; i < outer * inner * len; i++) from[i] = (Acc)(((double)random_bits() - 9e18) * 1.2345e-20);
    Guarded<Out> output(outer * inner);
    ColumnTotalsParams p;
    memset((void*)&p, 0, sizeof p);
    p.output = output.values, p.outer = outer, p.len = len, p.inner = inner, p.parts = parts, p.from = from.values, p.to = to.values;
    const Given init = (Given)0.375;
    p.given_init = p.given_first = given_acc(init);
    launch((outer * inner * parts + THREADS - 1) / THREADS, THREADS, 0, [&] { KERNEL(p); });

    output.check("results"), from.check("totals"), to.check("joined totals");
    for (u64 line = 0; line < outer * inner; line++) {
        const u64 o = line / inner, c = line % inner;
        for (u64 q = 0; q < parts; q++) {
            std::vector<T> own;
            for (u64 k = q * PARTS_JOINED; k < len && k < (q + 1) * PARTS_JOINED; k++) own.push_back(ValueOfAcc::of(from[(o * len + k) * inner + c]));
            const T total = ColumnsOracle<T>::tree(own);
            const Acc joined = ValueOfAcc::back(total);
            if (parts > 1 && !same_bits(to[(o * parts + q) * inner + c], joined)) fail("wrong part %llu of column %llu of %llu, of %llu", q, line, outer * inner, len);
            if (parts == 1 && !same_bits(output[line], result(HAS_INIT ? combine(ValueOfAcc::of(given_acc(init)), total) : total)))
                fail("wrong in column %llu of %llu, of %llu parts", line, outer * inner, len);
        }
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
