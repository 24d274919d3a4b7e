// A failed assertion traps: the runner then reports a launch failure.
#pragma once
#undef assert
#ifdef NDEBUG
#define assert(condition) (static_cast<void>(0))
#else
#define assert(condition) ((condition) ? static_cast<void>(0) : __trap())
#endif
