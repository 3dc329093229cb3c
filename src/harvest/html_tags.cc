#include "harvest/html_tags.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace lade::harvest {
namespace {

constexpr std::size_t kLongestName = 64;

bool is_letter(char letter) {
  return std::isalpha(static_cast<unsigned char>(letter)) != 0;
}
bool is_blank(char letter) {
  return letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r' || letter == '\f';
}
bool is_name_letter(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '-' || letter == '_' || letter == ':' ||
         letter == '.';
}

class TagWriter {
 public:
  TagWriter(std::string_view html, const HtmlLimits& limits) : html_(html), limits_(limits) {
    plain_.reserve(html.size() + html.size() / 8);
  }

  Result<std::string> run() {
    while (at_ < html_.size()) {
      text();
      if (at_ >= html_.size()) break;
      if (next_is("<!--")) {
        skip_past("-->", 4);
      } else if (next_is("<!") || next_is("<?") || (next_is("</") && !is_letter(letter_at(2)))) {
        skip_past(">", 2);
      } else if (next_is("</")) {
        end_tag();
      } else if (is_letter(letter_at(1))) {
        LADE_TRY(start_tag());
      } else {
        plain_ += "&lt;";
        ++at_;
      }
    }
    return std::move(plain_);
  }

 private:
  char letter_at(std::size_t offset) const { return at_ + offset < html_.size() ? html_[at_ + offset] : '\0'; }
  bool next_is(std::string_view text) const { return html_.substr(at_, text.size()) == text; }

  // Up to the next '<'. NUL ends a text for libxml2.
  void text() {
    const std::size_t end = std::min(html_.find('<', at_), html_.size());
    append(html_.substr(at_, end - at_));
    at_ = end;
  }

  void append(std::string_view text) {
    for (std::size_t nul; (nul = text.find('\0')) != std::string_view::npos; text.remove_prefix(nul + 1)) {
      plain_ += text.substr(0, nul);
      plain_ += "\xEF\xBF\xBD";
    }
    plain_ += text;
  }

  void skip_past(std::string_view end, std::size_t from) {
    const std::size_t found = html_.find(end, at_ + from);
    at_ = found == std::string_view::npos ? html_.size() : found + end.size();
  }

  void skip_blanks() {
    while (at_ < html_.size() && (is_blank(html_[at_]) || html_[at_] == '/')) ++at_;
  }

  std::string name() {
    std::string result;
    for (; at_ < html_.size() && is_name_letter(html_[at_]); ++at_)
      if (result.size() < kLongestName)
        result += static_cast<char>(std::tolower(static_cast<unsigned char>(html_[at_])));
    return result;
  }

  void end_tag() {
    at_ += 2;
    const std::string tag = name();
    skip_past(">", 0);
    plain_ += "</" + tag + ">";
  }

  Result<void> start_tag() {
    if (++elements_ > limits_.elements)
      return fail("page_too_complex", fmt::format("the page has more than {} elements", limits_.elements), "",
                  ErrorKind::invalid);
    ++at_;
    const std::string tag = name();
    plain_ += "<" + tag;
    attributes();
    plain_ += ">";
    if (tag == "script" || tag == "style") return raw_text(tag, false);
    for (const char* escaped : {"textarea", "title", "xmp", "iframe", "noembed", "noframes"})
      if (tag == escaped) return raw_text(tag, true);
    return {};
  }

  void attributes() {
    for (std::size_t count = 0;;) {
      skip_blanks();
      if (at_ >= html_.size()) return;
      if (html_[at_] == '>') {
        ++at_;
        return;
      }
      const std::size_t begin = at_;
      const bool is_name = is_letter(html_[at_]) || html_[at_] == '_' || html_[at_] == ':';
      const std::string attribute = name();
      if (at_ == begin) ++at_;
      // What is no letter of a name belongs to an attribute that nobody can name.
      const std::size_t odd = at_;
      while (at_ < html_.size() && !is_blank(html_[at_]) &&
             std::string_view("/>=").find(html_[at_]) == std::string_view::npos)
        ++at_;
      const bool is_kept = is_name && odd == at_ && count < limits_.attributes;
      const std::string_view value = attribute_value();
      if (!is_kept) continue;
      ++count;
      plain_ += " " + attribute + "=\"";
      append_value(value);
      plain_ += '"';
    }
  }

  std::string_view attribute_value() {
    std::size_t after = at_;
    while (after < html_.size() && is_blank(html_[after])) ++after;
    if (after >= html_.size() || html_[after] != '=') return {};
    at_ = after + 1;
    while (at_ < html_.size() && is_blank(html_[at_])) ++at_;
    if (at_ >= html_.size()) return {};
    const char quote = html_[at_];
    const std::size_t begin = quote == '"' || quote == '\'' ? at_ + 1 : at_;
    std::size_t end = begin;
    if (begin > at_) {
      end = std::min(html_.find(quote, begin), html_.size());
      at_ = std::min(end + 1, html_.size());
    } else {
      while (end < html_.size() && !is_blank(html_[end]) && html_[end] != '>') ++end;
      at_ = end;
    }
    return html_.substr(begin, end - begin);
  }

  void append_value(std::string_view value) {
    for (std::size_t found; (found = value.find_first_of("\"<>")) != std::string_view::npos;
         value.remove_prefix(found + 1)) {
      append(value.substr(0, found));
      plain_ += value[found] == '"' ? "&quot;" : value[found] == '<' ? "&lt;" : "&gt;";
    }
    append(value);
  }

  // Up to the element's own end tag, in which no other tags stand.
  Result<void> raw_text(const std::string& tag, bool is_escaped) {
    std::size_t end = at_;
    for (;; ++end) {
      end = std::min(html_.find("</", end), html_.size());
      if (end == html_.size() || is_end_of(tag, end)) break;
    }
    std::string_view content = html_.substr(at_, end - at_);
    at_ = end;
    if (is_escaped) {
      for (std::size_t found; (found = content.find('<')) != std::string_view::npos; content.remove_prefix(found + 1)) {
        append(content.substr(0, found));
        plain_ += "&lt;";
      }
    }
    append(content);
    if (end == html_.size()) plain_ += "</" + tag + ">";
    return {};
  }

  bool is_end_of(const std::string& tag, std::size_t at) const {
    const std::string_view found = html_.substr(at + 2, tag.size());
    if (found.size() < tag.size()) return false;
    for (std::size_t letter = 0; letter < tag.size(); ++letter)
      if (std::tolower(static_cast<unsigned char>(found[letter])) != tag[letter]) return false;
    const std::size_t after = at + 2 + tag.size();
    return after >= html_.size() || !is_name_letter(html_[after]);
  }

  const std::string_view html_;
  const HtmlLimits& limits_;
  std::size_t at_ = 0;
  std::size_t elements_ = 0;
  std::string plain_;
};

}  // namespace

Result<std::string> plain_tags(std::string_view html, const HtmlLimits& limits) {
  if (html.size() > limits.page_bytes)
    return fail("page_too_complex",
                fmt::format("the page has {} bytes; at most {} are taken apart", html.size(), limits.page_bytes), "",
                ErrorKind::invalid);
  return TagWriter(html, limits).run();
}

}  // namespace lade::harvest
