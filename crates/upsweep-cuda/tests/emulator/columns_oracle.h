// Oracle of the tree of columns of float reductions, from the elements on: see upsweep-core/src/lanes.rs.

#include <vector>

namespace emulator {

template <class V>
struct ColumnsOracle {
    // Returns the balanced tree of the values, of which there is one at least.
    static V tree(std::vector<V> totals) {
        while (totals.size() > 1) {
            std::vector<V> joined;
            for (u64 i = 0; i < totals.size(); i += 2) joined.push_back(i + 1 < totals.size() ? combine(totals[i], totals[i + 1]) : totals[i]);
            totals = joined;
        }
        return totals[0];
    }

    // Returns the total of the elements `x`, of which there is one at least.
    static V total(const std::vector<V>& x) {
        std::vector<V> leaves;
        for (u64 leaf = 0; leaf < x.size(); leaf += 64) {
            V total;
            for (u64 first = leaf; first < leaf + 64 && first < x.size(); first += 8) {
                V chain = x[first];
                for (u64 i = first + 1; i < first + 8 && i < x.size(); i++) chain = combine(chain, x[i]);
                total = first == leaf ? chain : combine(total, chain);
            }
            leaves.push_back(total);
        }
        return tree(leaves);
    }
};

}  // namespace emulator
