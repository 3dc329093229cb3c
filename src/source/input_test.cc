// Files as they come: plain, compressed, through a pipe; with and without a header; damaged.
#include "source/input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "testing/input_of.h"
#include "testing/results.h"
#include "testing/zip_bytes.h"

namespace lade::source {
namespace {

class InputTest : public ::testing::Test {
 protected:
  std::string write(const std::string& name, std::string_view bytes) const { return inputs.write(name, bytes); }
  Result<Input> open(std::string_view bytes, std::uint64_t max_bytes = 1 << 30) const {
    return inputs.open(bytes, {}, max_bytes);
  }
  Result<Layout> layout(std::string_view bytes, const Overrides& overrides = {}) const {
    LADE_ASSIGN(const Input input, inputs.open(bytes, overrides));
    return recognise(input, overrides);
  }

  testing::InputFolder inputs;
  const std::filesystem::path& folder = inputs.path();
};

using testing::content;

std::string gzip(std::string_view text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string lines(std::size_t count) {
  std::string text = "a,b\n";
  for (std::size_t i = 0; i < count; ++i) text += fmt::format("{},{}\n", i, i * 7919);
  return text;
}

TEST_F(InputTest, AFileIsReadWhereItLies) {
  const auto input = open("a,b\n1,2\n");
  ASSERT_OK(input);
  EXPECT_FALSE(input->spooled);
  EXPECT_EQ(input->bytes, 8u);
  EXPECT_EQ(content(*input), "a,b\n1,2\n");
}

TEST_F(InputTest, GzipIsKnownByItsContent) {
  const std::string text = lines(60'000);
  for (const std::string& compressed :
       {gzip(text), gzip(text.substr(0, 1000)) + gzip(text.substr(1000)), gzip("") + gzip(text) + gzip("")}) {
    const auto input = open(compressed);
    ASSERT_OK(input);
    EXPECT_TRUE(input->spooled);
    EXPECT_EQ(input->bytes, text.size());
    EXPECT_TRUE(content(*input) == text);
  }
}

// A member that ends exactly where a block of the reader does, and just beside it.
TEST_F(InputTest, MembersEndAnywhere) {
  constexpr std::size_t kBlockBytes = 256 * 1024;
  std::string noise;
  for (std::uint32_t i = 1; noise.size() < kBlockBytes; i = i * 1664525 + 1013904223)
    noise += static_cast<char>(i >> 24);
  // Noise cannot be compressed: a member is longer than its content by a constant.
  const std::size_t overhead = gzip(std::string_view(noise).substr(0, kBlockBytes - 100)).size() - (kBlockBytes - 100);
  for (const int beside : {-2, -1, 0, 1, 2}) {
    const std::string content_of_first =
        noise.substr(0, kBlockBytes - overhead + static_cast<std::size_t>(beside + 2) - 2);
    const std::string first = gzip(content_of_first);
    ASSERT_EQ(static_cast<std::ptrdiff_t>(first.size()), static_cast<std::ptrdiff_t>(kBlockBytes) + beside);
    const auto input = inputs.open(first + gzip("tail"), {.encoding = "utf-8"});
    ASSERT_OK(input);
    EXPECT_TRUE(content(*input) == content_of_first + "tail");
  }
}

TEST_F(InputTest, DamagedGzipIsRefused) {
  const std::string good = gzip(lines(5000));
  std::string flipped = good;
  flipped[good.size() / 2] = static_cast<char>(flipped[good.size() / 2] ^ 0x55);
  std::string checksum = good;
  checksum[good.size() - 6] = static_cast<char>(checksum[good.size() - 6] ^ 1);
  for (const std::string& bad : {good.substr(0, good.size() - 1), good.substr(0, good.size() / 2), good.substr(0, 5),
                                 flipped, checksum, good + good.substr(0, 20)}) {
    const auto input = open(bad);
    EXPECT_FAILS(input, "gzip_damaged");
    if (!input) {
      EXPECT_NE(input.error().message.find("input"), std::string::npos) << "the message names the file";
    }
  }
}

std::string zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

TEST_F(InputTest, ZstdIsKnownByItsContent) {
  const std::string text = lines(60'000);
  for (const std::string& compressed : {zstd(text), zstd(text.substr(0, 1000)) + zstd(text.substr(1000))}) {
    const auto input = open(compressed);
    ASSERT_OK(input);
    EXPECT_EQ(input->origin.compression, "zstd");
    EXPECT_TRUE(content(*input) == text);
  }
  const std::string good = zstd(text);
  EXPECT_FAILS(open(good.substr(0, good.size() - 1)), "zstd_damaged");
  EXPECT_FAILS(open(good.substr(0, good.size() / 2) + std::string(100, 'x')), "zstd_damaged");
  EXPECT_FAILS(open(zstd(std::string(20'000'000, '0')), 1'000'000), "file_too_large");
}

TEST_F(InputTest, AZipArchiveOfOneFileIsUnpacked) {
  using testing::zip_bytes;
  const std::string text = lines(20'000);
  const auto input = open(zip_bytes({{"data/", ""}, {"data/a.csv", text}, {"__MACOSX/data/._a.csv", "x"}}));
  ASSERT_OK(input);
  EXPECT_EQ(input->origin.compression, "zip");
  EXPECT_TRUE(content(*input) == text);
  const auto several = open(zip_bytes({{"a.csv", "a"}, {"b.csv", "b"}}));
  ASSERT_FAILS(several, "zip_not_single");
  EXPECT_NE(several.error().message.find("a.csv, b.csv"), std::string::npos) << several.error().message;
  EXPECT_FAILS(open(zip_bytes({{"data/", ""}})), "zip_not_single");
  EXPECT_FAILS(open(zip_bytes({{"a.csv", std::string(2'000'000, 'x')}})), "zip_bomb");
  EXPECT_FAILS(open(zip_bytes({{"a.csv", text}}), 1000), "file_too_large");
  EXPECT_FAILS(open(zip_bytes({{"a.zip", zip_bytes({{"a.csv", text}})}})), "nested_compression");
}

TEST_F(InputTest, CompressedTwiceIsRefused) {
  EXPECT_FAILS(open(gzip(gzip(lines(10)))), "nested_compression");
  EXPECT_FAILS(open(zstd(gzip(lines(10)))), "nested_compression");
}

TEST_F(InputTest, ABombEndsAtTheLimit) {
  const std::string bomb = gzip(std::string(20'000'000, '0'));
  ASSERT_LT(bomb.size(), 50'000u);
  EXPECT_FAILS(open(bomb, 1'000'000), "file_too_large");
  EXPECT_FAILS(open(std::string(1001, 'x'), 1000), "file_too_large");
  EXPECT_OK(open(std::string(1000, 'x'), 1000));
  EXPECT_OK(open(gzip(std::string(1000, 'x')), 1000));
}

TEST_F(InputTest, APipeIsCopiedAside) {
  for (const bool compressed : {false, true}) {
    const std::string text = lines(50'000), path = (folder / "pipe").string();
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    std::jthread writer([&] { std::ofstream(path, std::ios::binary) << (compressed ? gzip(text) : text); });
    const auto input = open_input(path, folder, 1 << 30);
    writer.join();
    ASSERT_OK(input);
    EXPECT_TRUE(input->spooled);
    EXPECT_TRUE(content(*input) == text);
    std::filesystem::remove(path);
  }
}

TEST_F(InputTest, WhatCannotBeOpenedIsNamed) {
  for (const std::string& path : {(folder / "missing.csv").string(), folder.string()}) {
    const auto input = open_input(path, folder, 1 << 30);
    ASSERT_FALSE(input);
    EXPECT_NE(input.error().message.find(path), std::string::npos) << input.error().message;
  }
}

TEST_F(InputTest, TheHeaderIsTheFirstRecordUnlessSaidOtherwise) {
  struct Case {
    const char* text;
    Overrides overrides;
    std::vector<std::string> header;
    std::string first_data;  // from data_offset on
    std::int64_t line;
  };
  const Case cases[] = {
      {"a,b\n1,2\n", {}, {"a", "b"}, "1,2\n", 2},
      {"\xEF\xBB\xBF\"a\",b\r\n1,2\r\n", {}, {"a", "b"}, "1,2\r\n", 2},
      {"\"two\nlines\",b\n1,2\n", {}, {"two\nlines", "b"}, "1,2\n", 3},
      {"a,b\n", {}, {"a", "b"}, "", 2},
      {"a,b", {}, {"a", "b"}, "", 1},
      {"title\n\na,b\n1,2\n", {.header_row = 3}, {"a", "b"}, "1,2\n", 4},
      {"title,\"x\ny\"\na,b\n1,2\n", {.header_row = 3}, {"a", "b"}, "1,2\n", 4},
      {"1,2\n3,4\n", {.header_row = 0}, {"column_1", "column_2"}, "1,2\n3,4\n", 1},
      {"1,2\n3,4\n", {.header_row = 0, .header = {"x"}}, {"x", "column_2"}, "1,2\n3,4\n", 1},
      {"a;b\n1;2\n", {.delimiter = ';'}, {"a", "b"}, "1;2\n", 2},
      {"a,b\n'1,2\n", {.no_quote = true}, {"a", "b"}, "'1,2\n", 2},
  };
  for (const Case& example : cases) {
    SCOPED_TRACE(example.text);
    const auto found = layout(example.text, example.overrides);
    ASSERT_OK(found);
    EXPECT_EQ(found->header, example.header);
    const std::string text = example.text;
    EXPECT_EQ(text.substr(std::min<std::size_t>(found->data_offset, text.size())), example.first_data);
    if (!example.first_data.empty()) {
      EXPECT_EQ(found->data_line, example.line);
    }
  }
}

TEST_F(InputTest, FilesWithoutRecordsAreRefused) {
  for (const char* text : {"", "\n\n\n", "\xEF\xBB\xBF", "\r\n"}) EXPECT_FAILS(layout(text), "file_empty");
  EXPECT_FAILS(layout("a,b\n1,2\n", {.header_row = 9}), "header_not_found");
}

TEST_F(InputTest, LimitsHold) {
  std::string wide = "c";
  for (int i = 0; i < 5000; ++i) wide += ",c";
  EXPECT_FAILS(layout(wide + "\n"), "too_many_columns");
  EXPECT_FAILS(layout("\"" + std::string(3'000'000, 'x'), {.max_record_bytes = 1 << 20}), "record_too_long");
}

}  // namespace
}  // namespace lade::source
