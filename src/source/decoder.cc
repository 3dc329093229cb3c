#include "source/decoder.h"

#include <fmt/format.h>
#include <unicode/ucnv.h>
#include <unicode/ustring.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>

#include "base/assert.h"
#include "base/nearest.h"

namespace lade::source {
namespace {

constexpr std::size_t kOffsetsKept = 10;

using Converter = std::unique_ptr<UConverter, void (*)(UConverter*)>;

// Null when ICU does not know the name.
Converter open_converter(const std::string& name) {
  UErrorCode status = U_ZERO_ERROR;
  // ICU takes an empty name for that of the machine's own encoding.
  Converter converter(name.empty() ? nullptr : ucnv_open(name.c_str(), &status), ucnv_close);
  if (U_FAILURE(status) || converter == nullptr) return {nullptr, ucnv_close};
  // Stops at what means nothing instead of putting a substitute there.
  ucnv_setToUCallBack(converter.get(), UCNV_TO_U_CALLBACK_STOP, nullptr, nullptr, nullptr, &status);
  LADE_ASSERT(U_SUCCESS(status));
  return converter;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

// As people write it: the name for mail and web where there is one.
std::string usual_name(const char* name) {
  for (const char* standard : {"MIME", "IANA", "WINDOWS"}) {
    UErrorCode status = U_ZERO_ERROR;
    const char* found = ucnv_getStandardName(name, standard, &status);
    if (U_SUCCESS(status) && found != nullptr) return lower(found);
  }
  return lower(name);
}

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (int32_t at = 0; at < ucnv_countAvailable(); ++at) {
    const char* name = ucnv_getAvailableName(at);
    UErrorCode status = U_ZERO_ERROR;
    const uint16_t aliases = ucnv_countAliases(name, &status);
    for (uint16_t alias = 0; alias < aliases; ++alias) {
      status = U_ZERO_ERROR;
      if (const char* found = ucnv_getAlias(name, alias, &status); found != nullptr) names.push_back(lower(found));
    }
  }
  return names;
}

// The text of each byte, for encodings that have one byte a character. Empty text: the byte means nothing.
class ByteTable {
 public:
  explicit ByteTable(UConverter& converter, bool strict) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const char source = static_cast<char>(byte);
      std::array<UChar, 4> units{};
      UErrorCode status = U_ZERO_ERROR;
      const int32_t count = ucnv_toUChars(&converter, units.data(), units.size(), &source, 1, &status);
      ucnv_resetToUnicode(&converter);
      if (U_FAILURE(status) || count == 0) continue;
      // Windows code pages have no control characters beyond ASCII: ICU fills their gaps with them.
      if (strict && count == 1 && units[0] >= 0x80 && units[0] < 0xA0) continue;
      int32_t length = 0;
      u_strToUTF8(texts_[byte].data(), static_cast<int32_t>(texts_[byte].size()), &length, units.data(), count,
                  &status);
      if (U_SUCCESS(status)) lengths_[byte] = static_cast<std::uint8_t>(length);
    }
  }

  std::string_view text(char byte) const {
    const auto at = static_cast<unsigned char>(byte);
    return {texts_[at].data(), lengths_[at]};
  }

 private:
  std::array<std::array<char, 8>, 256> texts_{};
  std::array<std::uint8_t, 256> lengths_{};
};

class TableDecoder final : public Decoder {
 public:
  TableDecoder(UConverter& converter, bool strict, std::uint64_t offset) : Decoder(offset), table_(converter, strict) {}

  void decode(std::string_view bytes, bool, std::string& out) override {
    for (const char byte : bytes) {
      const std::string_view text = table_.text(byte);
      if (text.empty()) {
        bad(byte, offset_, out);
      } else {
        out.append(text);
      }
      ++offset_;
    }
  }

 private:
  ByteTable table_;
};

// UTF-16 and UTF-32: ICU loses track of where a half of a pair stood that it has read across two pieces.
class WideDecoder final : public Decoder {
 public:
  WideDecoder(std::size_t width, bool little, std::uint64_t offset) : Decoder(offset), width_(width), little_(little) {}

  void decode(std::string_view bytes, bool last, std::string& out) override {
    held_.append(bytes);
    std::size_t at = 0;
    while (held_.size() - at >= width_) {
      const UChar32 unit = unit_at(at);
      if (width_ == 4 || !U16_IS_SURROGATE(unit)) {
        append(unit, at, width_, out);
        at += width_;
      } else if (held_.size() - at >= 4 && U16_IS_LEAD(unit) && U16_IS_TRAIL(unit_at(at + 2))) {
        append(U16_GET_SUPPLEMENTARY(unit, unit_at(at + 2)), at, 4, out);
        at += 4;
      } else {
        if (U16_IS_LEAD(unit) && held_.size() - at < 4 && !last) break;
        append(unit, at, 2, out);
        at += 2;
      }
    }
    for (; last && at < held_.size(); ++at) bad(held_[at], offset_ + at, out);
    held_.erase(0, at);
    offset_ += at;
  }

 private:
  UChar32 unit_at(std::size_t at) const {
    UChar32 unit = 0;
    for (std::size_t i = 0; i < width_; ++i) {
      const auto byte = static_cast<unsigned char>(held_[at + (little_ ? width_ - 1 - i : i)]);
      unit = static_cast<UChar32>(static_cast<std::uint32_t>(unit) << 8 | byte);
    }
    return unit;
  }

