// Cases of reduce/column_totals.cuh: columns of any length, whole or in parts.

#include "emulator/reduce/columns_case.h"

namespace emulator {

static void one_case() {
    const u64 outer = 1 + below(3), inner = 1 + below(once_in(2) ? 5 : 150), len = 1 + below(once_in(2) ? 2 * LEAF : 20 * LEAF);
    const u64 part = once_in(2) ? LEAF << 10 : LEAF << below(4);
    columns_case(outer, len, inner, part, [&](u64 parts) { return (outer * inner * parts + THREADS - 1) / THREADS; });
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
