// Cases of reduce/subtrees.cuh: an array in parts, each in a launch that goes on where the one before ended.

#include "emulator/workspace.h"

constexpr u32 CHUNK_LANES = PART_LANES;  // for the oracle
#include "emulator/lanes.h"

namespace emulator {

static In any_element() {
    const double x = ((double)random_bits() - 9e18) * 1.2345e-20;
    if constexpr (arith::half<In>) return arith::narrow<In>((f32)x);
    else return (In)(PRODUCT ? 1 + x / 8 : x);
}

static void one_case() {
    const u64 n = once_in(2) ? below(3 * PART_CHUNK) : below(40 * PART_CHUNK);
    std::vector<In> all(n);
    std::vector<T> mapped(n);
    for (u64 i = 0; i < n; i++) all[i] = any_element(), mapped[i] = map(all[i], i, i);
    const u64 size = PART_LANES + PART_SUBTREES;
    Guarded<Acc> states[2] = {Guarded<Acc>(size), Guarded<Acc>(size)};
    Guarded<Given> init(1);
    init[0] = (Given)0.375;
    Space space = Space::of<T>(1);
    u32 at = 0;
    for (u64 done = 0, parts = 0; done < n || parts == 0; parts++) {
        const u64 count = once_in(3) ? n - done : below(n - done + 1), missing = (PART_CHUNK - done % PART_CHUNK) % PART_CHUNK;
        Guarded<In> input(count);
        for (u64 i = 0; i < count; i++) input[i] = all[done + i];
        Guarded<Out> output(1);
        // The totals of the largest subtrees.
        const u64 head = missing < count ? missing : count, chunks = (count - head) / PART_CHUNK;
        std::vector<T> totals;
        for (u64 next = (done + head) / PART_CHUNK, end = next + chunks; next < end;) {
            u64 length = 1;
            while (next % (2 * length) == 0 && next + 2 * length <= end) length *= 2;
            const auto from = mapped.begin() + next * PART_CHUNK;
            totals.push_back(LanesOracle<T>::total(std::vector<T>(from, from + length * PART_CHUNK)));
            next += length;
        }
        Guarded<Acc> given(totals.size());
        for (u64 i = 0; i < totals.size(); i++) given[i] = ValueOfAcc::back(totals[i]);
        PartParams p;
        memset((void*)&p, 0, sizeof p);
        p.input = input.values, p.output = output.values, p.n = count, p.position = done, p.workspace = space.workspace();
        p.chunks = chunks, p.totals = given.values, p.before = done > 0 ? states[at].values : nullptr, p.after = states[1 - at].values;
        p.init_from = init.values, p.given_init = p.given_first = given_acc(init[0]);
        launch(1, THREADS, 0, [&] { upsweep_reduce_part(p); });
        input.check("elements"), output.check("the total"), given.check("totals"), states[0].check("a state"), states[1].check("a state");
        if (count > 0) at = 1 - at;
        done += count;
        T expected = ValueOfAcc::of(given_acc(init[0]));
        if (done > 0) {
            const T total = LanesOracle<T>::total(std::vector<T>(mapped.begin(), mapped.begin() + done));
            expected = HAS_INIT ? combine(expected, total) : total;
        }
        if (!same_bits(output[0], result(expected))) fail("wrong total of %llu, the last %llu in a part", done, count);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
