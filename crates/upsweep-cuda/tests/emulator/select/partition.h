// Cases of select/partition.cuh: those of selections.

#define PARTITIONS
#include "emulator/select/select.h"
