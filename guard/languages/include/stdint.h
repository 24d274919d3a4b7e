// Integer types for NVRTC, which brings no C library headers.
#pragma once
#include <cuda/std/cstdint>
