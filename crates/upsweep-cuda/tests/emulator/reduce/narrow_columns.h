// Cases of reduce/narrow_columns.cuh: few columns of any length, whole or in parts.

#include "emulator/reduce/columns_case.h"

namespace emulator {

static void one_case() {
    const u64 outer = 1 + below(3), inner = 1 + below(MOST_NARROW), len = 1 + below(once_in(2) ? 2 * LEAF : 9 * NARROW_ROWS);
    const u64 part = once_in(2) ? NARROW_ROWS << 5 : NARROW_ROWS << below(3);
    columns_case(outer, len, inner, part, [&](u64 parts) { return outer * parts; });
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
