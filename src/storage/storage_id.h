#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lade::storage {

// Whether the text is an id as lade makes them.
bool is_id(std::string_view text);
// Whether the text is a path by which others find a file: folders, of which the last is an id, or one with a number
// below it: uploads/imports/<id>/failed.csv, uploads/imports/<id>/2/failed.csv.
bool is_path(std::string_view text);
// Whether a file can be called so: by an id or a path. Nothing else ever becomes part of a name on disk or of a key.
bool is_name(std::string_view text);
// Whether paths may begin so: letters, digits and ._- between single slashes, the last one left out or not; no dots
// alone. Nothing is a prefix too.
bool is_prefix(std::string_view text);

// The id of the storage in this folder, made with the first call. All callers get the same one. Fails with
// storage_damaged when what is there is no id.
Result<std::string> storage_id(const std::filesystem::path& folder);

// Makes what was renamed, linked and removed in the folder durable.
Result<void> sync_folder(const std::filesystem::path& folder);

}  // namespace lade::storage
