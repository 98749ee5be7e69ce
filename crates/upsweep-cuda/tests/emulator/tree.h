// Oracle of the tree of float scans, one element after the other: see upsweep-core/src/tree.rs. A tile has as many
// groups as the kernel was compiled for.

#include <vector>

namespace emulator {

template <class V>
class TreeOracle {
    struct Level {
        u64 parts;  // number of parts of a unit of this level
        bool any;
        V chain;
    };
    std::vector<Level> levels = {{ITEMS, false, V()}, {8, false, V()}, {THREADS / 8, false, V()}, {32, false, V()}, {~0ull, false, V()}};
    u64 position = 0;

    static void add(Level& level, const V& x) {
        level.chain = level.any ? combine(level.chain, x) : x;
        level.any = true;
    }

public:
    // Returns a level's chain: `none` if it is missing.
    V level(u32 k, const V& none) const { return levels[k].any ? levels[k].chain : none; }
    // Goes on after `before` elements with these chains: those that exist there.
    void go_on(u64 before, const V* chains) {
        position = before;
        u64 whole = 1;
        for (u64 k = 0; k < levels.size(); k++) {
            levels[k].any = (k + 1 < levels.size() ? position / whole % levels[k].parts : position / whole) > 0;
            levels[k].chain = chains[k];
            whole *= levels[k].parts;
        }
    }
    // Forgets what comes before the next element.
    void begin() {
        for (Level& level : levels) level.any = false;
    }

    // Returns the result of the next element.
    V next(const V& x) {
        add(levels[0], x);
        V result = levels[0].chain;
        for (u64 k = 1; k < levels.size(); k++) {
            if (levels[k].any) result = combine(levels[k].chain, result);
        }
        position++;
        u64 whole = 1;
        for (u64 k = 0; k + 1 < levels.size(); k++) {
            whole *= levels[k].parts;
            if (position % whole != 0) break;
            add(levels[k + 1], levels[k].chain);
            levels[k].any = false;
        }
        return result;
    }
};

}  // namespace emulator
