#include "source/encoding.h"

#include <fmt/format.h>

#include <algorithm>

#include "source/decoder.h"
#include "source/legacy_encoding.h"
#include "source/utf8_census.h"
#include "source/wide_encoding.h"

namespace lade::source {
namespace {

constexpr std::size_t kBlockBytes = 256 * 1024;
constexpr std::size_t kSampleBytes = 256 * 1024;
// Text before the first strange byte that is shown to the detector of legacy encodings, too.
constexpr std::uint64_t kContextBytes = 4096;
// So many bytes that are no UTF-8 decide, when most bytes beyond ASCII are none.
constexpr std::uint64_t kEnoughBadBytes = 4096;

Result<std::string> read_part(const File& file, std::uint64_t begin, std::uint64_t end) {
  std::string part(std::min<std::uint64_t>(kSampleBytes, end - std::min(begin, end)), '\0');
  LADE_ASSIGN(const std::size_t count, file.read_at(begin, part));
  part.resize(count);
  return part;
}

// In other encodings letters beyond ASCII form valid UTF-8 only by accident.
bool is_mostly_utf8(const Utf8Census& census) {
  return census.bad() == 0 || census.good() >= 4 * census.bad();
}

// Doubtful text that nothing but Windows-1252 would fit, as it fits any bytes, stays UTF-8: its bad bytes fail their
// rows, while the other would let in nonsense unseen.
bool stays_utf8(const Utf8Census& census, const EncodingFinding& legacy) {
  return 2 * census.good() >= census.bad() && legacy.name == "windows-1252";
}

Result<Utf8Census> take_census(const File& file, std::uint64_t bytes, const std::stop_token& stop) {
  Utf8Census census;
  std::vector<char> block(kBlockBytes);
  while (census.bytes() < bytes && (is_mostly_utf8(census) || census.bad() < kEnoughBadBytes)) {
    if (stop.stop_requested()) return fail("cancelled", "the import was cancelled", {}, ErrorKind::cancelled);
    LADE_ASSIGN(const std::size_t count, file.read_at(census.bytes(), block));
    if (count == 0) break;
    census.add({block.data(), count});
  }
  census.finish();
  return census;
}

EncodingFinding by_mark(const ByteOrderMark& mark) {
  return {std::string(mark.encoding), mark.bytes, fmt::format("encoding: {}, by its byte order mark", mark.encoding)};
}

EncodingFinding utf8(const Utf8Census& census, const ByteOrderMark& mark) {
  EncodingFinding finding{"utf-8", mark.bytes, "encoding: utf-8"};
  finding.bad_bytes = static_cast<std::int64_t>(census.bad());
  finding.bad_offsets = census.bad_offsets();
  if (census.bad() > 0) {
    finding.evidence += fmt::format(", but for {} bytes (the first at offset {}), beside {} bytes of valid characters",
                                    census.bad(), census.bad_offsets().front(), census.good());
  } else {
    finding.evidence += census.good() > 0 ? ", the whole file is valid" : ", the whole file is ASCII";
  }
  if (mark.bytes > 0) finding.evidence += ", with a byte order mark";
  return finding;
}

Result<EncodingFinding> legacy(const File& file, std::uint64_t bytes, const Utf8Census& census) {
  const std::uint64_t first_bad = census.bad_offsets().front();
  LADE_ASSIGN(const std::string sample, read_part(file, first_bad - std::min(first_bad, kContextBytes), bytes));
  const std::string name = legacy_encoding(sample);
  if (!encoding_named(name))
    return fail(
        "unsupported_encoding", fmt::format("the file looks like {}, which lade cannot decode", name),
        fmt::format("convert it, for example: iconv -f {} -t UTF-8 FILE > NEW_FILE; or name another encoding", name),
        ErrorKind::invalid);
  return EncodingFinding{
      name, 0,
      fmt::format("encoding: {}, by its letters; it is no UTF-8 (byte 0x{:02x} at offset {}{})", name,
                  static_cast<unsigned char>(sample[std::min(first_bad, kContextBytes)]), first_bad,
                  census.good() > 0
                      ? fmt::format(", {} such bytes beside {} of valid characters", census.bad(), census.good())
                      : "")};
}

}  // namespace

Result<EncodingFinding> find_encoding(const File& file, std::uint64_t bytes, const std::stop_token& stop) {
  LADE_ASSIGN(const std::string sample, read_part(file, 0, bytes));
  const ByteOrderMark mark = byte_order_mark(sample);
  if (!mark.encoding.empty() && mark.encoding != "utf-8") return by_mark(mark);
  if (const std::string_view wide = wide_encoding(sample); mark.encoding.empty() && !wide.empty())
    return EncodingFinding{std::string(wide), 0, fmt::format("encoding: {}, by where its zero bytes stand", wide)};
  LADE_ASSIGN(const Utf8Census census, take_census(file, bytes, stop));
  if (census.good() + census.bad() == 0) {
    if (const std::string name = shifting_encoding(sample); !name.empty())
      return EncodingFinding{name, 0, fmt::format("encoding: {}, by its escape sequences", name)};
  }
  if (!mark.encoding.empty() || is_mostly_utf8(census)) return utf8(census, mark);
  LADE_ASSIGN(EncodingFinding finding, legacy(file, bytes, census));
  return stays_utf8(census, finding) ? utf8(census, mark) : finding;
}

Result<EncodingFinding> given_encoding(const File& file, std::uint64_t bytes, const std::string& name) {
  LADE_ASSIGN(EncodingFinding finding,
              encoding_named(name).map([](std::string usual) { return EncodingFinding{std::move(usual)}; }));
  finding.evidence = fmt::format("encoding: {}, as given", finding.name);
  LADE_ASSIGN(const std::string sample, read_part(file, 0, std::min<std::uint64_t>(bytes, kSampleBytes)));
  const ByteOrderMark mark = byte_order_mark(sample);
  // "utf-16" leaves open which byte comes first; the file says it.
  if (mark.encoding.starts_with(finding.name)) {
    finding.name = mark.encoding;
    finding.bom_bytes = mark.bytes;
  } else if (const std::string_view wide = wide_encoding(sample); wide.starts_with(finding.name)) {
    finding.name = wide;
  }
  return finding;
}

}  // namespace lade::source
