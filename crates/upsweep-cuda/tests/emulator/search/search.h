// Cases of search/search.cuh.

#include "emulator/workspace.h"

namespace emulator {

static void one_case() {
    const u64 len = below(once_in(3) ? 4 : 2000), n = below(once_in(3) ? 10 : 3 * THREADS * LOOKED_UP);
    Guarded<In> sorted(len), values(n);
    Guarded<Place> output(n);
    const u32 most = once_in(2) ? 5 : 1000;
    std::vector<In> all;
    for (u64 i = 0; i < len; i++) all.push_back((In)below(most));
    std::sort(all.begin(), all.end(), [](const In& a, const In& b) { return same_key(a, b); });
    for (u64 i = 0; i < len; i++) sorted[i] = all[i];
    for (u64 i = 0; i < n; i++) values[i] = (In)below(most + 1);
    SearchParams p = {};
    p.sorted = sorted.values, p.values = values.values, p.output = output.values, p.len = len, p.n = n;
    for (p.step = len > 0; p.step > 0 && p.step * 2 <= len;) p.step *= 2;
    launch(1 + (u64)below(4), THREADS, 0, [&] { KERNEL(p); });
    output.check("output"), sorted.check("sorted array"), values.check("values");
    for (u64 i = 0; i < n; i++) {
        u64 wanted = 0;
        for (u64 j = 0; j < len; j++) wanted += is_before(all[j], values[i]);
        if (output[i] != (Place)wanted) fail("value %llu of %llu has place %llu instead of %llu of %llu", i, n, (u64)output[i], wanted, len);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
