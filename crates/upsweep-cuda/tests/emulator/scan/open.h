// Cases of scan/open.cuh: a part of an array, in launches that each go on where the one before ended.

#include "emulator/workspace.h"

constexpr u32 ITEMS = OPEN_ROW;  // for the oracle
#include "emulator/tree.h"

namespace emulator {

static In any_element() {
    const double x = ((double)random_bits() - 9e18) * 1.2345e-20;
    if constexpr (arith::half<In>) return arith::narrow<In>((f32)x);
    else return (In)(PRODUCT ? 1 + x / 8 : x);
}

static void one_case() {
    const u64 n = once_in(2) ? below(3 * OPEN_ROW) : below(2 * OPEN_TILE + 100);
    Guarded<In> input(n);
    Guarded<Out> output(n + 1);
    Guarded<Source> sources(n);
    for (u64 i = 0; i < n; i++) input[i] = any_element();
    const u64 rare = 1 + below(3 * OPEN_ROW);
    for (u64 i = 0; i < n; i++) {
        const bool head = once_in(rare);
        if (HEADS == Heads::FLAGS) sources[i] = head;
        else sources[i] = (Source)(i == 0 ? 7 : sources[i - 1] + head);
    }
    Guarded<Acc> states[2] = {Guarded<Acc>(KEY_AT / sizeof(Acc) + 4), Guarded<Acc>(KEY_AT / sizeof(Acc) + 4)};
    // Elements that a scan before had: it left the state of the oracle after them.
    TreeOracle<T> oracle;
    u64 position = once_in(3) ? 0 : below(5) == 0 ? below(40 * OPEN_TILE) : below(3 * OPEN_TILE);
    T last = Levels::none().y;
    for (u64 i = 0; i < position; i++) last = oracle.next(ValueOfAcc::of(load_acc(any_element(), 0, 0)));
    for (u32 k = 0; k < OPEN_LEVELS; k++) states[0].values[k] = oracle.level(k, Levels::neutral());
    const bool first = position == 0 || (HEADS != Heads::NONE && n > 0 && once_in(2));
    if (n > 0 && HEADS == Heads::FLAGS) sources[0] = first && position > 0;
    *(Source*)((u8*)states[0].values + KEY_AT) = (Source)(n > 0 && position > 0 && first ? sources[0] + 1 : n > 0 ? sources[0] : 0);
    Guarded<Given> init(1);
    init[0] = (Given)0.375;
    Space space = Space::of<T>(1);

    OpenParams p;
    memset((void*)&p, 0, sizeof p);
    p.input = input.values, p.output = output.values, p.workspace = space.workspace();
    p.init_from = init.values, p.given_init = p.given_first = given_acc(init[0]);
    if (!HAS_INIT) p.given_first = (Acc)(PRODUCT ? 1 : 0);
    const u64 begun = position;
    u32 at = 0;
    for (u64 done = 0, parts = 0; done < n || parts == 0; parts++) {
        p.first = done, p.n = once_in(2) ? n - done : below(n - done + 1), p.position = position;
        p.before = p.position > 0 ? states[at].values : nullptr, p.after = states[1 - at].values;
        p.head_source = sources.values + done, p.total = done + p.n == n;
        launch(1, OPEN_ROWS, 0, [&] { upsweep_open(p); });
        at = 1 - at, done += p.n, position += p.n;
    }
    input.check("elements"), output.check("results"), sources.check("flags or keys"), states[0].check("a state"), states[1].check("a state");

    T result_before = last;
    const T none = Levels::neutral(), empty = ValueOfAcc::of(p.given_first);
    for (u64 i = 0; i < n; i++) {
        bool head = i == 0 && first;
        if (HEADS == Heads::FLAGS) head |= sources[i];
        if (HEADS == Heads::KEYS && i > 0) head |= sources[i] != sources[i - 1];
        T e = map(input[i], begun + i, i);
        if (head) {
            oracle.begin();
            if (HAS_INIT) e = combine(ValueOfAcc::of(given_acc(init[0])), e);
        }
        const T with = oracle.next(e);
        const Out expected = result(!EXCLUSIVE ? with : head ? empty : result_before);
        if (!same_bits(output[i], expected)) fail("wrong at %llu of %llu after %llu", i, n, begun);
        result_before = with;
    }
    if (!same_bits(output[n], result(position > 0 ? result_before : empty))) fail("wrong total of %llu after %llu", n, begun);
    for (u32 k = 0; k < OPEN_LEVELS; k++) {
        if (!same_bits(states[at].values[k], canonical((Acc)oracle.level(k, none)))) fail("wrong level %u after %llu and %llu", k, begun, n);
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
