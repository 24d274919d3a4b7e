// Limits of floating-point types; older versions of CUDA's C++ library leave them out.
#pragma once
#include <cuda/std/cfloat>
#ifndef FLT_MAX
#define FLT_RADIX 2
#define FLT_MANT_DIG 24
#define FLT_DIG 6
#define FLT_MIN_EXP (-125)
#define FLT_MAX_EXP 128
#define FLT_EPSILON 1.19209289550781250e-7f
#define FLT_MIN 1.17549435082228751e-38f
#define FLT_MAX 3.40282346638528860e+38f
#define DBL_MANT_DIG 53
#define DBL_DIG 15
#define DBL_MIN_EXP (-1021)
#define DBL_MAX_EXP 1024
#define DBL_EPSILON 2.22044604925031308e-16
#define DBL_MIN 2.22507385850720138e-308
#define DBL_MAX 1.79769313486231571e+308
#endif
