#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.h"
#include "base/file.h"
#include "zip/archive.h"
#include "zip/directory.h"

struct inflate_state;  // of ISA-L

namespace lade::zip {

// How much all sources of an archive have delivered together. An entry that is read twice counts once.
class Budget {
 public:
  explicit Budget(std::uint64_t max_bytes) : max_bytes_(max_bytes) {}
  // An entry has delivered `bytes`, up to `seen` of which were counted already (and are then).
  bool spend(std::uint64_t bytes, std::uint64_t& seen);
  std::uint64_t max_bytes() const { return max_bytes_; }

 private:
  const std::uint64_t max_bytes_;
  std::uint64_t spent_ = 0;
};

// The inflated bytes of one entry: at most as many as declared, and at the end just as many, with their checksum.
class EntrySource final : public ByteSource {
 public:
  // All but the source itself belong to the archive and outlive it.
  EntrySource(const File& file, const std::string& archive, const Place& place, Budget& budget, std::uint64_t& seen);
  EntrySource(const EntrySource&) = delete;
  EntrySource& operator=(const EntrySource&) = delete;
  ~EntrySource() override;
  Result<std::size_t> read(std::span<char> into) override;

 private:
  Result<std::size_t> inflate_some(std::span<char> into);
  Result<std::size_t> copy_some(std::span<char> into);
  Result<void> refill();
  Result<void> check_end() const;
  std::uint64_t unread_bytes() const;
  tl::unexpected<Error> refuse(std::string_view what) const;

  const std::string& archive_;
  const Place& place_;
  Budget& budget_;
  std::uint64_t& seen_;
  FileRange packed_;
  std::unique_ptr<char[]> block_;
  std::unique_ptr<inflate_state> stream_;  // null: stored as it is
  std::uint64_t delivered_ = 0;
  std::uint64_t consumed_ = 0;
  std::uint32_t checksum_ = 0;
  bool ended_ = false;
};

}  // namespace lade::zip
