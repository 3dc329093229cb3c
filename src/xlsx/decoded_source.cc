#include "xlsx/decoded_source.h"

#include <algorithm>
#include <string_view>

#include "xlsx/utf8.h"

namespace lade::xlsx {
namespace {

constexpr std::size_t kBlockBytes = 16 * 1024;
constexpr std::size_t kHeadBytes = 4;
constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";

}  // namespace

Result<void> DecodedSource::recognise() {
  char head[kHeadBytes];
  std::size_t count = 0;
  while (count < kHeadBytes) {
    LADE_ASSIGN(const std::size_t got, source_.read({head + count, kHeadBytes - count}));
    if (got == 0) break;
    count += got;
  }
  std::string_view beginning(head, count);
  using namespace std::string_view_literals;
  if (beginning.starts_with("\xFF\xFE"sv) || beginning.starts_with("<\0"sv)) {
    encoding_ = Encoding::utf16_little;
  } else if (beginning.starts_with("\xFE\xFF"sv) || beginning.starts_with("\0<"sv)) {
    encoding_ = Encoding::utf16_big;
  } else {
    encoding_ = Encoding::utf8;
    if (beginning.starts_with(kUtf8Mark)) beginning.remove_prefix(kUtf8Mark.size());
    waiting_ = beginning;
    return {};
  }
  if (beginning[0] != '<' && beginning[1] != '<') beginning.remove_prefix(2);
  raw_ = beginning;
  return {};
}

void DecodedSource::append_unit(char16_t unit) {
  if (high_ != 0) {
    const char16_t high = high_;
    high_ = 0;
    if (is_low_surrogate(unit)) return append_utf8(waiting_, from_surrogates(high, unit));
    append_utf8(waiting_, kReplacement);
  }
  if (is_high_surrogate(unit)) {
    high_ = unit;
  } else {
    append_utf8(waiting_, unit);
  }
}

// Converts the next block of UTF-16; false at the end.
Result<bool> DecodedSource::convert_more() {
  waiting_.clear();
  waiting_at_ = 0;
  const std::size_t kept = raw_.size();
  raw_.resize(std::max(kBlockBytes, kept));
  std::size_t count = 0;
  if (kept < 2) {
    LADE_ASSIGN(count, source_.read({raw_.data() + kept, raw_.size() - kept}));
    if (count == 0) {
      // Half a character at the end of the part.
      if (kept > 0 || high_ != 0) append_utf8(waiting_, kReplacement);
      raw_.clear();
      high_ = 0;
      return !waiting_.empty();
    }
  }
  raw_.resize(kept + count);
  const std::size_t big = encoding_ == Encoding::utf16_big ? 0 : 1;
  for (std::size_t at = 0; at + 1 < raw_.size(); at += 2) {
    append_unit(static_cast<char16_t>(static_cast<unsigned char>(raw_[at + big]) << 8 |
                                      static_cast<unsigned char>(raw_[at + 1 - big])));
  }
  raw_.erase(0, raw_.size() / 2 * 2);
  return true;
}

std::size_t DecodedSource::deliver(std::span<char> into) {
  const std::size_t count = waiting_.copy(into.data(), into.size(), waiting_at_);
  waiting_at_ += count;
  return count;
}

Result<std::size_t> DecodedSource::read(std::span<char> into) {
  if (into.empty()) return 0;
  if (encoding_ == Encoding::unknown) LADE_TRY(recognise());
  for (;;) {
    if (waiting_at_ < waiting_.size()) return deliver(into);
    if (encoding_ == Encoding::utf8) return source_.read(into);
    LADE_ASSIGN(const bool more, convert_more());
    if (!more) return 0;
  }
}

}  // namespace lade::xlsx
