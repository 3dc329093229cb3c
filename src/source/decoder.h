#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lade::source {

// The usual name of an encoding in small letters ("windows-1252" for "CP1252"); refuses with encoding_unknown,
// proposing the nearest, what is not known.
Result<std::string> encoding_named(const std::string& name);

// Bytes of any encoding → UTF-8, piece by piece, cut anywhere with the same result. Bytes that mean nothing in the
// encoding become bytes that are no UTF-8 (themselves, or 0xFF where they could be taken for text), so that whoever
// reads the records finds them in their row.
class Decoder {
 public:
  // `first_offset`: where the first byte stands in the file.
  static Result<std::unique_ptr<Decoder>> open(const std::string& encoding, std::uint64_t first_offset = 0);
  virtual ~Decoder() = default;

  // Appends to `out`. `last`: no more follows.
  virtual void decode(std::string_view bytes, bool last, std::string& out) = 0;

  // Bytes that mean nothing, and where the first ten stand.
  std::int64_t bad_bytes() const { return bad_bytes_; }
  const std::vector<std::uint64_t>& bad_offsets() const { return bad_offsets_; }

 protected:
  explicit Decoder(std::uint64_t offset) : offset_(offset) {}
  void bad(char byte, std::uint64_t offset, std::string& out);

  std::uint64_t offset_;

 private:
  std::int64_t bad_bytes_ = 0;
  std::vector<std::uint64_t> bad_offsets_;
};

}  // namespace lade::source
