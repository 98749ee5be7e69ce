// Scans of many states in a warp: lanes share the matrix products.
//
// A product of a matrix and states takes a lane ORDER^2 multiplications, and a scan by levels has a product a level for
// every lane. Here lanes form teams. A team handles the states of its lanes one after the other, and each of its lanes
// computes a row of the product:
//
//   each team       sum = none;      for each of its lanes l:  before[l] = sum,  sum = A^ITEMS sum + states[l]
//   then the warp   running = none;  for each team t:          before[t] = running,  running = A^(ITEMS TEAM) running + sum of t
//
// So a lane has ORDER multiplications a step, of TEAM + TEAMS steps. The states in between are broadcast through shared
// memory, an `Area` of each warp.

#pragma once

#include "recurrence/matrices.cuh"
#include "warp/shuffle.cuh"

constexpr u32 MOST_OF_FEW = 4;
constexpr bool TEAMED = ORDER > MOST_OF_FEW;
constexpr u32 TEAM_LEVEL = log2_of(2 * ORDER - 1), TEAM = 1 << TEAM_LEVEL, TEAMS = WARP / TEAM;

// Number of states in a word of 16 bytes, and number of words in which the states of a recurrence are stored.
constexpr u32 WIDE = 16 / sizeof(T), WIDE_PARTS = (ORDER + WIDE - 1) / WIDE;
struct alignas(16) WidePart {
    T z[WIDE];
};
struct WideStates {
    WidePart parts[WIDE_PARTS];
    __device__ __forceinline__ T& operator[](u32 i) { return parts[i / WIDE].z[i % WIDE]; }
    __device__ __forceinline__ const T& operator[](u32 i) const { return parts[i / WIDE].z[i % WIDE]; }
    __device__ __forceinline__ States states() const {
        States states;
#pragma unroll
        for (u32 i = 0; i < ORDER; i++) states.z[i] = (*this)[i];
        return states;
    }
    __device__ __forceinline__ void put(const States& states) {
        WideStates wide;
#pragma unroll
        for (u32 i = 0; i < WIDE_PARTS * WIDE; i++) wide[i] = i < ORDER ? states.z[i] : 0;
        *this = wide;
    }
};

struct Area {
    WideStates lanes[TEAMS][TEAM + 1];  // states of a team's lanes, and their total
    WideStates before[TEAMS];           // exclusive prefixes of the teams; not of the first, for which it is zero
};

__device__ __forceinline__ u32 team_index() { return lane_index() / TEAM; }
__device__ __forceinline__ u32 member_index() { return lane_index() % TEAM; }
// Lanes of a team beyond the rows compute the last row again, and do not store it.
__device__ __forceinline__ bool has_row() { return TEAM == ORDER || member_index() < ORDER; }
__device__ __forceinline__ u32 row_index() { return TEAM == ORDER ? member_index() : min(member_index(), ORDER - 1); }

// Row of a matrix, by which this lane multiplies.
struct MatrixRow {
    T at[ORDER];
    // Returns this lane's row of A^(ITEMS 2^level).
    static __device__ __forceinline__ MatrixRow of_power(u32 level) {
        const T* const from = matrices()[POWERS + level].at + row_index() * ORDER;
        MatrixRow row;
#pragma unroll
        for (u32 i = 0; i < ORDER; i++) row.at[i] = from[i];
        return row;
    }
    // Returns the product of the row and x, plus c: in two chains of half as many additions.
    __device__ __forceinline__ T times(const WideStates& x, T c) const {
        const WideStates copy = x;
        T even = c, odd = 0;
#pragma unroll
        for (u32 i = 0; i < ORDER; i++) {
            T& sum = i % 2 ? odd : even;
            sum = add_term(at[i], copy[i], sum);
        }
        return arith::add(even, odd);
    }
};

// Returns all states, in every lane. `row` is one of them: that of this lane's row.
__device__ __forceinline__ States of_rows(T row) {
    States states;
#pragma unroll
    for (u32 i = 0; i < ORDER; i++) states.z[i] = shuffle(row, i);
    return states;
}

