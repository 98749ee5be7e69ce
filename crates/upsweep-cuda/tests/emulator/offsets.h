// Random segments, and offsets that do not ascend.

#include "emulator/memory.h"

namespace emulator {

// Begins of segments: 0, ..., n. Empty ones occur with offsets only.
static std::vector<u64> any_offsets(u64 n) {
    const u32 kind = below(10);
    std::vector<u64> offsets = {0};
    if (HEADS == Heads::NONE || (n > 0 && kind == 0)) return {0, n};
    if (HEADS == Heads::ROWS || HEADS == Heads::LINES) {
        const u64 row = max(n / (1 + below(once_in(2) ? 5 : n)), 1ull);
        for (u64 end = row; end <= n; end += row) offsets.push_back(end);
        return offsets;
    }
    if (kind == 1) {  // many empty ones at one place
        offsets.resize(1 + below(9000), 0);
        offsets.resize(offsets.size() + 1 + below(9000), n / 2);
        offsets.resize(offsets.size() + 1 + below(once_in(2) ? 2 : 5000), n);
    }
    const u64 means[] = {1, 2, 8, 64, 4096};
    const u64 mean = means[below(5)];
    for (u64 at = offsets.back(); at < n;) {
        u64 length = 1 + below(2 * mean - 1);
        if (kind == 2 && at > n / 4 && at < n / 2) length = n / 2;
        if (kind == 3) length = once_in(4) ? 0 : below(20);
        if (kind == 4) length = once_in(100) ? below(20000) : 0;
        at = min(at + length, n);
        offsets.push_back(at);
    }
    if (HEADS == Heads::OFFSETS) return offsets;
    std::vector<u64> not_empty = {0};
    for (const u64 offset : offsets) {
        if (offset != not_empty.back()) not_empty.push_back(offset);
    }
    return not_empty;
}

// Puts a drawn value among the offsets if it is invalid there. Returns whether it is.
static bool spoil(Guarded<Offset>& offsets, u64 n) {
    const u64 last = offsets.number - 1, k = below(last + 1);
    const u64 values[] = {n + 1 + below(100000), (u64) - (i64)(1 + below(1000)), below(n + 1)};
    const Offset value = (Offset)values[below(3)];
    const u64 lower = k > 0 ? offsets[k - 1] : 0, upper = k < last ? offsets[k + 1] : n;
    if ((u64)value >= (k == last ? n : lower) && (u64)value <= (k == 0 ? 0 : upper)) return false;
    offsets[k] = value;
    return true;
}

static void check_fault(const WorkspaceHeader& header, Guarded<Offset>& offsets, u64 n) {
    if (header.fault != FAULT_OFFSETS) fail("says %u of offsets that do not ascend", header.fault);
    const u64 k = header.fault_index, last = offsets.number - 1;
    if (k > last || (i64)offsets[k] != header.fault_value) fail("says that offset %llu is %lld", k, header.fault_value);
    const i64 value = (i64)offsets[k], before = k > 0 ? (i64)offsets[k - 1] : 0;
    const bool wrong = value < before || (u64)value > n || (k == 0 && value != 0) || (k == last && (u64)value != n);
    if (!wrong) fail("says that offset %llu, %lld, is wrong", k, value);
}

}  // namespace emulator
