// Random automata.

#include "emulator/memory.h"

namespace emulator {

struct Event {
    u8 kind, back;
};

// An automaton as a table for a loop, and as the host's description for kernels.
struct Machine {
    u32 states, classes, steps_at;
    u64 lasting;
    std::vector<u8> class_of;
    std::vector<std::vector<Event>> told;
    std::vector<u32> next, tells, ends;  // of each state and class; of each state

    static Machine any() {
        Machine m;
        m.states = 1 + below(WAY_STATES), m.classes = 1 + below(min(STATE_BYTES / 4, 256u)), m.lasting = random_bits() & random_bits() & ((2ull << (m.states - 1)) - 1);
        for (u32 i = 0; i < 256; i++) m.class_of.push_back((u8)(once_in(2) ? i : below(256)) % m.classes);
        // Some automata lead to few states, some cycle forever, some hardly ever leave a state.
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

    // Writes the description that the emulated kernels read, except the kernel with transition functions.
#ifdef OF_ENTRIES
    void give() {}
#else
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
#endif
};

}  // namespace emulator
