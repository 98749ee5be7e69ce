// Cases of device/columns.cuh.

#include "emulator/memory.h"

namespace emulator {

static void one_case() {
    const u64 inner = VECTOR * (1 + below(100 / VECTOR)), len = below(4 * STEP), lines = inner * (1 + below(3)), n = lines * len;
    Guarded<Out> output(BY_SEGMENT ? lines : n, VECTOR);
    Guarded<In> separate(n, VECTOR);
    In* input = separate.values;
    if constexpr (arith::same_type<In, Out>) {
        if (!BY_SEGMENT && once_in(3)) input = output.values;  // in place
    }
    std::vector<In> elements;
    for (u64 i = 0; i < n; i++) elements.push_back(input[i] = any_value<In>());
    Guarded<T> init(1);
    init[0] = __builtin_bit_cast(T, any_value<Acc>());
    Params p;
    memset((void*)&p, 0, sizeof p);
    p.input = input, p.output = output.values, p.lines = lines, p.len = len, p.inner = inner;
    p.init = p.first = init[0];
    if (HAS_INIT && once_in(2)) p.init_from = init.values, memset((void*)&p.init, 0x77, sizeof(T));
    launch((lines + WARP * VECTOR - 1) / (WARP * VECTOR), THREADS, 0, [&] { KERNEL(p); });

    output.check("results"), separate.check("elements");
    const T first = given(init[0]);
    for (u64 line = 0; line < lines; line++) {
        T acc = first;
        bool any = HAS_INIT;
        for (u64 i = 0; i < len; i++) {
            const u64 k = REVERSE ? len - 1 - i : i, at = (line / inner * len + k) * inner + line % inner;
            const T e = map(elements[at], k), with = any ? combine(acc, e) : e;
            if (!BY_SEGMENT && !same_bits(output[at], result(!EXCLUSIVE ? with : any ? acc : first))) fail("wrong in line %llu at %llu", line, k);
            acc = with;
            any = true;
        }
        if (BY_SEGMENT && !same_bits(output[line], result(acc))) fail("wrong in line %llu", line);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
