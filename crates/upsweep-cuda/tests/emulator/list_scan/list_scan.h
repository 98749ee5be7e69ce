// Cases of list_scan/list_scan.cuh: the launches of a whole scan, of lists of all kinds.

#include "emulator/workspace.h"

namespace emulator {

// Random list of `n` elements: in any order, or with a stride, perhaps that of the pieces.
static std::vector<u32> any_order(u64 n) {
    std::vector<u32> order(n);
    const u64 stride = once_in(3) ? 1 : 1 + below(2 * SPACING);
    u64 to = 0;
    for (u64 begin = 0; begin < stride; begin++) {
        for (u64 i = begin; i < n; i += stride) order[to++] = (u32)i;
    }
    if (once_in(2)) {
        for (u64 i = n; i-- > 1;) std::swap(order[i], order[below(i + 1)]);
    }
    return order;
}

// Arrays of a list of pieces.
struct Pieces {
    Guarded<Acc> totals, before;
    Guarded<u32> behind, known;
    explicit Pieces(u64 n) : totals(n), before(n), behind(n), known(n) {
        for (u64 i = 0; i < n; i++) known[i] = 0;
    }
};

static void one_case() {
    const u64 n = 1 + below(once_in(3) ? 10 : 3000);
    const std::vector<u32> order = any_order(n);
    Guarded<u32> next(n);
    Guarded<In> input(n);
    Guarded<Out> output(n);
    for (u64 i = 0; i < n; i++) input[i] = any_value<In>();
    for (u64 i = 0; i < n; i++) next[order[i]] = order[i + 1 < n ? i + 1 : i];
    // Faults: a circle through all; a list and a circle; two elements with one successor; a successor out of range.
    const u32 fault = n > 1 && once_in(3) ? 1 + below(4) : 0;
    const u64 cut = below(n - (n > 1));
    if (fault == 1) next[order[n - 1]] = order[0];
    if (fault == 2) next[order[cut]] = order[cut], next[order[n - 1]] = order[cut + 1];
    if (fault == 3) next[order[cut]] = order[below(cut + 1)];
    if (fault == 4) next[order[cut]] = (u32)n + below(3);

    std::vector<u64> lists = {n};
    do lists.push_back((lists.back() + SPACING - 1) / SPACING + 1);
    while (lists.back() > RANKED);
    std::vector<Pieces*> pieces(1);
    for (u64 k = 1; k < lists.size(); k++) pieces.push_back(new Pieces(lists[k]));
    Space space = Space::of<u32>(1);
    Guarded<u32> seen(2);
    seen[0] = seen[1] = 0;

    ListScanParams p;
    memset((void*)&p, 0, sizeof p);
    p.seen = seen.values, p.workspace = space.workspace();
    p.given_first = any_value<Acc>();
    const auto along = [&](u64 k) {
        p.input = k == 0 ? input.values : pieces[k]->totals.values, p.next = k == 0 ? next.values : pieces[k]->behind.values;
        p.output = output.values, p.n = lists[k], p.elements = n, p.first = k == 0 ? order[0] : 0, p.pieces = lists[k + 1];
        Pieces& above = *pieces[k + 1];
        p.totals = above.totals.values, p.behind = above.behind.values, p.before = above.before.values, p.known = above.known.values;
        p.before_below = k == 0 ? nullptr : pieces[k]->before.values, p.known_below = k == 0 ? nullptr : pieces[k]->known.values;
        return 1 + below((p.pieces + THREADS - 1) / THREADS);
    };
    const u64 last = lists.size() - 1;
    for (u64 k = 0; k < last; k++) {
        const u64 blocks = along(k);
        if (k == 0) launch(blocks, THREADS, 0, [&] { walk<false, false>(p); });
        else launch(blocks, THREADS, 0, [&] { walk<false, true>(p); });
    }
    along(last - 1);
    p.before_below = pieces[last]->before.values, p.known_below = pieces[last]->known.values;
    launch(1, RANKED, 0, [&] { rank(p); });
    for (u64 k = last; k-- > 0;) {
        const u64 blocks = along(k);
        if (k == 0) launch(blocks, THREADS, 0, [&] { KERNEL(p); });
        else launch(blocks, THREADS, 0, [&] { walk<true, true>(p); });
    }
    output.check("output"), input.check("elements"), next.check("list"), seen.check("counts");
    for (u64 k = 1; k <= last; k++) {
        const Pieces& of = *pieces[k];
        of.totals.check("totals"), of.before.check("prefixes"), of.behind.check("pieces behind"), of.known.check("what is known");
    }
    for (const Pieces* of : pieces) delete of;
    const u32 reported = space.header.fault;
    const u32 expected = fault == 4 ? FAULT_INDEX : fault == 2 || (fault == 3 && n > 1) ? FAULT_LIST : 0;
    if (reported != expected) fail("reports %u instead of %u of %llu elements, cut behind %llu", reported, expected, n, cut);
    if (expected) return;
    T acc = ValueOfAcc::of(p.given_first);
    for (u64 i = 0; i < n; i++) {
        const u32 at = order[i];
        const T x = map(input[at], at, at), with = i == 0 ? x : combine(acc, x);
        if (!same_bits(output[at], result(EXCLUSIVE ? acc : with))) fail("wrong at %u, place %llu of %llu", at, i, n);
        acc = with;
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
