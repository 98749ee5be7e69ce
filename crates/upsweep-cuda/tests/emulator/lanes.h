// Oracle of the tree of float reductions, from the elements on: see upsweep-core/src/lanes.rs.

#include <vector>

namespace emulator {

template <class V>
struct LanesOracle {
    struct Part {
        bool any;
        V value;
    };

    static Part join(const Part& a, const Part& b) {
        if (!a.any || !b.any) return a.any ? a : b;
        return {true, combine(a.value, b.value)};
    }

    // Returns the total of the elements `x`, of which there is one at least.
    static V total(const std::vector<V>& x) {
        const u64 lanes = CHUNK_LANES, chunk = 8 * lanes;
        std::vector<Part> totals;
        for (u64 first = 0; first < x.size(); first += chunk) {
            std::vector<Part> chains(lanes, Part{false, V()});
            for (u64 i = first; i < x.size() && i < first + chunk; i++) chains[i % lanes] = join(chains[i % lanes], {true, x[i]});
            for (u64 half = lanes / 2; half > 0; half /= 2) {
                for (u64 l = 0; l < half; l++) chains[l] = join(chains[l], chains[l + half]);
            }
            totals.push_back(chains[0]);
        }
        while (totals.size() > 1) {
            std::vector<Part> joined;
            for (u64 i = 0; i < totals.size(); i += 2) joined.push_back(i + 1 < totals.size() ? join(totals[i], totals[i + 1]) : totals[i]);
            totals = joined;
        }
        return totals[0].value;
    }
};

}  // namespace emulator
