// Cases of device/columns.cuh.

#include "emulator/memory.h"

namespace emulator {

static void one_case() {
    const u64 inner = 1 + below(100), len = below(4 * WARPS * DEPTH), lines = inner * (1 + below(3)), n = lines * len;
    Guarded<In> input(n);
    for (u64 i = 0; i < n; i++) input[i] = any_value<In>();
    Guarded<Out> output(BY_SEGMENT ? lines : n);
    Guarded<T> init(1);
    init[0] = __builtin_bit_cast(T, any_value<Acc>());
    Params p;
    memset((void*)&p, 0, sizeof p);
    p.input = input.values, p.output = output.values, p.lines = lines, p.len = len, p.inner = inner;
    p.init = p.first = init[0];
    if (HAS_INIT && once_in(2)) p.init_from = init.values, memset((void*)&p.init, 0x77, sizeof(T));
    launch((lines + WARP - 1) / WARP, THREADS, 0, [&] { KERNEL(p); });

    output.check("results"), input.check("elements");
    const T first = given(init[0]);
    for (u64 line = 0; line < lines; line++) {
        T acc = first;
        bool any = HAS_INIT;
        for (u64 i = 0; i < len; i++) {
            const u64 k = REVERSE ? len - 1 - i : i, at = (line / inner * len + k) * inner + line % inner;
            const T e = map(input[at], k), with = any ? combine(acc, e) : e;
            if (!BY_SEGMENT && !same_bits(output[at], result(!EXCLUSIVE ? with : any ? acc : first))) fail("wrong in line %llu at %llu", line, k);
            acc = with;
            any = true;
        }
        if (BY_SEGMENT && !same_bits(output[line], result(acc))) fail("wrong in line %llu", line);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
