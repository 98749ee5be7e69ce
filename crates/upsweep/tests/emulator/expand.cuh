// Both kernels of an expansion.

#pragma once

#include "device/expand.cuh"
#include "device/expand_large.cuh"
