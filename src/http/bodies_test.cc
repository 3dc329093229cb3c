// Bodies of any size: uploads piece by piece, files with ranges.
#include <atomic>
#include <cstdio>
#include <stdexcept>

#include "base/sha256.h"
#include "testing/http_server.h"
#include "testing/temporary_folder.h"

namespace lade::http {
namespace {

using testing::HttpAnswer;
using testing::HttpClient;

std::string noise(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 31 + i / 251);
  return bytes;
}

struct Sunk {
  std::atomic<int> finished = 0;
  std::atomic<int> destroyed = 0;
};

// Answers with the checksum.
class SumSink final : public BodySink {
 public:
  explicit SumSink(Sunk& sunk, std::uint64_t refused_from = ~std::uint64_t{0})
      : sunk_(sunk), refused_from_(refused_from) {}
  ~SumSink() override { ++sunk_.destroyed; }
  Result<void> write(std::string_view piece) override {
    bytes_ += piece.size();
    if (bytes_ > 5'000'000'000) throw std::runtime_error("never");
    if (bytes_ >= refused_from_) return fail("length_required", "the sink is full");
    sum_.add(piece);
    return {};
  }
  Response finish() override {
    ++sunk_.finished;
    return {.status = 201, .body = sum_.finish()};
  }

 private:
  Sunk& sunk_;
  const std::uint64_t refused_from_;
  std::uint64_t bytes_ = 0;
  Sha256 sum_;
};

class BodiesTest : public testing::HttpServerTest {
 protected:
  BodiesTest() {
    on_request = [this](Request& request) -> Reception {
      const std::uint64_t refused_from = request.path == "/full" ? 1'000'000 : ~std::uint64_t{0};
      return StreamedBody{most_bytes, std::make_unique<SumSink>(sunk, refused_from)};
    };
  }
  static std::string chunked(std::string_view body, std::size_t chunk_bytes) {
    std::string text = "PUT / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (std::size_t at = 0; at < body.size(); at += chunk_bytes) {
      const std::string_view chunk = body.substr(at, chunk_bytes);
      char size[32];
      std::snprintf(size, sizeof size, "%zx\r\n", chunk.size());
      text.append(size).append(chunk).append("\r\n");
    }
    return text + "0\r\n\r\n";
  }
  // Waits until every sink is gone, and gives how many had their whole body.
  int finished_of(int count) {
    wait_for_done(static_cast<std::size_t>(count));
    EXPECT_EQ(sunk.destroyed, count);
    return sunk.finished;
  }

