// Cases of automaton/entries.cuh.

#define OF_ENTRIES
#include "emulator/automaton/automaton.h"