// Scans the states that each lane has put into the area: stores the prefix of each lane in its team, and of each team,
// and returns this lane's row of the total. Each lane has as many elements as the power at `level`. Bit l of `heads`:
// lane l has a head, which stops the states of lower lanes.
__device__ __forceinline__ T scan_teams(Area& area, u32 level, u32 heads) {
    const u32 team = team_index(), row = row_index();
    WideStates* const lanes = area.lanes[team];
    __syncwarp();
    const MatrixRow of_lane = MatrixRow::of_power(level);
    T own[TEAM];
#pragma unroll
    for (u32 i = 0; i < TEAM; i++) own[i] = lanes[i][row];
    if (TEAM > ORDER) __syncwarp();
    T sum = own[0];
    if (has_row()) lanes[0][row] = 0;
#pragma unroll
    for (u32 i = 1; i < TEAM; i++) {
        if (has_row()) lanes[i][row] = sum;
        __syncwarp();
        sum = SEGMENTED && heads >> (team * TEAM + i) & 1 ? own[i] : of_lane.times(lanes[i], own[i]);
    }
    if (has_row()) lanes[TEAM][row] = sum;
    const MatrixRow of_team = MatrixRow::of_power(min(level + TEAM_LEVEL, LEVELS - 1));  // higher levels are not used
    __syncwarp();
    T running = area.lanes[0][TEAM][row];
#pragma unroll
    for (u32 t = 1; t < TEAMS; t++) {
        if (team == 0 && has_row()) area.before[t][row] = running;
        const T own = area.lanes[t][TEAM][row];
        __syncwarp();
        constexpr u32 MEMBERS = (u32)((1ull << TEAM) - 1);
        running = SEGMENTED && heads >> t * TEAM & MEMBERS ? own : of_team.times(area.before[t], own);
    }
    return running;
}

// Returns this lane's row of A^(ITEMS 2^level times) x, where each lane has its row of x. `times` has `bits` bits. The
// area is that of the last `scan_teams`; its prefixes of teams are overwritten.
__device__ __forceinline__ T rows_after(Area& area, u32 level, u32 bits, u32 times, T row) {
    __syncwarp();
#pragma unroll 1
    for (u32 bit = 0; bit < bits; bit++) {
        if ((times >> bit & 1) == 0) continue;
        WideStates& place = area.before[bit % 2];
        if (team_index() == 0 && has_row()) place[row_index()] = row;
        __syncwarp();
        row = MatrixRow::of_power(level + bit).times(place, 0);
    }
    return row;
}

// Powers of the transition matrix A: A^(ITEMS member) for each index `member` of a lane in its team, and for each lane
// its row of A^(ITEMS TEAM team), where `team` is the index of its team.
struct Tables {
    WidePart in_team[ORDER][WIDE_PARTS][TEAM];
    WidePart of_teams[WIDE_PARTS][WARP];

    // Fills the tables column by column, from unit vectors. Called by all compute warps.
    __device__ __forceinline__ void fill() {
        for (u32 j = warp_index(); j < ORDER; j += WARPS) {
            States states;
#pragma unroll
            for (u32 i = 0; i < ORDER; i++) states.z[i] = i == j ? 1 : 0;
            states = apply_times(0, log2_of(WARP), lane_index(), states);
#pragma unroll
            for (u32 i = 0; i < ORDER; i++) {
                if (team_index() == 0) in_team[i][j / WIDE][member_index()].z[j % WIDE] = states.z[i];
                if (member_index() == 0) of_teams[j / WIDE][lane_index() + i].z[j % WIDE] = states.z[i];
            }
        }
    }

    // Returns the states at the begin of this lane, from the states `before` the warp and the prefixes in `area`. Bit l
    // of `heads`: lane l has a head among its own elements.
    __device__ __forceinline__ States at_lane(Area& area, const WideStates& before, u32 heads) const {
        const u32 team = team_index(), member = member_index();
        MatrixRow row;
#pragma unroll
        for (u32 i = 0; i < ORDER; i++) row.at[i] = of_teams[i / WIDE][lane_index()].z[i % WIDE];
        T own = 0;
        if (team > 0) own = area.before[team][row_index()];
        if (!SEGMENTED || (heads & ((1u << team * TEAM) - 1)) == 0) own = row.times(before, own);
        if (has_row()) area.lanes[team][TEAM][row_index()] = own;
        __syncwarp();
        States states = area.lanes[team][member].states();
        const u32 lower = heads >> team * TEAM & ((1u << member) - 1);
        if (SEGMENTED && lower != 0) return states;
        const States at_team = area.lanes[team][TEAM].states();
#pragma unroll
        for (u32 i = 0; i < ORDER; i++) {
#pragma unroll
            for (u32 j = 0; j < ORDER; j++) states.z[i] = add_term(in_team[i][j / WIDE][member].z[j % WIDE], at_team.z[j], states.z[i]);
        }
        return states;
    }
};

// Returns the states at the begin of this lane, as `Tables::at_lane` does, without tables.
__device__ __forceinline__ States at_lane(const Area& area, const WideStates& before, u32 heads) {
    const u32 team = team_index(), member = member_index();
    const bool reaches_team = !SEGMENTED || (heads & ((1u << team * TEAM) - 1)) == 0;
    const bool reaches_lane = !SEGMENTED || (heads >> team * TEAM & ((1u << member) - 1)) == 0;
    States at_team = apply_times(TEAM_LEVEL, log2_of(TEAMS), team, before.states());
    if (!reaches_team) at_team = States::none();
    if (team > 0) at_team = add(at_team, area.before[team].states());
    const States at_lane = apply_times(0, TEAM_LEVEL, member, at_team);
    const States own = area.lanes[team][member].states();
    return reaches_lane ? add(own, at_lane) : own;
}
