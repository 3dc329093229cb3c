#include "base/sha256.h"

#include <gtest/gtest.h>

namespace lade {
namespace {

TEST(Sha256, KnownSums) {
  EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Sha256, PiecesGiveTheSumOfTheWhole) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += std::to_string(i);
  for (const std::size_t piece : {1u, 63u, 64u, 1000u}) {
    Sha256 sum;
    for (std::size_t at = 0; at < text.size(); at += piece) sum.add(std::string_view(text).substr(at, piece));
    Sha256 moved = std::move(sum);
    EXPECT_EQ(moved.finish(), sha256_of(text));
  }
}

}  // namespace
}  // namespace lade
