#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "queue/retry.h"

namespace lade::queue {

// How a node works; docs/settings.md has the table of names.
struct Settings {
  std::size_t concurrency = 4;                    // worker threads
  std::chrono::milliseconds beat{2000};           // also how soon running work hears of a cancel
  std::chrono::milliseconds lease{10'000};        // a node silent for longer is dead
  std::chrono::milliseconds deadline{1'800'000};  // a task may run so long without progress
  std::chrono::milliseconds poll{750};            // looks for tasks so often when nobody tells of any
  std::chrono::milliseconds reconnect{2000};      // longest wait between tries to reach the database
  std::size_t prefetch = 256;                     // short tasks are claimed ahead, up to so many
  RetryPolicy retry = {};                         // for kinds that have none of their own
  std::chrono::hours dead_letter_retention{24 * 30};
  std::chrono::hours task_retention{24};  // ended tasks without a group

  // What makes no sense together is refused with setting_invalid.
  Result<void> validate() const;
  // How long an observed beat must stay the same: the lease without the beat that may have passed unseen, and half of
  // one because looks are never exactly a beat apart.
  Duration silence() const { return lease - beat * 3 / 2; }
};

// Reads the settings that `values` (name → text, e.g. the environment) names; other names are ignored. Fails with
// setting_invalid: name, value, what is accepted.
Result<Settings> read_settings(const std::map<std::string, std::string>& values, const Settings& defaults = {});

}  // namespace lade::queue
