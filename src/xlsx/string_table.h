#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace lade::xlsx {

// The shared strings of a workbook: written once in order, then read by index. Blocks of 256 strings stay in memory up
// to a budget; beyond it all of them go to a nameless file, and a few are kept by the clock algorithm.
class StringTable {
 public:
  StringTable(std::filesystem::path spill_folder, std::size_t memory_bytes)
      : spill_folder_(std::move(spill_folder)), memory_bytes_(memory_bytes) {}

  Result<void> append(std::string_view text);
  // After the last one.
  Result<void> finish() { return seal(); }

  std::size_t size() const { return size_; }
  bool spilled() const { return file_.is_open(); }
  // `index` is below size(). The text is valid until the next call.
  Result<std::string_view> at(std::size_t index) {
    if (!spilled()) return resident(index);
    LADE_ASSIGN(const char* bytes, cached(index / kBlockStrings));
    return text_in(bytes, index % kBlockStrings);
  }
  // The same of a table that is not spilled; valid as long as the table.
  std::string_view resident(std::size_t index) const {
    return text_in(blocks_[index / kBlockStrings].get(), index % kBlockStrings);
  }

 private:
  static constexpr std::size_t kBlockStrings = 256;
  static constexpr std::uint32_t kNoSlot = 0xFFFF'FFFF;

  // A block: the ends of its kBlockStrings texts, counted from their beginning, and the texts.
  using Block = std::unique_ptr<char[]>;
  static std::string_view text_in(const char* block, std::size_t slot) {
    const auto end_of = [&](std::size_t which) {
      std::uint32_t end;
      std::memcpy(&end, block + which * sizeof end, sizeof end);
      return end;
    };
    const std::uint32_t begin = slot == 0 ? 0 : end_of(slot - 1);
    return {block + kBlockStrings * sizeof(std::uint32_t) + begin, end_of(slot) - begin};
  }

  struct Place {
    std::uint64_t offset = 0;
    std::uint32_t bytes = 0;
    std::uint32_t slot = kNoSlot;  // of the cache
  };
  struct Slot {
    std::size_t block = 0;
    Block bytes;
    bool used = false;
  };

  Result<void> seal();
  Result<void> spill();
  Result<void> write(std::string_view block);
  Result<const char*> cached(std::size_t block);
  std::size_t free_slot(std::size_t bytes);

  std::filesystem::path spill_folder_;
  std::size_t memory_bytes_;
  std::size_t size_ = 0;
  std::string building_;
  std::vector<std::uint32_t> ends_;
  std::vector<Block> blocks_;
  std::size_t resident_bytes_ = 0;

  File file_;
  std::uint64_t file_bytes_ = 0;
  std::vector<Place> places_;
  std::vector<Slot> slots_;
  std::size_t cached_bytes_ = 0;
  std::size_t hand_ = 0;
};

}  // namespace lade::xlsx
