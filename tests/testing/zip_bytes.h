#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"

// Zip archives made in memory, honest or not.
namespace lade::testing {

struct ZipEntry {
  std::string name;
  std::string content;
  bool deflated = true;
  // What is said instead of the truth: `local_…` in the entry's own header, the others in both places.
  std::optional<std::uint32_t> bytes = {};
  std::optional<std::uint32_t> checksum = {};
  std::optional<std::uint16_t> method = {};
  std::uint16_t flags = 0;
  std::optional<std::string> local_name = {};
  std::optional<std::uint32_t> local_bytes = {};
  std::optional<std::uint16_t> local_method = {};
  std::optional<std::uint32_t> header_of = {};  // points to that entry's header instead of its own
};

inline void append_number(std::string& to, std::uint64_t value, int bytes) {
  for (int index = 0; index < bytes; ++index) to.push_back(static_cast<char>(value >> (8 * index)));
}

inline std::string deflated(std::string_view content) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, content.size()) + 16, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// The bytes of an archive with these entries, and `before` in front of it all.
inline std::string zip_bytes(const std::vector<ZipEntry>& entries, std::string_view comment = "",
                             std::string_view before = "") {
  std::string file;
  std::string directory;
  std::vector<std::uint32_t> headers;
  for (const ZipEntry& entry : entries) {
    const std::string packed = entry.deflated ? deflated(entry.content) : entry.content;
    const auto crc = static_cast<std::uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(entry.content.data()), static_cast<uInt>(entry.content.size())));
    const std::uint16_t method = entry.method.value_or(entry.deflated ? 8 : 0);
    const std::uint32_t bytes = entry.bytes.value_or(static_cast<std::uint32_t>(entry.content.size()));
    const auto append_fields = [&](std::string& to, std::uint16_t said_method, std::uint32_t said_bytes,
                                   std::string_view name) {
      append_number(to, 20, 2);
      append_number(to, entry.flags, 2);
      append_number(to, said_method, 2);
      append_number(to, 0, 4);
      append_number(to, entry.checksum.value_or(crc), 4);
      append_number(to, packed.size(), 4);
      append_number(to, said_bytes, 4);
      append_number(to, name.size(), 2);
      append_number(to, 0, 2);
    };
    headers.push_back(static_cast<std::uint32_t>(file.size()));
    const std::string local_name = entry.local_name.value_or(entry.name);
    file += "PK\x03\x04";
    append_fields(file, entry.local_method.value_or(method), entry.local_bytes.value_or(bytes), local_name);
    file += local_name + packed;
    directory += "PK\x01\x02";
    append_number(directory, 20, 2);
    append_fields(directory, method, bytes, entry.name);
    append_number(directory, 0, 8);
    append_number(directory, 0, 2);
    append_number(directory, entry.header_of ? headers.at(*entry.header_of) : headers.back(), 4);
    directory += entry.name;
  }
  const std::size_t directory_at = file.size();
  file += directory + "PK\x05\x06";
  append_number(file, 0, 4);
  append_number(file, entries.size(), 2);
  append_number(file, entries.size(), 2);
  append_number(file, directory.size(), 4);
  append_number(file, directory_at, 4);
  append_number(file, comment.size(), 2);
  file += comment;
  return std::string(before) + file;
}

inline File file_of(std::string_view bytes) {
  auto file = File::temporary(std::filesystem::temp_directory_path());
  EXPECT_TRUE(file.has_value());
  EXPECT_TRUE(file->write(bytes).has_value());
  return std::move(*file);
}

}  // namespace lade::testing
