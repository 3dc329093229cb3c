#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace lade::storage {

// Blocks of files that lie elsewhere, kept on this machine's disk so that what is read twice is fetched once. Bounded:
// the block that was not used for longest makes room. It is one file without a name, which vanishes with the process.
// Thread-safe; threads that want the same block wait for whoever fetches it.
class BlockCache {
 public:
  static constexpr std::uint64_t kBlockBytes = 4 * 1024 * 1024;

  // In `folder`, of at least one block.
  static Result<std::unique_ptr<BlockCache>> create(const std::filesystem::path& folder, std::uint64_t bytes);

  // Gets this part of a file: all of it, or an error.
  using Fetch = std::function<Result<std::string>(std::uint64_t offset, std::uint64_t bytes)>;
  // Up to into.size() bytes from `offset` of the file `id`, which has `size` bytes; less only at its end.
  Result<std::size_t> read(const std::string& id, std::uint64_t size, std::uint64_t offset, std::span<char> into,
                           const Fetch& fetch);

 private:
  enum class State { empty, fetching, filled };
  struct Slot {
    State state = State::empty;
    std::string id;
    std::uint64_t block = 0;
    int readers = 0;
    std::uint64_t used = 0;  // when, by clock_
  };

  BlockCache(File file, std::size_t slots) : file_(std::move(file)), slots_(slots) {}
  Result<Slot*> filled(const std::string& id, std::uint64_t size, std::uint64_t block, const Fetch& fetch);
  Slot* find(const std::string& id, std::uint64_t block);
  Slot* least_used();
  Result<void> fill(Slot& slot, std::uint64_t size, const Fetch& fetch);
  std::uint64_t place_of(const Slot& slot) const {
    return static_cast<std::uint64_t>(&slot - slots_.data()) * kBlockBytes;
  }

  File file_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Slot> slots_;  // guarded by mutex_; never grows
  std::uint64_t clock_ = 0;  // guarded by mutex_
};

}  // namespace lade::storage
