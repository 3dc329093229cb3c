#pragma once

#include <string_view>

#include "base/file.h"
#include "base/result.h"

// The container of Office documents before 2007, in which encrypted workbooks are still kept.
namespace lade::xlsx {

bool is_compound_file(std::string_view beginning);
// Whether it holds a newer document, encrypted.
Result<bool> holds_encrypted_package(const File& file);

}  // namespace lade::xlsx
