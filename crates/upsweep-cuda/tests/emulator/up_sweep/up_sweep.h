// Cases of up_sweep/up_sweep.cuh: the launches of a whole up-sweep.

#include "emulator/memory.h"

namespace emulator {

static void one_case() {
    constexpr u64 TILE = THREADS * LEAVES;
    const u64 n = below(once_in(3) ? 20 : 5 * TILE * (once_in(3) ? TILE : 1));
    Guarded<Out> output(n);
    Guarded<In> separate(n);
    const bool in_place = once_in(3);
    In* const input = in_place ? output.values : separate.values;
    std::vector<T> x;
    for (u64 i = 0; i < n; i++) x.push_back(map(input[i] = any_value<In>(), i, i));
    for (u64 d = 1; 2 * d <= n; d *= 2) {
        for (u64 i = 2 * d - 1; i < n; i += 2 * d) x[i] = combine(x[i - d], x[i]);
    }
    UpSweepParams p;
    memset((void*)&p, 0, sizeof p);
    p.input = input, p.output = output.values, p.stride = 1, p.n = n;
    while (p.n > 0 && (p.stride == 1 || p.n > 1)) {
        launch((p.n + TILE - 1) / TILE, THREADS, 0, [&] { KERNEL(p); });
        p.input = output.values, p.stride *= TILE, p.n /= TILE;
    }
    output.check("output"), separate.check("elements");
    for (u64 i = 0; i < n; i++) {
        if (!same_bits(output[i], result(x[i]))) fail("wrong at %llu of %llu", i, n);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
