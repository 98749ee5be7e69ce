// PTX instructions on memory that C++ has no name for.

#pragma once

#include "config.cuh"

// Copies BYTES bytes, 4, 8 or 16, from global memory to shared memory, both at multiples of BYTES. From sm_80 on the
// copy is asynchronous: it is visible after `wait_copies`.
template <u32 BYTES>
__device__ __forceinline__ void copy_async(void* shared, const void* global) {
#if __CUDA_ARCH__ >= 800
    const u32 to = (u32)__cvta_generic_to_shared(shared);
    if constexpr (BYTES == 16) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
    } else {
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(global), "n"(BYTES) : "memory");
    }
#else
    struct alignas(BYTES) Bytes { unsigned char b[BYTES]; };
    *(Bytes*)shared = *(const Bytes*)global;
#endif
}

// Address in shared memory: 32 bits, from the begin of shared memory on.
using SharedPlace = u32;
__device__ __forceinline__ SharedPlace shared_place(void* shared) { return (u32)__cvta_generic_to_shared(shared); }

// Stores the lowest BYTES bytes of `value` in shared memory and advances the address. In PTX, because C++ code takes an
// instruction more and clears the other bytes first.
template <u32 BYTES>
__device__ __forceinline__ void store_next(SharedPlace& at, u32 value) {
    if constexpr (BYTES == 1) asm volatile("st.shared.u8 [%0], %1; add.u32 %0, %0, 1;" : "+r"(at) : "r"(value) : "memory");
    else if constexpr (BYTES == 2) asm volatile("st.shared.u16 [%0], %1; add.u32 %0, %0, 2;" : "+r"(at) : "r"(value) : "memory");
    else asm volatile("st.shared.u32 [%0], %1; add.u32 %0, %0, 4;" : "+r"(at) : "r"(value) : "memory");
}
__device__ __forceinline__ void store_next(SharedPlace& at, u64 value) {
    asm volatile("st.shared.u64 [%0], %1; add.u32 %0, %0, 8;" : "+r"(at) : "l"(value) : "memory");
}
__device__ __forceinline__ void* at_shared_place(SharedPlace at) { return __cvta_shared_to_generic(at); }

// Copies an address so that the compiler keeps it in a register: it would otherwise recompute it for each access.
__device__ __forceinline__ SharedPlace kept(SharedPlace place) {
    asm volatile("mov.u32 %0, %0;" : "+r"(place));
    return place;
}
// Loads a word of shared memory; `add_shared` adds to it atomically.
__device__ __forceinline__ u32 load_shared(SharedPlace at) {
    u32 word;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(at) : "memory");
    return word;
}
__device__ __forceinline__ void add_shared(SharedPlace at, u32 amount) { asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(at), "r"(amount) : "memory"); }

// Ends the group of copies that this thread has issued since the last group.
__device__ __forceinline__ void close_group() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until at most `PENDING` of this thread's groups of copies are still in flight.
template <u32 PENDING>
__device__ __forceinline__ void wait_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
#endif
}

// Bulk copies, which the hardware makes asynchronously. A warp's first lane issues them, and all of its lanes wait at a
// word of shared memory, the copies' barrier, which a lane has initialised before. All addresses and sizes are
// multiples of 16.
//
// Memory ordering. The copies write through another proxy than threads: a fence comes before them. Before a thread
// issues a copy, it has read all that lies at its destination, and warps whose threads have written there have met it
// at a barrier of the block.
#if __CUDA_ARCH__ >= 900
constexpr bool BULK_COPIES = true;
__device__ __forceinline__ void fence_copies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ __forceinline__ void open_barrier(u64& barrier) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_place(&barrier)) : "memory");
    fence_copies();
}
// Announces to the barrier how many bytes the copies that follow will bring.
__device__ __forceinline__ void expect_copies(u64& barrier, u32 bytes) {
    fence_copies();
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_place(&barrier)), "r"(bytes) : "memory");
}
__device__ __forceinline__ void copy_bulk(u64& barrier, void* shared, const void* global, u32 bytes) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_place(shared)), "l"(global), "r"(bytes), "r"(shared_place(&barrier)) : "memory");
}
// Waits until the copies of the barrier's phase `turn` are complete: its phases are counted from 0, modulo 2.
__device__ __forceinline__ void await_copies(u64& barrier, u32 turn) {
    asm volatile("{ .reg .pred p; again%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @!p bra again%=; }" ::"r"(shared_place(&barrier)), "r"(turn) : "memory");
}
#else
constexpr bool BULK_COPIES = false;
__device__ void open_barrier(u64&);
__device__ void expect_copies(u64&, u32);
__device__ void copy_bulk(u64&, void*, const void*, u32);
__device__ void await_copies(u64&, u32);
#endif

