#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace lade::source {

enum class Compression { none, gzip, zstd, zip };

// "gzip", "zstd", "zip"; empty for none.
std::string_view name_of(Compression compression);

// What a file that begins so is compressed with.
Compression compression_of(std::string_view beginning);

// The inflated bytes of a gzip or zstd stream (also of several members one after another). Its reads refuse with
// gzip_damaged or zstd_damaged what is cut off or damaged; nothing limits how much comes out. `name` is for messages;
// `from` outlives it.
std::unique_ptr<ByteSource> inflate(Compression compression, ByteSource& from, std::string name);

}  // namespace lade::source