  void append(UChar32 character, std::size_t at, std::size_t count, std::string& out) {
    std::array<char, 4> text{};
    std::size_t length = 0;
    UBool invalid = 0;
    U8_APPEND(text.data(), length, text.size(), character, invalid);
    if (invalid == 0) {
      out.append(text.data(), length);
    } else {
      for (std::size_t i = at; i < at + count; ++i) bad(held_[i], offset_ + i, out);
    }
  }

  const std::size_t width_;
  const bool little_;
  std::string held_;  // from offset_ on
};

class ConverterDecoder final : public Decoder {
 public:
  ConverterDecoder(Converter converter, std::uint64_t offset) : Decoder(offset), converter_(std::move(converter)) {}

  void decode(std::string_view bytes, bool last, std::string& out) override {
    const char* at = bytes.data();
    const char* const end = at + bytes.size();
    for (;;) {
      UChar* to = units_.data() + held_;
      UErrorCode status = U_ZERO_ERROR;
      const char* const before = at;
      ucnv_toUnicode(converter_.get(), &to, units_.data() + units_.size(), &at, end, nullptr, static_cast<UBool>(last),
                     &status);
      offset_ += static_cast<std::uint64_t>(at - before);
      append_units(static_cast<std::size_t>(to - units_.data()), status != U_BUFFER_OVERFLOW_ERROR && last, out);
      if (status == U_BUFFER_OVERFLOW_ERROR) continue;
      if (U_SUCCESS(status)) return;
      append_invalid(out);
    }
  }

 private:
  void append_units(std::size_t count, bool all, std::string& out) {
    // Half of a surrogate pair waits for the other.
    held_ = !all && count > 0 && U16_IS_LEAD(units_[count - 1]) ? 1 : 0;
    const std::size_t whole = count - held_;
    const std::size_t begin = out.size();
    out.resize(begin + whole * 3);
    int32_t length = 0;
    UErrorCode status = U_ZERO_ERROR;
    u_strToUTF8WithSub(out.data() + begin, static_cast<int32_t>(whole * 3), &length, units_.data(),
                       static_cast<int32_t>(whole), 0xFFFD, nullptr, &status);
    LADE_ASSERT(U_SUCCESS(status));
    out.resize(begin + static_cast<std::size_t>(length));
    if (held_ > 0) units_[0] = units_[count - 1];
  }

  void append_invalid(std::string& out) {
    std::array<char, 32> bytes{};
    auto count = static_cast<int8_t>(bytes.size());
    UErrorCode status = U_ZERO_ERROR;
    ucnv_getInvalidChars(converter_.get(), bytes.data(), &count, &status);
    // Bytes behind them that ICU has taken already and will read again.
    const int32_t taken = ucnv_toUCountPending(converter_.get(), &status);
    LADE_ASSERT(U_SUCCESS(status));
    const std::uint64_t begin = offset_ - static_cast<std::uint64_t>(taken + count);
    for (std::size_t at = 0; at < static_cast<std::size_t>(count); ++at) bad(bytes[at], begin + at, out);
  }

  Converter converter_;
  std::array<UChar, 8192> units_{};
  std::size_t held_ = 0;
};

}  // namespace

Result<std::string> encoding_named(const std::string& name) {
  if (open_converter(name) != nullptr) return usual_name(name.c_str());
  const std::vector<std::string> names = known_names();
  const std::string_view near = nearest(name, std::span<const std::string>(names));
  return fail("encoding_unknown", fmt::format("'{}' is no encoding that lade knows", name),
              near.empty() ? "name one such as utf-8, windows-1252, iso-8859-15, utf-16le, shift_jis or gb18030"
                           : fmt::format("did you mean {}?", near),
              ErrorKind::invalid);
}

Result<std::unique_ptr<Decoder>> Decoder::open(const std::string& encoding, std::uint64_t first_offset) {
  LADE_ASSIGN(const std::string name, encoding_named(encoding));
  Converter converter = open_converter(encoding);
  if (name == "utf-16le" || name == "utf-16be" || name == "utf-32le" || name == "utf-32be")
    return std::make_unique<WideDecoder>(name[4] == '1' ? 2 : 4, name.ends_with("le"), first_offset);
  const UConverterType type = ucnv_getType(converter.get());
  if (type == UCNV_SBCS || type == UCNV_LATIN_1 || type == UCNV_US_ASCII)
    return std::make_unique<TableDecoder>(*converter, name.starts_with("windows-"), first_offset);
  return std::make_unique<ConverterDecoder>(std::move(converter), first_offset);
}

void Decoder::bad(char byte, std::uint64_t offset, std::string& out) {
  const auto value = static_cast<unsigned char>(byte);
  // The first byte of a character could be completed by the next bad byte, and ASCII is text.
  const bool could_be_text = value < 0x80 || (value >= 0xC2 && value < 0xF5);
  out.push_back(could_be_text ? '\xFF' : byte);
  if (bad_offsets_.size() < kOffsetsKept) bad_offsets_.push_back(offset);
  ++bad_bytes_;
}

}  // namespace lade::source
