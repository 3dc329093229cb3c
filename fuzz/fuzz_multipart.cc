// Any text as a form: it must say the same, or be refused with the same words, whatever pieces it comes in. The first
// byte chooses the size of the pieces.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "http/multipart.h"

namespace {

class Collector final : public lade::http::MultipartReader::Consumer {
 public:
  lade::Result<void> begin(const lade::http::Part& part) override {
    LADE_ASSERT(!open_);
    open_ = true;
    seen.append("[").append(part.name).append("|").append(part.file_name.value_or("-")).append("|");
    seen.append(part.content_type).append("|");
    return {};
  }
  lade::Result<void> data(std::string_view piece) override {
    LADE_ASSERT(open_ && !piece.empty());
    seen.append(piece);
    return {};
  }
  lade::Result<void> end() override {
    LADE_ASSERT(open_);
    open_ = false;
    seen.append("]");
    return {};
  }
  std::string seen;

 private:
  bool open_ = false;
};

// What it says up to its end or its fault.
std::string read(std::string_view body, std::size_t piece_bytes) {
  Collector collector;
  lade::http::MultipartReader reader("B", collector);
  lade::Result<void> read;
  for (std::size_t at = 0; read && at < body.size(); at += piece_bytes)
    read = reader.feed(body.substr(at, piece_bytes));
  if (read) read = reader.finish();
  return collector.seen + (read ? "" : read.error().message);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view body(reinterpret_cast<const char*>(data) + 1, size - 1);
  LADE_ASSERT(read(body, 1 + data[0]) == read(body, size));
  LADE_ASSERT(read(body, 1) == read(body, size));
  // The whole text is a content type, too.
  const auto boundary = lade::http::boundary_of(body);
  LADE_ASSERT(!boundary || (!boundary->empty() && boundary->size() <= 70));
  return 0;
}