// Loads a `V` in global memory that is not written while the kernel runs: equal loads may be merged.
template <class V>
__device__ __forceinline__ V load_constant(u64 address) {
    constexpr u32 BYTES = alignof(V);
    unsigned char bytes[sizeof(V)];
#pragma unroll
    for (u32 i = 0; i < sizeof(V); i += BYTES) {
        const auto copy = [&](auto word) { memcpy(bytes + i, &word, BYTES); };
        if constexpr (BYTES == 16) copy(__ldg((const uint4*)(address + i)));
        else if constexpr (BYTES == 8) copy(__ldg((const u64*)(address + i)));
        else if constexpr (BYTES == 4) copy(__ldg((const u32*)(address + i)));
        else if constexpr (BYTES == 2) copy(__ldg((const u16*)(address + i)));
        else copy(__ldg((const u8*)(address + i)));
    }
    V value;
    memcpy(&value, bytes, sizeof(V));
    return value;
}

// Copies a number so that it is opaque to the compiler: nothing is computed from it ahead, which would take registers.
__device__ __forceinline__ u64 unknown(u64 number) {
    asm volatile("" : "+l"(number));
    return number;
}

// Prefetches an address into the L2 cache.
__device__ __forceinline__ void prefetch(const void* global) { asm volatile("prefetch.global.L2 [%0];" ::"l"(global)); }

// Waits until the previous kernel in the stream has ended and its writes are visible. The first memory operation of a
// kernel that is launched while its predecessor's last blocks may still run. Other kernels do not wait.
__device__ __forceinline__ void wait_for_kernel_before() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Increments a word below 2^32 - 1, atomic and relaxed at device scope. The wait for the old value is at its first use.
// Not an addition: ptxas merges additions of a warp's threads into one, and waits for it at once.
__device__ __forceinline__ u32 count_relaxed(u32* word) {
    u32 before;
    asm volatile("atom.relaxed.gpu.global.inc.u32 %0, [%1], 0xfffffffe;" : "=r"(before) : "l"(word) : "memory");
    return before;
}

// Single-copy atomic stores and loads, relaxed, at device scope: of 4 bytes, of 8, and of 16.
__device__ __forceinline__ void store_relaxed(u32* to, u32 word) {
    asm volatile("st.relaxed.gpu.global.b32 [%0], %1;" ::"l"(to), "r"(word) : "memory");
}
__device__ __forceinline__ void load_relaxed(const u32* from, u32& word) {
    asm volatile("ld.relaxed.gpu.global.b32 %0, [%1];" : "=r"(word) : "l"(from) : "memory");
}
__device__ __forceinline__ void store_relaxed(u64* to, u64 word) {
    asm volatile("st.relaxed.gpu.global.b64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
}
__device__ __forceinline__ void store_relaxed(u64* to, u64 low, u64 high) {
    asm volatile("{ .reg .b128 w; mov.b128 w, {%1, %2}; st.relaxed.gpu.global.b128 [%0], w; }" ::"l"(to), "l"(low), "l"(high) : "memory");
}
__device__ __forceinline__ void load_relaxed(const u64* from, u64& word) {
    asm volatile("ld.relaxed.gpu.global.b64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
}
__device__ __forceinline__ void load_relaxed(const u64* from, u64& low, u64& high) {
    asm volatile("{ .reg .b128 w; ld.relaxed.gpu.global.b128 w, [%2]; mov.b128 {%0, %1}, w; }" : "=l"(low), "=l"(high) : "l"(from) : "memory");
}
