#pragma once

#include <chrono>
#include <map>
#include <string>

#include "base/result.h"
#include "cli/commands.h"
#include "jobs/import.h"
#include "queue/settings.h"
#include "webhooks/deliver.h"

namespace lade::cli {

// Settings by name; docs/settings.md has the table.
using NamedSettings = std::map<std::string, std::string>;

// Lines of NAME=VALUE; blank lines and those that begin with # are left out. Fails with settings_file_invalid.
Result<NamedSettings> read_settings_text(const std::string& text, const std::string& name);
// What the environment says, and for the rest the file (empty: none).
Result<NamedSettings> named_settings(const std::string& file);
// The same, and what the command line says instead.
Result<NamedSettings> named_settings(const CommonOptions& common);

// The data folder, the one for temporary files, and where files are stored: a bucket that the command line, the
// environment or the file of settings names, or that folder. Fails with storage_url_invalid, storage_keys_missing, and
// with setting_invalid when there is no temporary folder.
Result<void> set_place(const CommonOptions& common, jobs::ImportOptions& options);
// What they say about imports: threads, the size of batches, row handlers, result files. What the command line says
// comes after and counts more.
Result<void> apply(const NamedSettings& settings, jobs::ImportOptions& options);
// The Redis that shows how far jobs are, if one is named. What is to be said about it goes to the log; a command
// without one says where else. Fails with redis_url_invalid.
Result<void> set_mirror(const NamedSettings& settings, jobs::ImportOptions& options);
// How long addresses of files in a bucket are valid.
Result<std::chrono::seconds> link_expires(const NamedSettings& settings);
// What they say about webhooks.
Result<void> apply(const NamedSettings& settings, webhooks::DeliveryOptions& options);

}  // namespace lade::cli
