// Cases of device/partition.cuh: those of selections.

#define PARTITIONS
#include "emulator/select.h"