  Sunk sunk;
  std::uint64_t most_bytes = 1'000'000'000;
};

TEST_F(BodiesTest, UploadsArriveWhole) {
  start();
  HttpClient one = client();
  for (const std::size_t size : {0u, 1u, 262'143u, 262'144u, 262'145u, 5'000'003u}) {
    const std::string body = noise(size);
    const HttpAnswer answer = one.ask(post("/", body));
    EXPECT_EQ(answer.status, 201);
    EXPECT_EQ(answer.body, sha256_of(body)) << size;
  }
  EXPECT_EQ(finished_of(6), 6);
}

TEST_F(BodiesTest, ChunksArriveWhole) {
  start();
  HttpClient one = client();
  const std::string body = noise(300'000);
  for (const std::size_t chunk_bytes : {1u, 7u, 4096u, 299'999u, 300'000u})
    EXPECT_EQ(one.ask(chunked(std::string_view(body).substr(0, chunk_bytes * 10'000), chunk_bytes)).body,
              sha256_of(std::string_view(body).substr(0, chunk_bytes * 10'000)))
        << chunk_bytes;
  EXPECT_EQ(one.ask(chunked("", 1)).body, sha256_of(""));
}

TEST_F(BodiesTest, HalfAnUploadLeavesNothing) {
  start();
  {
    HttpClient one = client();
    EXPECT_TRUE(one.send("PUT / HTTP/1.1\r\nHost: t\r\nContent-Length: 1000000\r\n\r\n" + noise(400'000)));
  }
  EXPECT_EQ(finished_of(1), 0);
  HttpClient two = client();
  EXPECT_TRUE(two.send("PUT / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n"));
  two.end_sending();
  EXPECT_EQ(two.answer().status, 0);
  EXPECT_EQ(finished_of(2), 0);
  EXPECT_EQ(wait_for_done(2)[1].status, 0);
}

TEST_F(BodiesTest, ASinkThatRefusesEndsTheUpload) {
  start();
  HttpClient one = client();
  EXPECT_TRUE(one.send("PUT /full HTTP/1.1\r\nHost: t\r\nContent-Length: 900000000\r\n\r\n" + noise(1'500'000)));
  const HttpAnswer answer = one.answer();
  EXPECT_EQ(answer.fields.at("x-message"), "the sink is full");
  EXPECT_EQ(answer.fields.at("connection"), "close");
  EXPECT_TRUE(one.at_end());
  EXPECT_EQ(finished_of(1), 0);
}

TEST_F(BodiesTest, ALargerUploadThanAllowedIsRefused) {
  most_bytes = 1000;
  start();
  EXPECT_EQ(ask(post("/", noise(1000))).status, 201);
  EXPECT_EQ(ask(post("/", noise(1001))).status, 413);
  EXPECT_EQ(ask(chunked(noise(1001), 500)).status, 413);
  EXPECT_EQ(finished_of(3), 1);
}

TEST_F(BodiesTest, AnUploadSaysHowMuchItIs) {
  start();
  EXPECT_EQ(ask("PUT / HTTP/1.1\r\nHost: t\r\n\r\n").body, "length_required");
}

class FilesTest : public testing::HttpServerTest {
 protected:
  FilesTest() {
    on_request = [this](Request&) {
      auto file = File::open(path);
      EXPECT_OK(file);
      Response response{.body = FileBody{std::move(*file), said_bytes}};
      response.headers.set("ETag", "\"v1\"");
      response.headers.set("Last-Modified", "Sun, 15 Nov 2026 22:00:00 GMT");
      response.headers.set("Content-Type", "text/csv");
      return response;
    };
    auto file = File::create(path);
    EXPECT_OK(file);
    EXPECT_OK(file->write(content));
  }
  HttpAnswer range(const std::string& asked, const std::string& fields = {}) const {
    return ask(get("/", "Range: " + asked + "\r\n" + fields));
  }

  testing::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "file";
  const std::string content = noise(1'000'003);
  std::uint64_t said_bytes = content.size();
};

TEST_F(FilesTest, AFileGoesOutWhole) {
  start();
  HttpClient one = client();
  for (int i = 0; i < 2; ++i) {
    const HttpAnswer answer = one.ask(get("/", "Accept-Encoding: gzip\r\n"));
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.fields.at("accept-ranges"), "bytes");
    EXPECT_EQ(answer.fields.at("content-length"), "1000003");
    EXPECT_TRUE(answer.body == content);
  }
  EXPECT_TRUE(one.send("HEAD / HTTP/1.1\r\nHost: t\r\nRange: bytes=0-1\r\n\r\n"));
  EXPECT_EQ(one.answer(true).fields.at("content-length"), "1000003");
  EXPECT_EQ(one.ask(get("/", "Range: bytes=5-6\r\n")).body, content.substr(5, 2));
}

TEST_F(FilesTest, OneRangeIsHonoured) {
  start();
  const auto expect_part = [&](const std::string& asked, std::size_t first, std::size_t count) {
    const HttpAnswer answer = range(asked);
    EXPECT_EQ(answer.status, 206) << asked;
    EXPECT_EQ(answer.fields.at("content-range"),
              "bytes " + std::to_string(first) + "-" + std::to_string(first + count - 1) + "/1000003");
    EXPECT_TRUE(answer.body == content.substr(first, count)) << asked;
  };
  expect_part("bytes=0-0", 0, 1);
  expect_part("bytes=10-999", 10, 990);
  expect_part("bytes=500000-", 500'000, 500'003);
  expect_part("bytes=-7", 999'996, 7);
  expect_part("bytes=-2000000", 0, 1'000'003);
  expect_part("bytes=1000002-99999999999999", 1'000'002, 1);
  expect_part("Bytes = 1-2 ", 1, 2);
}

TEST_F(FilesTest, WhatIsNoSingleRangeGetsTheWholeFile) {
  start();
  for (const std::string asked : {"bytes=0-1,5-6", "lines=0-1", "bytes=", "bytes=-", "bytes=5-1", "bytes=a-b",
                                  "bytes=1", "bytes=-1-2", "bytes=99999999999999999999-"})
    EXPECT_EQ(range(asked).status, 200) << asked;
}

TEST_F(FilesTest, ARangeBehindTheEndIsRefused) {
  start();
  for (const std::string asked : {"bytes=1000003-", "bytes=2000000-3000000", "bytes=-0"}) {
    const HttpAnswer answer = range(asked);
    EXPECT_EQ(answer.status, 416) << asked;
    EXPECT_EQ(answer.fields.at("content-range"), "bytes */1000003");
    EXPECT_EQ(answer.body, "");
  }
}

TEST_F(FilesTest, ARangeOfAnotherVersionGetsTheWholeFile) {
  start();
  EXPECT_EQ(range("bytes=0-1", "If-Range: \"v1\"\r\n").status, 206);
  EXPECT_EQ(range("bytes=0-1", "If-Range: \"v0\"\r\n").status, 200);
  EXPECT_EQ(range("bytes=0-1", "If-Range: W/\"v1\"\r\n").status, 200);
  EXPECT_EQ(range("bytes=0-1", "If-Range: Sun, 15 Nov 2026 22:00:00 GMT\r\n").status, 206);
  EXPECT_EQ(range("bytes=0-1", "If-Range: Sun, 15 Nov 2026 22:00:01 GMT\r\n").status, 200);
}

TEST_F(FilesTest, AFileThatIsShorterThanSaidEndsTheConnection) {
  said_bytes = content.size() + 1;
  start();
  EXPECT_TRUE(ask(get("/")).body == content);
  EXPECT_EQ(wait_for_done(1)[0].status, 0);
}

}  // namespace
}  // namespace lade::http
