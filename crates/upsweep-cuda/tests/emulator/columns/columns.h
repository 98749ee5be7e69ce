// Cases of columns/columns.cuh.

#include "emulator/memory.h"

namespace emulator {

static void one_case() {
    const u64 inner = VECTOR * (1 + below(100 / VECTOR)), outer = 1 + below(3), len = below(4 * STEP), n = outer * len * inner;
    // Lines that are cut into chunks: by segment each has a result, and in a scan each has a prefix.
    const bool cut = len > 0 && once_in(2);
    const u64 chunk = cut ? 1 + below(once_in(2) ? len : min(len, 2ull * STEP)) : len, chunks = cut ? (len + chunk - 1) / chunk : 1;
    const u64 lines = outer * chunks * inner;
    if (lines > 4096) return;
    Guarded<Out> output(BY_SEGMENT ? lines : n, VECTOR);
    Guarded<In> separate(n, VECTOR);
    In* input = separate.values;
    if constexpr (arith::same_type<In, Out>) {
        if (!BY_SEGMENT && once_in(3)) input = (In*)output.values;  // in place
    }
    std::vector<In> elements;
    for (u64 i = 0; i < n; i++) elements.push_back(input[i] = any_value<In>());
    Guarded<Given> init(1);
    init[0] = any_value<Given>();
    const T first = ValueOfAcc::of(given_acc(init[0]));

    // Expected results of each line, chunk by chunk, and the prefixes that the kernel is given.
    Guarded<Acc> before(cut && !BY_SEGMENT ? lines : 0, VECTOR);
    std::vector<Out> expected(output.number);
    for (u64 line = 0; line < outer * inner; line++) {
        T acc = first, sum;
        bool any = HAS_INIT;
        for (u64 i = 0; i < len; i++) {
            const u64 k = REVERSE ? len - 1 - i : i, at = (line / inner * len + k) * inner + line % inner;
            const u64 part = (line / inner * chunks + i / chunk) * inner + line % inner;
            const T e = map(elements[at], k, at);
            if (BY_SEGMENT && i % chunk == 0) acc = first, any = HAS_INIT;
            const T with = any ? combine(acc, e) : e;
            expected[BY_SEGMENT ? part : at] = result(BY_SEGMENT || !EXCLUSIVE ? with : any ? acc : first);
            acc = with;
            any = true;
            sum = i == 0 ? e : combine(sum, e);
            if (before.number > 0) before[part] = ValueOfAcc::back(sum);
        }
        if (BY_SEGMENT && len == 0) expected[line] = result(first);
    }

    ColumnsParams p;
    memset((void*)&p, 0, sizeof p);
    p.input = input, p.output = output.values, p.lines = lines, p.len = len, p.inner = inner, p.chunk = chunk, p.chunks = chunks;
    p.prefixes = before.number > 0 ? before.values : nullptr;
    p.given_init = p.given_first = given_acc(init[0]);
    if (HAS_INIT && once_in(2)) p.init_from = init.values, memset((void*)&p.given_init, 0x77, sizeof(Acc));
    launch((lines + WARP * VECTOR - 1) / (WARP * VECTOR), THREADS, 0, [&] { KERNEL(p); });

    output.check("results"), separate.check("elements"), before.check("sums");
    for (u64 i = 0; i < output.number; i++) {
        if (!same_bits(output[i], expected[i])) fail("wrong at %llu of %llu, %llu x %llu x %llu in chunks of %llu", i, n, outer, len, inner, chunk);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
