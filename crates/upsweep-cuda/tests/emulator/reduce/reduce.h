// Cases of reduce/reduce.cuh.

#include "emulator/workspace.h"

namespace emulator {

static void one_case() {
    const u64 step = THREADS * VECTOR, part = step * (1 + below(2 * DEPTH)), parts = 1 + below(8);
    const u64 n = once_in(4) ? below(100) : part * (parts - 1) + 1 + below(part);
    const u32 grid = n == 0 ? 1 : (n + part - 1) / part;
    Guarded<In> input(n);
    for (u64 i = 0; i < n; i++) input[i] = any_value<In>();
    Guarded<Out> output(1);
    Guarded<Given> init(1);
    init[0] = any_value<Given>();
    Space space = Space::of<T>(grid);
    ReduceParams p;
    memset((void*)&p, 0, sizeof p);
    p.input = input.values, p.output = output.values, p.n = n, p.part = part, p.streamed = below(2), p.workspace = space.workspace();
    p.given_init = p.given_first = given_acc(init[0]);
    if (HAS_INIT && once_in(2)) p.init_from = init.values, memset((void*)&p.given_init, 0x77, sizeof(Acc));
    launch(grid, THREADS, 0, [&] { KERNEL(p); });

    output.check("result"), input.check("elements");
    if (grid > 1) space.check();
    T acc = ValueOfAcc::of(given_acc(init[0]));
    for (u64 i = 0; i < n; i++) acc = i > 0 || HAS_INIT ? combine(acc, map(input[i], i, i)) : map(input[i], i, i);
    if (!same_bits(output[0], result(acc))) fail("wrong, of %llu elements in %u parts", n, grid);
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
