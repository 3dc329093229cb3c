#pragma once

#include <cstdio>
#include <cstdlib>

// A broken invariant of lade itself. On in release: a wrong row is worse than a stopped process.
#define LADE_ASSERT(condition)                                                                       \
  do {                                                                                               \
    if (!(condition)) [[unlikely]] {                                                                 \
      std::fprintf(stderr, "lade: broken invariant at %s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                                  \
    }                                                                                                \
  } while (false)
