// Cases of transform/transform.cuh.

#include "emulator/workspace.h"

namespace emulator {

static void one_case() {
    const u64 n = once_in(4) ? below(100) : 1 + below(5 * CHUNK);
    Guarded<In> input(n);
    for (u64 i = 0; i < n; i++) input[i] = any_value<In>();
    Guarded<Out> output(n);
    // In place if elements and results have one size.
    const bool in_place = sizeof(In) == sizeof(Out) && once_in(3);
    std::vector<Out> expected;
    for (u64 i = 0; i < n; i++) expected.push_back(result(map(input[i], i, i)));
    TransformParams p;
    memset((void*)&p, 0, sizeof p);
    p.input = input.values, p.output = in_place ? (Out*)input.values : output.values, p.n = n;
    launch((n + CHUNK - 1) / CHUNK, THREADS, 0, [&] { KERNEL(p); });

    output.check("results"), input.check("elements");
    for (u64 i = 0; i < n; i++) {
        if (!same_bits(p.output[i], expected[i])) fail("wrong at %llu of %llu", i, n);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
