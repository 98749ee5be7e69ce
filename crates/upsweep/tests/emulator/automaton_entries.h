// Cases of device/automaton_entries.cuh.

#define OF_ENTRIES
#include "emulator/automaton.h"
