#include "harvest/json_syntax.h"

#include <cctype>
#include <string>

namespace lade::harvest {
namespace {

constexpr std::size_t kDeepest = 500;

class Checker {
 public:
  explicit Checker(std::string_view text) : text_(text) {}

  // Without recursion: `open_` has the brackets around the place.
  std::optional<std::size_t> run() {
    do {
      if (!value()) return at_;
      while (!open_.empty() && closes()) {
      }
      if (is_broken_) return at_;
    } while (!open_.empty());
    skip_blanks();
    if (at_ < text_.size()) return at_;
    return std::nullopt;
  }

 private:
  char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char letter) {
    if (at_ >= text_.size() || text_[at_] != letter) return false;
    ++at_;
    return true;
  }
  void skip_blanks() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }

  // A whole scalar, or all brackets up to the first one, or an empty pair.
  bool value() {
    for (;;) {
      skip_blanks();
      const char bracket = here();
      if (bracket != '{' && bracket != '[') return scalar();
      if (open_.size() >= kDeepest) return false;
      ++at_;
      skip_blanks();
      if (take(bracket == '{' ? '}' : ']')) return true;
      open_ += bracket;
      if (bracket == '{' && !key()) return false;
    }
  }

  // After a value: whether a bracket was closed. Otherwise the next value is due, or something is broken.
  bool closes() {
    skip_blanks();
    if (take(open_.back() == '{' ? '}' : ']')) {
      open_.pop_back();
      return true;
    }
    is_broken_ = !take(',');
    if (!is_broken_ && open_.back() == '{') {
      skip_blanks();
      is_broken_ = !key();
    }
    return false;
  }

  bool key() {
    if (!string()) return false;
    skip_blanks();
    return take(':');
  }

  bool scalar() {
    if (here() == '"') return string();
    for (const std::string_view word : {"true", "false", "null"})
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return true;
      }
    return number();
  }

  bool string() {
    if (!take('"')) return false;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (static_cast<unsigned char>(text_[at_]) < ' ') return false;
      if (take('\\') && !escape()) return false;
      ++at_;
    }
    return take('"');
  }

  // At the last letter of the escape afterwards.
  bool escape() {
    if (at_ >= text_.size()) return false;
    if (text_[at_] != 'u') return std::string_view("\"\\/bfnrt").find(text_[at_]) != std::string_view::npos;
    for (int digit = 0; digit < 4; ++digit)
      if (++at_ >= text_.size() || std::isxdigit(static_cast<unsigned char>(text_[at_])) == 0) return false;
    return true;
  }

  bool digits() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    return at_ > begin;
  }

  bool number() {
    take('-');
    if (!take('0') && !digits()) return false;
    if (take('.') && !digits()) return false;
    if (!take('e') && !take('E')) return true;
    if (!take('+')) take('-');
    return digits();
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  std::string open_;
  bool is_broken_ = false;
};

}  // namespace

std::optional<std::size_t> json_fault(std::string_view text) {
  return Checker(text).run();
}

}  // namespace lade::harvest
