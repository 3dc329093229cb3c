#include "source/input.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>

#include "source/compression.h"
#include "source/decoder.h"
#include "source/encoding.h"
#include "source/original.h"
#include "source/sheet_input.h"
#include "source/sniff_content.h"
#include "source/spool.h"
#include "zip/archive.h"

namespace lade::source {
namespace {

constexpr std::size_t kBlockBytes = 256 * 1024;
// Enough for every signature; that of tar stands behind its first entry's name.
constexpr std::size_t kBeginningBytes = 4096;
constexpr std::string_view kOldWorkbook = "\xD0\xCF\x11\xE0";

// Replaces the input's file by the spool; the file as it came stays open.
void use(Spool spool, Input& input) {
  if (!input.original.is_open()) input.original = std::move(input.file);
  input.bytes = spool.bytes();
  input.file = std::move(spool).take();
  input.spooled = true;
}

Result<std::string> beginning_of(const Input& input) {
  std::string beginning(std::min<std::uint64_t>(kBeginningBytes, input.bytes), '\0');
  LADE_ASSIGN(const std::size_t count, input.file.read_at(0, beginning));
  beginning.resize(count);
  return beginning;
}

// Inflates gzip and zstd aside.
Result<void> inflate_aside(Input& input, const Spooling& spooling) {
  LADE_ASSIGN(const std::string beginning, beginning_of(input));
  const Compression compression = compression_of(beginning);
  if (compression == Compression::none || compression == Compression::zip) return {};
  FileRange packed(input.file, 0, input.bytes);
  LADE_ASSIGN(Spool spool, Spool::create(spooling));
  LADE_TRY(spool.copy(*inflate(compression, packed, input.name)));
  input.origin.compression = name_of(compression);
  use(std::move(spool), input);
  return {};
}

// Folders and what macOS adds are not what somebody wanted to send.
bool counts(const zip::Entry& entry) {
  return !entry.folder && !entry.name.starts_with("__MACOSX/") && !entry.name.ends_with(".DS_Store");
}

// Names in archives may hold anything.
std::string printable(std::string name) {
  const bool text = simdjson::validate_utf8(name.data(), name.size());
  for (char& byte : name) {
    const auto value = static_cast<unsigned char>(byte);
    if (value < 0x20 || value == 0x7F || (value >= 0x80 && !text)) byte = '?';
  }
  return name;
}

Error several_files(const std::string& name, const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 5;
  std::string shown;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i)
    shown += fmt::format("{}{}", i > 0 ? ", " : "", printable(names[i]));
  if (names.size() > kShown) shown += fmt::format(" and {} more", names.size() - kShown);
  return {"zip_not_single",
          names.empty() ? fmt::format("{}: the zip archive has no file in it", name)
                        : fmt::format("{}: the zip archive has {} files: {}", name, names.size(), shown),
          "send an archive with one file in it, or each file alone", ErrorKind::invalid};
}

Result<std::size_t> only_file(const zip::Archive& archive, const std::string& name) {
  std::vector<std::string> names;
  std::size_t found = 0;
  for (std::size_t at = 0; at < archive.entries().size(); ++at) {
    if (!counts(archive.entries()[at])) continue;
    found = at;
    names.push_back(archive.entries()[at].name);
  }
  if (names.size() != 1) return fail(several_files(name, names));
  return found;
}

Result<void> unpack(const zip::Archive& archive, const Spooling& spooling, Input& input) {
  LADE_ASSIGN(const std::size_t entry, only_file(archive, input.name));
  LADE_ASSIGN(const std::unique_ptr<ByteSource> from, archive.read(entry));
  LADE_ASSIGN(Spool spool, Spool::create(spooling));
  LADE_TRY(spool.copy(*from));
  input.origin.compression = name_of(Compression::zip);
  input.origin.evidence.push_back(
      fmt::format("compression: zip, the file inside is {}", printable(archive.entries()[entry].name)));
  use(std::move(spool), input);
  return {};
}

// Office documents and their kin, whatever they hold: the reader of workbooks tells them apart.
bool is_office_document(const zip::Archive& archive) {
  return archive.find("[Content_Types].xml") >= 0 || archive.find("xl/workbook.xml") >= 0 ||
         archive.find("mimetype") >= 0;
}

Result<void> refuse_nested(std::string_view beginning, const Input& input) {
  const Compression inner = compression_of(beginning);
  if (inner == Compression::none) return {};
  return fail("nested_compression",
              fmt::format("{}: the file inside is compressed again, with {}", input.name, name_of(inner)),
              "unpack it once and send what is inside", ErrorKind::invalid);
}

// Unpacks a zip archive of one file, reads a workbook; leaves everything else as it is.
Result<void> open_archive(Input& input, const Overrides& overrides, const Spooling& spooling) {
  LADE_ASSIGN(const std::string beginning, beginning_of(input));
  if (!input.origin.compression.empty()) return refuse_nested(beginning, input);
  const bool old_workbook = beginning.starts_with(kOldWorkbook);
  if (!zip::looks_like_zip(beginning) && overrides.format != "xlsx" && !old_workbook) return {};
  zip::Limits limits;
  limits.max_bytes = spooling.max_bytes;
  if (overrides.format == "xlsx" || old_workbook) return read_sheet(overrides, spooling, input);
  LADE_ASSIGN(const zip::Archive archive, zip::Archive::open(input.file, input.name, limits));
  if (is_office_document(archive)) return read_sheet(overrides, spooling, input);
  LADE_TRY(unpack(archive, spooling, input));
  LADE_ASSIGN(const std::string inner, beginning_of(input));
  return refuse_nested(inner, input);
}

Result<void> decode_aside(Input& input, const EncodingFinding& encoding, const Spooling& spooling) {
  LADE_ASSIGN(const std::unique_ptr<Decoder> decoder, Decoder::open(encoding.name, encoding.bom_bytes));
  LADE_ASSIGN(Spool spool, Spool::create(spooling));
  FileRange from(input.file, encoding.bom_bytes, input.bytes);
  std::vector<char> block(kBlockBytes);
  std::string text;
  for (bool last = false; !last;) {
    LADE_ASSIGN(const std::size_t count, from.read(block));
    last = count == 0;
    text.clear();
    decoder->decode({block.data(), count}, last, text);
    LADE_TRY(spool.write(text));
  }
  input.origin.bad_bytes = decoder->bad_bytes();
  input.origin.bad_offsets = decoder->bad_offsets();
  use(std::move(spool), input);
  return {};
}

// Finds the encoding unless it is given; refuses what is no text.
Result<EncodingFinding> encoding_of(const Input& input, const Overrides& overrides, const std::stop_token& stop) {
  LADE_ASSIGN(const std::string beginning, beginning_of(input));
  LADE_TRY(check_content(beginning));
  LADE_ASSIGN(EncodingFinding encoding, overrides.encoding.empty()
                                            ? find_encoding(input.file, input.bytes, stop)
                                            : given_encoding(input.file, input.bytes, overrides.encoding));
  // Wide text and text that shifts is full of control bytes.
  if (!encoding.name.starts_with("utf-") && !encoding.name.starts_with("iso-2022")) LADE_TRY(check_text(beginning));
  return encoding;
}

// Decodes what is no UTF-8.
Result<void> as_utf8(Input& input, const Overrides& overrides, const Spooling& spooling) {
  auto encoding = encoding_of(input, overrides, spooling.stop);
  if (!encoding) return fail(std::move(encoding.error()).within(input.name));
  input.origin.encoding = encoding->name;
  input.origin.bom = encoding->bom_bytes > 0;
  input.origin.bad_bytes = encoding->bad_bytes;
  input.origin.bad_offsets = encoding->bad_offsets;
  input.origin.evidence.push_back(encoding->evidence);
  if (encoding->name == "utf-8" || encoding->name == "us-ascii") return {};
  return decode_aside(input, *encoding, spooling);
}

}  // namespace

Result<Input> open_input(const std::string& path, const std::filesystem::path& spool_folder, std::uint64_t max_bytes,
                         const Overrides& overrides, const std::stop_token& stop) {
  LADE_ASSIGN(Original original, open_original(path, spool_folder, max_bytes, stop));
  LADE_ASSIGN(Input input, as_input(std::move(original.file), original.name, spool_folder, max_bytes, overrides, stop));
  input.spooled |= original.collected;
  return input;
}

Result<Input> as_input(File file, const std::string& name, const std::filesystem::path& spool_folder,
                       std::uint64_t max_bytes, const Overrides& overrides, const std::stop_token& stop) {
  const Spooling spooling{name, spool_folder, max_bytes, stop};
  Input input{name, std::move(file)};
  LADE_ASSIGN(input.bytes, input.file.size());
  if (input.bytes > max_bytes) return fail(spooling.too_large());
  LADE_TRY(inflate_aside(input, spooling));
  LADE_TRY(open_archive(input, overrides, spooling));
  if (!input.sheet_rows) LADE_TRY(as_utf8(input, overrides, spooling));
  return input;
}

}  // namespace lade::source
