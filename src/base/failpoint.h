#pragma once

#include <string_view>

#include "base/result.h"

// Named places where a test can kill, stop, delay or fail the program. They exist only in builds with LADE_FAILPOINTS
// (the presets asan and tsan); elsewhere LADE_FAILPOINT is nothing.
//
// The environment variable LADE_FAILPOINTS, or arm_failpoints(), says what happens where:
//   name=action[:argument][@n]   separated by ';', e.g. "claim=kill@3;commit_answered=error:db_lost;beat=pause:500"
// Actions: kill (SIGKILL to itself), stop (SIGSTOP to itself), error (gives an error; the argument is its code,
// otherwise "injected"), pause (the argument in milliseconds). With @n only the n-th passage counts, without all.
namespace lade {

// Passes the place: does what is armed for it. Thread-safe.
Result<void> pass_failpoint(std::string_view name);

// Replaces all that is armed and starts counting anew; an empty text disarms. Fails with failpoint_invalid.
Result<void> arm_failpoints(std::string_view text);

}  // namespace lade

#ifdef LADE_FAILPOINTS
#define LADE_FAILPOINT(name) LADE_TRY(::lade::pass_failpoint(name))
#else
#define LADE_FAILPOINT(name) static_cast<void>(0)
#endif
