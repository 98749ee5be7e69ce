// Cases of automaton/ways.cuh: random automata, which forget their initial state or do not, compared with runs from
// each state.

#include "emulator/machine.h"

namespace emulator {

static void one_case() {
    Machine m = Machine::any();
    m.give();
    const u64 n = TILE + 1 + below(once_in(8) ? 100 * TILE : 3 * TILE), tiles = (n + TILE - 1) / TILE;
    Guarded<u8> text(n), ways((tiles - 1) * WAY_STATES);
    const u32 few = once_in(2) ? 256 : 1 + below(3);
    for (u64 i = 0; i < n; i++) text[i] = (u8)below(few);
    AutomatonParams p = {};
    p.text = text.values, p.n = n, p.states = m.states, p.classes = m.classes, p.steps_at = m.steps_at, p.ways = ways.values;
    const u32 threads = 32 * (1 + below(2));
    launch((tiles - 1 + threads - 1) / threads, threads, STEPS_AT + m.states * (WAY_STRIDE + threads), [&] { KERNEL(p); });
    ways.check("ways"), text.check("text");
    for (u64 t = 0; t + 1 < tiles; t++) {
        std::vector<u32> ends;
        for (u32 i = 0; i < WAY_STATES; i++) ends.push_back(min(i, m.states - 1));
        for (u64 at = t * TILE; at < (t + 1) * TILE; at++) {
            const u32 of = m.class_of[text[at]];
            for (u32& end : ends) end = m.next[end * m.classes + of];
        }
        for (u32 i = 0; i < WAY_STATES; i++) {
            if (ways[t * WAY_STATES + i] != ends[i]) fail("tile %llu leads from %u to %u instead of %u", t, i, (u32)ways[t * WAY_STATES + i], ends[i]);
        }
    }
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
