#include <array>
#include <cstdint>

#include "analysis/cast.h"

namespace lade::analysis {
namespace {

constexpr std::size_t kMostLevels = 1024;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// Walks one JSON text without recursion: the open objects and arrays are bits of a fixed stack.
class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : rest_(text) {}

  bool read() {
    bool value_expected = true;
    while (true) {
      skip_space();
      if (value_expected) {
        if (!read_value(value_expected)) return false;
        continue;
      }
      if (levels_ == 0) return rest_.empty();
      if (take(in_object() ? '}' : ']')) {
        --levels_;
        continue;
      }
      if (!take(',')) return false;
      if (in_object() && !read_name()) return false;
      value_expected = true;
    }
  }

 private:
  void skip_space() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n' || rest_[0] == '\r' || rest_[0] == '\t'))
      rest_.remove_prefix(1);
  }

  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool take_word(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  bool in_object() const { return (objects_[(levels_ - 1) / 64] >> ((levels_ - 1) % 64) & 1) != 0; }

  bool open(bool object) {
    if (levels_ == kMostLevels) return false;
    const std::uint64_t bit = std::uint64_t{1} << (levels_ % 64);
    std::uint64_t& word = objects_[levels_ / 64];
    word = object ? word | bit : word & ~bit;
    ++levels_;
    return true;
  }

  // After it `value_expected` says whether a container was opened whose first value follows.
  bool read_value(bool& value_expected) {
    value_expected = false;
    if (rest_.empty()) return false;
    switch (rest_.front()) {
      case '"': return read_string();
      case 't': return take_word("true");
      case 'f': return take_word("false");
      case 'n': return take_word("null");
      case '{':
      case '[': return open_container(value_expected);
      default: return read_number();
    }
  }

  bool open_container(bool& value_expected) {
    const bool object = rest_.front() == '{';
    rest_.remove_prefix(1);
    if (!open(object)) return false;
    skip_space();
    if (!rest_.empty() && rest_.front() == (object ? '}' : ']')) return true;
    value_expected = true;
    return !object || read_name();
  }

  bool read_name() {
    skip_space();
    if (!read_string()) return false;
    skip_space();
    return take(':');
  }

  bool read_string() {
    if (!take('"')) return false;
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') return true;
      if (static_cast<unsigned char>(c) < 0x20) return false;
      if (c == '\\' && !read_escape()) return false;
    }
    return false;
  }

  bool read_escape() {
    constexpr std::string_view kEscapes = "\"\\/bfnrt";
    if (rest_.empty()) return false;
    const char c = rest_.front();
    rest_.remove_prefix(1);
    if (c != 'u') return kEscapes.find(c) != std::string_view::npos;
    for (int at = 0; at < 4; ++at) {
      if (rest_.empty() || !is_hex(rest_.front())) return false;
      rest_.remove_prefix(1);
    }
    return true;
  }

  bool read_run() {
    std::size_t count = 0;
    while (count < rest_.size() && is_digit(rest_[count])) ++count;
    rest_.remove_prefix(count);
    return count > 0;
  }

  bool read_number() {
    take('-');
    if (!take('0') && !read_run()) return false;
    if (take('.') && !read_run()) return false;
    if (!take('e') && !take('E')) return true;
    if (!take('-')) take('+');
    return read_run();
  }

  std::string_view rest_;
  std::size_t levels_ = 0;
  std::array<std::uint64_t, kMostLevels / 64> objects_{};
};

}  // namespace

CastFault json(std::string_view text) {
  if (JsonReader(text).read()) return {};
  return {"not_json"};
}

}  // namespace lade::analysis
