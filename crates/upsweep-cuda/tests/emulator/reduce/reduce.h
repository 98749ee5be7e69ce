// Cases of reduce/reduce.cuh.

#include "emulator/lanes.h"
#include "emulator/workspace.h"

namespace emulator {

constexpr bool IN_TREE = CHUNK_LANES > 0;

// Returns an element whose sums and products show their order.
template <class X>
X any_element() {
    const f64 number = (f64)(i32)random_bits() * (once_in(3) ? 1e-7 : 1e-9);
    // Large numbers that cancel each other leave what their sums with small ones lost, which rounding to halves shows.
    static f32 large = 60000;
    if constexpr (IN_TREE && arith::half<X>) return arith::narrow<X>(once_in(2) ? large = -large : (f32)number * 0.05f);
    else if constexpr (IN_TREE && arith::floating<X>) return once_in(3000) ? (X)(0.0 / 0.0) : (X)(PRODUCT ? 1 + number * 1e-3 : number);
    else return any_value<X>();
}

// Returns the combination of all elements.
template <class V>
V expected_total(const std::vector<V>& x) {
    if constexpr (IN_TREE) return LanesOracle<V>::total(x);
    V all = x[0];
    for (u64 i = 1; i < x.size(); i++) all = combine(all, x[i]);
    return all;
}

static void one_case() {
    // Parts of a tree are a power of two of chunks. A few have more chunks than a block has totals at once.
    const u64 step = (IN_TREE ? max(THREADS, 8 * WARP) : THREADS) * VECTOR, part = step * (!IN_TREE ? 1 + below(2 * DEPTH) : once_in(8) ? 512 : 1 << below(6));
    const u64 parts = part > 100 * step ? 1 + below(3) : 1 + below(8);
    const u64 n = once_in(4) ? below(IN_TREE ? 3000 : 100) : part * (parts - 1) + 1 + below(part);
    const u32 grid = n == 0 ? 1 : (n + part - 1) / part;
    // Elements before the first, in a part that goes on where another ended.
    const u64 first = CONTINUES && IN_TREE ? below(2 * VECTOR) : 0, position = CONTINUES ? below(1000) : 0;
    Guarded<In> input(first + n);
    for (u64 i = 0; i < first + n; i++) input[i] = any_element<In>();
    Guarded<Out> output(1);
    Guarded<Given> init(1);
    init[0] = any_value<Given>();
    Space space = Space::of<T>(grid);
    ReduceParams p;
    memset((void*)&p, 0, sizeof p);
    p.input = input.values, p.output = output.values, p.n = n, p.part = part, p.streamed = below(2), p.workspace = space.workspace();
    p.given_init = p.given_first = given_acc(init[0]);
    if (HAS_INIT && once_in(2)) p.init_from = init.values, memset((void*)&p.given_init, 0x77, sizeof(Acc));
    Guarded<Acc> states(2);
    states[0] = ValueOfAcc::back(map(any_element<In>(), 0, 0));
    const bool goes_on = CONTINUES && !IN_TREE && once_in(2), stores = !CONTINUES || once_in(2);
    p.first = first, p.position = position, p.before = goes_on ? states.values : nullptr, p.after = states.values + 1, p.total = stores;
    if (!stores) output[0] = Out();
    launch(grid, THREADS, 0, [&] { KERNEL(p); });

    output.check("result"), input.check("elements"), states.check("a state");
    if (grid > 1) space.check();
    T acc = ValueOfAcc::of(given_acc(init[0]));
    if (n > 0 || goes_on) {
        std::vector<T> x(n);
        for (u64 i = 0; i < n; i++) x[i] = map(input[first + i], position + first + i, first + i);
        T all = goes_on ? ValueOfAcc::of(states[0]) : T();
        if (n > 0) all = goes_on ? combine(all, expected_total(x)) : expected_total(x);
        if (CONTINUES && !same_bits(states[1], canonical(ValueOfAcc::back(all)))) fail("wrong total, of %llu elements in %u parts", n, grid);
        acc = HAS_INIT ? combine(acc, all) : all;
    }
    if (stores && !same_bits(output[0], result(acc))) fail("wrong, of %llu elements in %u parts", n, grid);
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
