// The instructions on memory that C++ has no name for.

#pragma once

#include "config.cuh"

// Copies BYTES bytes, 4, 8 or 16, from global memory to shared memory, both at multiples of BYTES. From sm_80 on the copy is
// there only after `wait_copies`.
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

// A place in shared memory.
using SharedPlace = u32;
__device__ __forceinline__ SharedPlace shared_place(void* shared) { return (u32)__cvta_generic_to_shared(shared); }

// Stores `value`, of which the lowest bytes count, in shared memory at a place and goes on to the one behind it. In PTX, because of the same in
// C++ an instruction more becomes, and the other bytes are cleared first.
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

// The same place, which the compiler keeps in a register: it would find the place of something anew for each access to it.
__device__ __forceinline__ SharedPlace kept(SharedPlace place) {
    asm volatile("mov.u32 %0, %0;" : "+r"(place));
    return place;
}
// The word at a place, and an atomic addition to it.
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

// Waits until at most `PENDING` of this thread's groups are still under way.
template <u32 PENDING>
__device__ __forceinline__ void wait_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
#endif
}

// Copies of many bytes at once, which the hardware makes by itself. A warp's first lane asks for them, and all of its lanes wait at a word
// of shared memory, the copies' barrier, which a lane has opened before. Of addresses and sizes all are multiples of 16.
//
// Memory ordering. The copies are written by another proxy than what threads write: a fence comes before them. A thread has read, before it
// asks, what lies where a copy goes, and warps whose threads have written there have met it at a barrier of the block.
#if __CUDA_ARCH__ >= 900
constexpr bool BULK_COPIES = true;
__device__ __forceinline__ void fence_copies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ __forceinline__ void open_barrier(u64& barrier) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_place(&barrier)) : "memory");
    fence_copies();
}
// The bytes of the copies that follow, and the copies.
__device__ __forceinline__ void expect_copies(u64& barrier, u32 bytes) {
    fence_copies();
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_place(&barrier)), "r"(bytes) : "memory");
}
__device__ __forceinline__ void copy_bulk(u64& barrier, void* shared, const void* global, u32 bytes) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_place(shared)), "l"(global), "r"(bytes), "r"(shared_place(&barrier)) : "memory");
}
// Waits for what has been expected `turn` times before, counted modulo 2.
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

// The `V` at an address in global memory, which nothing writes while the kernel runs: equal loads may become one.
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

// The same number, of which the compiler knows nothing: it computes nothing from it ahead, which would take registers.
__device__ __forceinline__ u64 unknown(u64 number) {
    asm volatile("" : "+l"(number));
    return number;
}

// Asks for what is at an address, to have it nearer when it is read.
__device__ __forceinline__ void prefetch(const void* global) { asm volatile("prefetch.global.L2 [%0];" ::"l"(global)); }

// Waits until the kernel before in the stream has ended and what it has written can be read: the first that a kernel does with memory which
// is launched behind another one, while that one's last blocks may still run. Others do not wait.
__device__ __forceinline__ void wait_for_kernel_before() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Counts one more in a word, to less than 2^32 - 1, atomic and relaxed at device scope. What was there is waited for where it is used: no addition,
// because of additions ptxas makes one for all threads of a warp, and waits for that at once.
__device__ __forceinline__ u32 count_relaxed(u32* word) {
    u32 before;
    asm volatile("atom.relaxed.gpu.global.inc.u32 %0, [%1], 0xfffffffe;" : "=r"(before) : "l"(word) : "memory");
    return before;
}

// Stores and loads that are single-copy atomic, relaxed, at device scope: of 4 bytes, of 8, and of 16.
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
