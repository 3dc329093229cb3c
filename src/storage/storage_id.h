#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lade::storage {

// Whether the text is an id as lade makes them; nothing else ever becomes part of a path.
bool is_id(std::string_view text);

// The id of the storage in this folder, made with the first call. All callers get the same one. Fails with
// storage_damaged when what is there is no id.
Result<std::string> storage_id(const std::filesystem::path& folder);

// Makes what was renamed, linked and removed in the folder durable.
Result<void> sync_folder(const std::filesystem::path& folder);

}  // namespace lade::storage
