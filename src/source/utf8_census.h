#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lade::source {

// How much of a stream is UTF-8. Fed piece by piece, cut anywhere; a gigabyte of valid text takes a fraction of a
// second.
class Utf8Census {
 public:
  void add(std::string_view bytes);
  // The stream has ended: what is left of a character is bad.
  void finish();

  std::uint64_t bytes() const { return bytes_; }
  // Bytes of whole characters beyond ASCII.
  std::uint64_t good() const { return good_; }
  // Bytes that are no part of a character, and the first ten of them.
  std::uint64_t bad() const { return bad_; }
  const std::vector<std::uint64_t>& bad_offsets() const { return bad_offsets_; }

  static constexpr std::size_t kOffsetsKept = 10;

 private:
  void count(std::string_view text, std::uint64_t offset);
  void count_one_by_one(std::string_view text, std::uint64_t offset);

  std::string cut_;  // the beginning of a character that the next piece may complete
  std::uint64_t bytes_ = 0;
  std::uint64_t good_ = 0;
  std::uint64_t bad_ = 0;
  std::vector<std::uint64_t> bad_offsets_;
};

}  // namespace lade::source
