#include "source/compression.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <vector>

#include "base/assert.h"
#include "zip/archive.h"

namespace lade::source {
namespace {

constexpr std::size_t kBlockBytes = 256 * 1024;
constexpr std::string_view kGetAgain = "get the file again, and compare its size with the original";

// Compressed bytes, a block at a time.
class Block {
 public:
  explicit Block(ByteSource& from) : from_(from) {}

  // False at the end of the source.
  Result<bool> refill() {
    LADE_ASSIGN(const std::size_t count, from_.read(bytes_));
    rest_ = {bytes_.data(), count};
    return count > 0;
  }
  std::string_view rest() const { return rest_; }
  void consume(std::size_t count) { rest_.remove_prefix(count); }

 private:
  ByteSource& from_;
  std::vector<char> bytes_ = std::vector<char>(kBlockBytes);
  std::string_view rest_;
};

class GzipSource final : public ByteSource {
 public:
  GzipSource(ByteSource& from, std::string name) : block_(from), name_(std::move(name)) {
    LADE_ASSERT(inflateInit2(&zlib_, MAX_WBITS + 16) == Z_OK);
  }
  ~GzipSource() override { inflateEnd(&zlib_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  Result<std::size_t> read(std::span<char> into) override {
    for (;;) {
      if (block_.rest().empty() && !pending_) {
        LADE_ASSIGN(const bool more, block_.refill());
        if (!more) return at_end();
      }
      if (member_ended_ && !block_.rest().empty()) {  // a further member follows
        inflateReset(&zlib_);
        member_ended_ = false;
      }
      LADE_ASSIGN(const std::size_t count, inflate_into(into));
      if (count > 0) return count;
    }
  }

 private:
  Result<std::size_t> at_end() const {
    if (!member_ended_) return damaged("the compressed file ends too early");
    return 0;
  }

  Result<std::size_t> inflate_into(std::span<char> into) {
    const std::string_view rest = block_.rest();
    zlib_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));
    zlib_.avail_in = static_cast<uInt>(rest.size());
    zlib_.next_out = reinterpret_cast<Bytef*>(into.data());
    zlib_.avail_out = static_cast<uInt>(into.size());
    const int status = ::inflate(&zlib_, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
      return damaged(zlib_.msg == nullptr ? "damaged" : zlib_.msg);
    block_.consume(rest.size() - zlib_.avail_in);
    member_ended_ = status == Z_STREAM_END;
    pending_ = !member_ended_ && zlib_.avail_out == 0;
    return into.size() - zlib_.avail_out;
  }

  tl::unexpected<Error> damaged(std::string_view what) const {
    return fail("gzip_damaged", fmt::format("{}: {}", name_, what), std::string(kGetAgain), ErrorKind::invalid);
  }

  Block block_;
  std::string name_;
  z_stream zlib_{};
  bool member_ended_ = false;
  bool pending_ = false;  // zlib holds more than fitted
};

class ZstdSource final : public ByteSource {
 public:
  ZstdSource(ByteSource& from, std::string name)
      : block_(from), name_(std::move(name)), context_(ZSTD_createDCtx(), ZSTD_freeDCtx) {
    LADE_ASSERT(context_ != nullptr);
  }

  Result<std::size_t> read(std::span<char> into) override {
    for (;;) {
      if (block_.rest().empty() && !pending_) {
        LADE_ASSIGN(const bool more, block_.refill());
        if (!more) return at_end();
      }
      const std::string_view rest = block_.rest();
      ZSTD_inBuffer in{rest.data(), rest.size(), 0};
      ZSTD_outBuffer out{into.data(), into.size(), 0};
      const std::size_t status = ZSTD_decompressStream(context_.get(), &out, &in);
      if (ZSTD_isError(status) != 0) return damaged(ZSTD_getErrorName(status));
      block_.consume(in.pos);
      frame_ended_ = status == 0;
      pending_ = !frame_ended_ && out.pos == out.size;
      if (out.pos > 0) return out.pos;
    }
  }

 private:
  Result<std::size_t> at_end() const {
    if (!frame_ended_) return damaged("the compressed file ends too early");
    return 0;
  }

  tl::unexpected<Error> damaged(std::string_view what) const {
    return fail("zstd_damaged", fmt::format("{}: {}", name_, what), std::string(kGetAgain), ErrorKind::invalid);
  }

  Block block_;
  std::string name_;
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context_;
  bool frame_ended_ = false;
  bool pending_ = false;
};

}  // namespace

std::string_view name_of(Compression compression) {
  switch (compression) {
    case Compression::none: return "";
    case Compression::gzip: return "gzip";
    case Compression::zstd: return "zstd";
    case Compression::zip: return "zip";
  }
  return "";
}

Compression compression_of(std::string_view beginning) {
  if (beginning.starts_with("\x1f\x8b")) return Compression::gzip;
  if (beginning.starts_with("\x28\xb5\x2f\xfd")) return Compression::zstd;
  if (zip::looks_like_zip(beginning)) return Compression::zip;
  return Compression::none;
}

std::unique_ptr<ByteSource> inflate(Compression compression, ByteSource& from, std::string name) {
  if (compression == Compression::gzip) return std::make_unique<GzipSource>(from, std::move(name));
  LADE_ASSERT(compression == Compression::zstd);
  return std::make_unique<ZstdSource>(from, std::move(name));
}

}  // namespace lade::source
