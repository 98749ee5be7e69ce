// Detector of data races: unordered accesses of a block's threads to its shared memory.
//
// Two lanes of a warp are ordered by a __syncwarp between them, two warps by barriers: each warp stores up to which
// step of each other warp it is synchronised with it (Warp::seen). Only the last write and the last read of each byte
// are stored, so not every race is found in every schedule. Copies count as writes when they are issued and when they
// are done.

namespace emulator {

#define UNSEEN __attribute__((no_sanitize("thread"), noinline))

static bool races_matter;
constexpr u32 THREAD_BITS = 9;  // an access is stored as its warp's step and its thread
static_assert(MOST_THREADS == 1 << THREAD_BITS);

UNSEEN static void look_at_other(u32 other, const u8* at, const char* done, const char* doing) {
    const u32 thread = other % MOST_THREADS, step = other >> THREAD_BITS;
    if (other == 0 || thread == current->index.x || step < current->warp->seen[thread / LANES]) return;
    const Block& block = *current->warp->block;
    fail("%s byte %u of %s shared memory, which thread %u has %s with no barrier between", doing,
         (u32)(at < block.shared + VARIABLES ? at - block.shared : at - dynamic_shared()), at < block.shared + VARIABLES ? "static" : "dynamic",
         thread, done);
}

UNSEEN static void look_at_access(const void* address, u64 bytes, bool writes) {
    if (!current || !races_matter) return;
    const Block& block = *current->warp->block;
    const u64 offset = (const u8*)address - block.shared;
    if (offset >= ARENA) return;
    const u32 own = current->warp->step << THREAD_BITS | current->index.x;
    for (u64 i = 0; i < bytes; i++) {
        Touched& touched = block.touched[offset + i];
        look_at_other(touched.written, (const u8*)address + i, "written", writes ? "writes" : "reads");
        if (writes) look_at_other(touched.read, (const u8*)address + i, "read", "writes");
        (writes ? touched.written : touched.read) = own;
    }
}

}  // namespace emulator

// Functions that the compiler calls.
extern "C" {
#define LOOK(name, bytes)                                                                          \
    UNSEEN void __tsan_read##name(void* at) { emulator::look_at_access(at, bytes, false); }        \
    UNSEEN void __tsan_write##name(void* at) { emulator::look_at_access(at, bytes, true); }        \
    UNSEEN void __tsan_unaligned_read##name(void* at) { emulator::look_at_access(at, bytes, false); } \
    UNSEEN void __tsan_unaligned_write##name(void* at) { emulator::look_at_access(at, bytes, true); }
LOOK(1, 1)
LOOK(2, 2)
LOOK(4, 4)
LOOK(8, 8)
LOOK(16, 16)
UNSEEN void __tsan_read_range(void* at, long bytes) { emulator::look_at_access(at, bytes, false); }
UNSEEN void __tsan_write_range(void* at, long bytes) { emulator::look_at_access(at, bytes, true); }
UNSEEN void __tsan_vptr_update(void*, void*) {}
UNSEEN void __tsan_vptr_read(void*) {}
UNSEEN void __tsan_func_entry(void*) {}
UNSEEN void __tsan_func_exit(void*) {}
UNSEEN void __tsan_init() {}
}
