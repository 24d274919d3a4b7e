// Limits of integer types.
#pragma once
#include <cuda/std/climits>
