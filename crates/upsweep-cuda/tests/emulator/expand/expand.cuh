// Both kernels of an expansion.

#pragma once

#include "expand/expand.cuh"
#include "expand/large.cuh"
