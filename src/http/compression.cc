#include "http/compression.h"

#include <zlib.h>

#include "base/assert.h"
#include "http/text.h"

namespace lade::http {
namespace {

constexpr int kLevel = 5;
constexpr int kGzipWindow = 15 + 16;  // the largest window, with gzip's frame
constexpr int kMemory = 8;

// A weight of "0", "0.", "0.0" …
bool is_zero_weight(std::string_view parameters) {
  while (!parameters.empty()) {
    const std::string_view parameter = take_until(parameters, ';');
    if (parameter.size() > 2 && lower(parameter[0]) == 'q' && parameter[1] == '=')
      return parameter.find_first_of("123456789") == std::string_view::npos;
  }
  return false;
}

}  // namespace

bool accepts_gzip(std::string_view accept_encoding) {
  bool by_star = false;
  while (!accept_encoding.empty()) {
    std::string_view item = take_until(accept_encoding, ',');
    const std::string_view coding = take_until(item, ';');
    if (same_name(coding, "gzip")) return !is_zero_weight(item);
    if (coding == "*") by_star = !is_zero_weight(item);
  }
  return by_star;
}

bool is_compressible(std::string_view content_type) {
  std::string type;
  for (const char c : take_until(content_type, ';')) type.push_back(lower(c));
  if (type.starts_with("text/")) return true;
  for (const std::string_view part : {"json", "xml", "javascript", "svg", "yaml"})
    if (type.find(part) != std::string::npos) return true;
  return false;
}

std::string gzip(std::string_view text) {
  z_stream stream{};
  LADE_ASSERT(deflateInit2(&stream, kLevel, Z_DEFLATED, kGzipWindow, kMemory, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  LADE_ASSERT(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string gunzip(std::string_view packed) {
  z_stream stream{};
  LADE_ASSERT(inflateInit2(&stream, kGzipWindow) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string out;
  int state = Z_OK;
  while (state == Z_OK) {
    const std::size_t before = out.size();
    out.resize(before + 64 * 1024);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = static_cast<uInt>(out.size() - before);
    state = inflate(&stream, Z_NO_FLUSH);
  }
  LADE_ASSERT(state == Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

}  // namespace lade::http
