// Replacement of kernels/block/cluster.cuh.

inline void cluster_arrive() { emulator::arrive_in_cluster(); }
inline void cluster_wait() { emulator::wait_in_cluster(); }
template <class V>
inline V* in_block(V* own, u32 block) { return (V*)emulator::shared_of(block, (void*)own); }
