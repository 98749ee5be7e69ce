// Cases of device/automaton.cuh and device/automaton_entries.cuh: random automata, that forget where they began or do not.

#include "emulator/workspace.h"

namespace emulator {

// Which of the two kernels it is.
#ifdef OF_ENTRIES
constexpr bool MANY_TILES = false;
#else
constexpr bool MANY_TILES = true;
#endif

struct Event {
    u8 kind, back;
};

// An automaton as a loop knows it, and as the host gives it to kernels.
struct Machine {
    u32 states, classes, lasting, steps_at;
    std::vector<u8> class_of;
    std::vector<std::vector<Event>> told;
    std::vector<u32> next, tells, ends;  // of each state and class; of each state

    static Machine any() {
        Machine m;
        m.states = 1 + below(WAY_STATES), m.classes = 1 + below(min(STATE_BYTES / 4, 256u)), m.lasting = below(m.states);
        for (u32 i = 0; i < 256; i++) m.class_of.push_back((u8)(once_in(2) ? i : below(256)) % m.classes);
        // Some automata lead to few states, some turn round for ever, some hardly ever leave one.
        const u32 kind = below(3), targets = 1 + below(m.states), rare = 1 + below(8);
        const u32 number = 1 + below(20);
        m.told.push_back({});
        for (u32 i = 1; i < number; i++) {
            std::vector<Event> events(once_in(3) ? 1 + below(5) : 1);
            for (Event& event : events) event = {(u8)below(256), (u8)below(8)};
            m.told.push_back(events);
        }
        for (u32 i = 0; i < m.states * m.classes; i++) {
            const u32 state = i / m.classes;
            m.next.push_back(kind == 0 ? below(targets) : kind == 1 ? (state + i % m.classes) % m.states : once_in(rare * 4) ? below(m.states) : state);
            m.tells.push_back(once_in(rare) ? below(number) : 0);
        }
        for (u32 i = 0; i < m.states; i++) m.ends.push_back(below(number));
        return m;
    }

    // Where the emulated kernels find it.
    void give() {
        u8* const to = parameter_bytes;
        memset(to, 0xd7, sizeof parameter_bytes);
        const auto half = [&](u64 at, u32 value) { to[at] = (u8)value, to[at + 1] = (u8)(value >> 8); };
        for (u32 i = 0; i < 256; i++) to[i] = class_of[i];
        std::vector<Event> list;
        std::vector<u32> words;
        for (const auto& events : told) {
            const u32 number = (u32)events.size();
            words.push_back(number == 0 ? 0 : number == 1 ? 1 << 11 | events[0].back << 8 | events[0].kind : number << 11 | (u32)list.size());
            if (number > 1) list.insert(list.end(), events.begin(), events.end());
        }
        for (u32 i = 0; i < states; i++) half(ENDS_AT + 2 * i, words[ends[i]]);
        for (u32 i = 0; i < words.size(); i++) half(TOLD_AT + 2 * i, words[i]);
        for (u32 i = 0; i < list.size(); i++) half(EVENTS_AT + 2 * i, list[i].kind | list[i].back << 8);
        steps_at = EVENTS_AT + 2 * (u32)list.size();
        for (u32 i = 0; i < states * classes; i++) half(steps_at + 2 * i, next[i] << 8 | tells[i]);
    }
};

static void one_case() {
    Machine m = Machine::any();
    m.give();
    const u64 n = once_in(4) ? below(200) : below(MANY_TILES && once_in(16) ? (GROUPS + 2) * GROUP : 3 * WARPS) * TILE + (once_in(2) ? 0 : below(TILE));
    const u64 tiles = tile_number(n);
    Guarded<u8> text(n), entries(tiles);
    const u32 few = once_in(2) ? 256 : 1 + below(3);
    for (u64 i = 0; i < n; i++) text[i] = (u8)below(few);

    // The loop.
    struct Found {
        u8 kind;
        u64 place;
    };
    std::vector<Found> found;
    std::vector<u8> states;
    u32 state = 0;
    for (u64 i = 0; i <= n; i++) {
        if (i % TILE == 0 && i < tiles * TILE) states.push_back((u8)state);
        const u32 at = i < n ? state * m.classes + m.class_of[text[i]] : 0;
        for (const Event& event : m.told[i < n ? m.tells[at] : m.ends[state]]) {
            if (event.back <= i) found.push_back({event.kind, i - event.back});
            else return;  // before the text: no automaton says so
        }
        if (i < n) state = m.next[at];
    }

    AutomatonParams p = {};
    p.text = text.values, p.n = n, p.states = m.states, p.classes = m.classes, p.steps_at = m.steps_at, p.lasting = m.lasting;
    p.entries = entries.values;
#ifdef OF_ENTRIES
    const u64 of_tiles = (tiles + WARPS - 1) / WARPS;
    Space space = Space::of<Way>(Chain<Way>::entries(of_tiles));
    p.workspace = space.workspace();
    const u32 grid = min(of_tiles, 1 + (u64)below(4));
    launch(grid, THREADS + Pipeline<EntriesTask>::HELPERS * WARP, AUTOMATON_BYTES, [&] { KERNEL(p); });
    entries.check("states"), text.check("text");
    if (grid > 1) space.check();
    for (u64 t = 0; t < tiles; t++) {
        if (entries[t] != states[t]) fail("tile %llu of %llu begins in state %u instead of %u", t, tiles, (u32)entries[t], (u32)states[t]);
    }
#else
    for (u64 t = 0; t < tiles; t++) entries[t] = t == 0 ? 0xff : states[t];
    const u64 room = once_in(3) ? below(found.size() + 1) : found.size();
    Guarded<u8> kinds(room);
    Guarded<EventPlace> places(room);
    Guarded<u64> number(1);
    const bool asked = !once_in(6);
    p.kinds = asked ? kinds.values : nullptr, p.places = places.values, p.capacity = asked ? room : ~0ull >> 1, p.count = number.values;
    Space space = Space::of<Number>(Chain<Number>::entries(tiles));
    p.workspace = space.workspace();
    const u32 grid = min(tiles, 1 + (u64)below(4));
    launch(grid, THREADS + Pipeline<AutomatonTask>::HELPERS * WARP, AutomatonTask::BUFFER_AT + 4 * EVENTS_AT_ONCE, [&] { KERNEL(p); });
    kinds.check("kinds"), places.check("places"), number.check("number"), text.check("text"), entries.check("states");
    if (grid > 1) space.check();
    if (number[0] != found.size()) fail("finds %llu instead of %llu", number[0], (u64)found.size());
    const u32 fault = p.capacity < found.size() ? FAULT_CAPACITY : 0;
    if (space.header.fault != fault) fail("says %u instead of %u", space.header.fault, fault);
    for (u64 i = 0; asked && i < room; i++) {
        if (kinds[i] != found[i].kind || places[i] != found[i].place) fail("event %llu of %llu in %llu is %u at %llu instead of %u at %llu", i, (u64)found.size(), n, (u32)kinds[i], (u64)places[i], (u32)found[i].kind, found[i].place);
    }
#endif
}

}  // namespace emulator

int main(int arguments, char** argument) { return emulator::run_cases(arguments, argument, emulator::one_case); }
