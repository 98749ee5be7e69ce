// Replacement of kernels/block/barrier.cuh.

inline void barrier_wait(u32 id, u32 threads) { emulator::arrive(id, threads, true); }
inline void barrier_arrive(u32 id, u32 threads) { emulator::arrive(id, threads, false); }
inline void main_sync() { barrier_wait(1, THREADS); }
