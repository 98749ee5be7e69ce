// Workspace of emulated kernels.

#include "emulator/memory.h"

namespace emulator {

// A workspace in a state that earlier launches leave.
struct Space {
    WorkspaceHeader header = {};
    Guarded<u64> words8, words16;
    u32 epoch;

    // For `values` values of type S.
    template <class S>
    static Space of(u64 values) {
        return sizeof(S) <= 4 ? Space(values, 0) : Space(0, values * ((sizeof(S) + 11) / 12));
    }
    Workspace workspace() { return {&header, words8.values, words16.values, (u32)words8.number, (u32)(words16.number / 2)}; }

    // Checks that the kernel has prepared the next launch.
    void check() {
        words8.check("words of 8 bytes"), words16.check("words of 16 bytes");
        if (header.ticket != 0 || header.finished != 0) fail("leaves ticket %u, finished %u", header.ticket, header.finished);
        if (header.epoch != (epoch == ~0u ? 1 : epoch + 1)) fail("leaves epoch %u after %u", header.epoch, epoch);
        if (epoch != ~0u) return;
        u64 left = 0;
        for (u64 i = 0; i < words8.number; i++) left |= words8[i];
        for (u64 i = 0; i < words16.number; i++) left |= words16[i];
        if (left != 0) fail("leaves words of the last epoch");
    }

private:
    Space(u64 number8, u64 number16) : words8(number8), words16(2 * number16) {
        epoch = once_in(4) ? ~0u : 10 + below(1000);
        header.epoch = epoch;
        const auto earlier = [&] { return (u64)(epoch - 1 - (u32)below(9)) << 32 | (u32)random_bits(); };
        for (u64 i = 0; i < words8.number; i++) words8[i] = earlier();
        for (u64 i = 0; i < words16.number; i++) words16[i] = i % 2 ? earlier() : random_bits();
    }
};

}  // namespace emulator
