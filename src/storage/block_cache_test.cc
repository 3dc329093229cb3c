// Blocks of files that lie elsewhere: fetched once, bounded, shared by threads.
#include "storage/block_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "testing/results.h"
#include "testing/temporary_folder.h"

namespace lade::storage {
namespace {

constexpr std::uint64_t kBlock = BlockCache::kBlockBytes;

class BlockCacheTest : public ::testing::Test {
 protected:
  std::unique_ptr<BlockCache> make(std::size_t blocks) {
    auto made = BlockCache::create(folder.path(), blocks * kBlock);
    EXPECT_OK(made);
    return std::move(*made);
  }
  // Every byte is its block's number.
  BlockCache::Fetch fetch() {
    return [this](std::uint64_t offset, std::uint64_t bytes) -> Result<std::string> {
      ++fetched;
      if (broken) return lade::fail("storage_unreachable", "gone");
      return std::string(bytes, static_cast<char>('a' + offset / kBlock));
    };
  }
  char byte_at(BlockCache& cache, std::uint64_t block, const std::string& id = "file") {
    char byte = 0;
    EXPECT_EQ(cache.read(id, 10 * kBlock, block * kBlock, {&byte, 1}, fetch()).value(), 1u);
    return byte;
  }

  testing::TemporaryFolder folder;
  std::atomic<int> fetched = 0;
  std::atomic<bool> broken = false;
};

TEST_F(BlockCacheTest, FetchesABlockOnce) {
  const auto cache = make(3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(byte_at(*cache, 0), 'a');
    EXPECT_EQ(byte_at(*cache, 7), 'h');
    EXPECT_EQ(byte_at(*cache, 7, "other"), 'h');
  }
  EXPECT_EQ(fetched, 3);
}

TEST_F(BlockCacheTest, TheLeastUsedBlockMakesRoom) {
  const auto cache = make(2);
  byte_at(*cache, 0);
  byte_at(*cache, 1);
  byte_at(*cache, 0);
  byte_at(*cache, 2);  // in place of 1
  EXPECT_EQ(fetched, 3);
  EXPECT_EQ(byte_at(*cache, 0), 'a');
  EXPECT_EQ(fetched, 3);
  EXPECT_EQ(byte_at(*cache, 1), 'b');
  EXPECT_EQ(fetched, 4);
}

TEST_F(BlockCacheTest, ReadsOverTheEdgesOfBlocksAndToTheEnd) {
  const auto cache = make(1);
  std::string piece(2 * kBlock, '\0');
  EXPECT_EQ(cache->read("file", 10 * kBlock, kBlock - 1, piece, fetch()).value(), piece.size());
  EXPECT_EQ(piece.front(), 'a');
  EXPECT_EQ(piece[1], 'b');
  EXPECT_EQ(piece.back(), 'c');
  EXPECT_EQ(cache->read("file", kBlock + 5, kBlock, piece, fetch()).value(), 5u);
  EXPECT_EQ(cache->read("file", kBlock + 5, kBlock + 5, piece, fetch()).value(), 0u);
  EXPECT_EQ(cache->read("file", kBlock + 5, 3 * kBlock, piece, fetch()).value(), 0u);
  EXPECT_EQ(cache->read("file", 0, 0, piece, fetch()).value(), 0u);
}

TEST_F(BlockCacheTest, WhatCouldNotBeFetchedIsFetchedNextTime) {
  const auto cache = make(1);
  char byte = 0;
  broken = true;
  EXPECT_FAILS(cache->read("file", kBlock, 0, {&byte, 1}, fetch()), "storage_unreachable");
  broken = false;
  EXPECT_EQ(byte_at(*cache, 0), 'a');
}

TEST_F(BlockCacheTest, MoreThreadsThanBlocksGetAlong) {
  const auto cache = make(2);
  std::vector<std::jthread> threads;
  for (unsigned thread = 0; thread < 8; ++thread)
    threads.emplace_back([&, thread] {
      for (unsigned i = 0; i < 60; ++i) {
        const std::uint64_t block = (thread + i) % 5;
        EXPECT_EQ(byte_at(*cache, block), static_cast<char>('a' + block));
      }
    });
}

TEST_F(BlockCacheTest, LeavesNothingInItsFolder) {
  const auto cache = make(2);
  byte_at(*cache, 0);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace lade::storage
