#include "xlsx/xml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

#include "xlsx/utf8.h"

namespace lade::xlsx {
namespace {

constexpr std::string_view kCommentBegin = "<!--";
constexpr std::string_view kCdataBegin = "<![CDATA[";
constexpr std::string_view kCdataEnd = "]]>";
constexpr std::size_t kDeepest = 256;
constexpr std::size_t kLongestReference = 12;  // &#x0010FFFF;
constexpr std::size_t kLongestDeclaration = 1024;

bool is_space(char character) {
  return character == ' ' || character == '\n' || character == '\t' || character == '\r';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool equal_ignoring_case(std::string_view text, std::string_view lower) {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; });
}

// UTF-16 that says so was converted before; text that says it but can be read is UTF-8 (.NET writes such).
bool known_encoding(std::string_view name) {
  return equal_ignoring_case(name, "utf-8") || equal_ignoring_case(name, "utf8") ||
         equal_ignoring_case(name, "us-ascii") || equal_ignoring_case(name, "utf-16");
}

}  // namespace

XmlReader::XmlReader(ByteSource& source, std::string part, Options options)
    : decoded_(source), part_(std::move(part)), options_(options), window_(decoded_, options.block_bytes) {}

std::string XmlReader::place() const {
  return fmt::format("{}, byte {}", part_, window_.offset());
}

Error XmlReader::damaged(std::string_view what) const {
  return {"workbook_damaged", fmt::format("{}: {}", place(), what),
          "open it in a spreadsheet program and save it again, or export the sheet as CSV", ErrorKind::invalid};
}

// Reads on until so many bytes are in sight; false when the part ends before.
Result<bool> XmlReader::want(std::size_t bytes) {
  while (window_.size() < bytes) {
    if (window_.full(options_.max_tag_bytes)) return false;
    LADE_ASSIGN(const bool more, window_.read_on(options_.max_tag_bytes));
    if (!more) return window_.size() >= bytes;
  }
  return true;
}

Result<XmlReader::Token> XmlReader::next() {
  if (pending_end_) {
    pending_end_ = false;
    close_element();
    return Token::end;
  }
  if (!started_) {
    started_ = true;
    LADE_ASSIGN(const bool any, want(1));
    if (!any) return fail(damaged("the part is empty"));
    if (*window_.begin() != '<' && !is_space(*window_.begin())) {
      return fail(damaged("the part is no XML in UTF-8 or UTF-16"));
    }
  }
  for (;;) {
    if (in_cdata_) return read_cdata();
    LADE_ASSIGN(const bool any, want(1));
    if (!any) {
      if (!open_.empty())
        return fail(damaged(fmt::format("the part ends within <{}>", open_names_.substr(open_.back()))));
      if (!had_root_) return fail(damaged("the part has no element"));
      return Token::finish;
    }
    if (*window_.begin() != '<') return read_text();
    LADE_ASSIGN(const bool skipped, skip_other());
    if (!skipped) return read_markup();
  }
}

// Comments, processing instructions, the beginning of CDATA: what gives no token of its own.
Result<bool> XmlReader::skip_other() {
  LADE_TRY(want(2));
  if (window_.size() < 2 || (window_.begin()[1] != '!' && window_.begin()[1] != '?')) return false;
  if (window_.begin()[1] == '?') {
    LADE_TRY(read_declaration());
    LADE_TRY(skip_until("?>"));
    return true;
  }
  LADE_TRY(want(kCdataBegin.size()));
  if (window_.unread().starts_with(kCommentBegin)) {
    window_.consume(kCommentBegin.size());
    LADE_TRY(skip_until("-->"));
    return true;
  }
  if (window_.unread().starts_with(kCdataBegin) && !open_.empty()) {
    window_.consume(kCdataBegin.size());
    in_cdata_ = true;
    return true;
  }
  return fail("workbook_dtd", fmt::format("{}: the part declares a document type or entities", place()),
              "no spreadsheet program writes such a file; get it again from its source", ErrorKind::invalid);
}

// The encoding that the first line claims.
Result<void> XmlReader::read_declaration() {
  if (window_.offset() != 0) return {};
  LADE_TRY(want(6));
  if (!window_.unread().starts_with("<?xml") || !is_space(window_.begin()[5])) return {};
  std::size_t end = window_.unread().find("?>");
  while (end == std::string_view::npos && window_.size() < kLongestDeclaration) {
    LADE_ASSIGN(const bool more, want(window_.size() + 1));
    if (!more) return {};
    end = window_.unread().find("?>");
  }
  const std::string_view declaration = window_.unread().substr(0, end);
  const std::size_t key = declaration.find("encoding");
  if (key == std::string_view::npos) return {};
  std::string_view value = trimmed(declaration.substr(key + 8));
  if (!value.starts_with('=')) return {};
  value = trimmed(value.substr(1));
  if (value.empty()) return {};
  const std::string_view name = value.substr(1, value.find(value.front(), 1) - 1);
  if (known_encoding(name)) return {};
  return fail(damaged(
      fmt::format("the part is encoded in {:?}; UTF-8 and UTF-16 are what a workbook may have", name.substr(0, 40))));
}

// Consumes up to and including `end`, however far it is.
Result<void> XmlReader::skip_until(std::string_view end) {
  for (;;) {
    const std::size_t at = window_.unread().find(end);
    if (at != std::string_view::npos) {
      window_.consume(at + end.size());
      return {};
    }
    if (window_.size() >= end.size()) window_.consume(window_.size() - end.size() + 1);
    LADE_ASSIGN(const bool more, want(window_.size() + 1));
    if (!more) return fail(damaged(fmt::format("the part ends before \"{}\"", end)));
  }
}

// The tag at the beginning of the window, from < to >.
Result<std::string_view> XmlReader::whole_tag() {
  std::size_t at = 1;
  char quote = 0;
  for (;;) {
    const std::string_view unread = window_.unread();
    for (; at < unread.size(); ++at) {
      const char character = unread[at];
      if (quote != 0) {
        if (character == quote) quote = 0;
      } else if (character == '>') {
        return unread.substr(0, at + 1);
      } else if (character == '"' || character == '\'') {
        quote = character;
      } else if (character == '<') {
        return fail(damaged("a tag begins within another one"));
      }
    }
    if (window_.full(options_.max_tag_bytes)) {
      return fail(damaged(fmt::format("a tag is longer than {} bytes", options_.max_tag_bytes)));
    }
    LADE_ASSIGN(const bool more, want(unread.size() + 1));
    if (!more) return fail(damaged("the part ends within a tag"));
  }
}

void XmlReader::set_name(std::string_view name) {
  name_ = name;
  const std::size_t colon = name.find(':');
  prefix_bytes_ = colon == std::string_view::npos ? 0 : colon + 1;
}

Result<XmlReader::Token> XmlReader::read_markup() {
  LADE_ASSIGN(const std::string_view tag, whole_tag());
  window_.consume(tag.size());
  return tag[1] == '/' ? read_end(tag) : read_start(tag);
}

Result<XmlReader::Token> XmlReader::read_start(std::string_view tag) {
  std::string_view inner = tag.substr(1, tag.size() - 2);
  pending_end_ = inner.ends_with('/');
  if (pending_end_) inner.remove_suffix(1);
  const auto name_end = std::find_if(inner.begin(), inner.end(), is_space);
  const std::string_view name(inner.begin(), name_end);
  if (name.empty()) return fail(damaged("a tag has no name"));
  if (open_.empty() && had_root_) return fail(damaged("the part goes on behind its end"));
  if (open_.size() == kDeepest) return fail(damaged(fmt::format("more than {} elements are open", kDeepest)));
  had_root_ = true;
  LADE_TRY(read_attributes(inner.substr(name.size())));
  set_name(name);
  open_.push_back(static_cast<std::uint32_t>(open_names_.size()));
  open_names_ += name;
  return Token::start;
}

Result<XmlReader::Token> XmlReader::read_end(std::string_view tag) {
  const std::string_view name = trimmed(tag.substr(2, tag.size() - 3));
  if (open_.empty() || std::string_view(open_names_).substr(open_.back()) != name) {
    return fail(damaged(fmt::format("</{}> closes no element", name.substr(0, 40))));
  }
  close_element();
  set_name(name);
  return Token::end;
}

void XmlReader::close_element() {
  open_names_.resize(open_.back());
  open_.pop_back();
}

Result<void> XmlReader::read_attributes(std::string_view text) {
  attributes_.clear();
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) return fail(damaged("an attribute has no value"));
    const std::string_view name = trimmed(text.substr(0, equals));
    text = trimmed(text.substr(equals + 1));
    if (name.empty() || text.empty() || (text[0] != '"' && text[0] != '\'')) {
      return fail(damaged("an attribute has no value in quotes"));
    }
    const std::size_t end = text.find(text[0], 1);
    if (end == std::string_view::npos) return fail(damaged("the value of an attribute does not end"));
    attributes_.push_back({name, text.substr(1, end - 1)});
    text.remove_prefix(end + 1);
  }
  return {};
}

std::string_view XmlReader::decoded_value(std::string_view raw) {
  if (raw.find('&') == std::string_view::npos) return raw;
  decoded_attribute_.clear();
  // A reference that means nothing is left as it is: it matters only where somebody asks for the value.
  if (!decode(raw, decoded_attribute_)) return raw;
  return decoded_attribute_;
}

std::string_view XmlReader::attribute(std::string_view name) {
  for (const Attribute& attribute : attributes_) {
    if (attribute.name == name) return decoded_value(attribute.value);
  }
  return {};
}

std::string_view XmlReader::prefixed_attribute(std::string_view local_name) {
  for (const Attribute& attribute : attributes_) {
    if (attribute.name.size() > local_name.size() + 1 && attribute.name.ends_with(local_name) &&
        attribute.name[attribute.name.size() - local_name.size() - 1] == ':') {
      return decoded_value(attribute.value);
    }
  }
  return {};
}

Result<XmlReader::Token> XmlReader::read_text() {
  for (;;) {
    const std::string_view unread = window_.unread();
    std::string_view piece = unread.substr(0, unread.find('<'));
    if (piece.size() == unread.size() && !window_.last()) {
      // What may go on behind the window is left for the next piece.
      const std::size_t reference = piece.rfind('&');
      if (reference != std::string_view::npos && piece.size() - reference < kLongestReference &&
          piece.find(';', reference) == std::string_view::npos) {
        piece = piece.substr(0, reference);
      }
      if (piece.ends_with('\r')) piece.remove_suffix(1);
      if (piece.empty()) {
        LADE_TRY(want(unread.size() + 1));
        continue;
      }
    }
    const char* const begin = piece.data();
    if (piece.find_first_of("&\r") == std::string_view::npos) {
      text_ = piece;
    } else {
      decoded_text_.clear();
      LADE_TRY(decode(piece, decoded_text_));
      text_ = decoded_text_;
    }
    window_.consume_to(begin + piece.size());
    return Token::text;
  }
}

Result<XmlReader::Token> XmlReader::read_cdata() {
  for (;;) {
    const std::string_view unread = window_.unread();
    const std::size_t end = unread.find(kCdataEnd);
    if (end != std::string_view::npos) {
      in_cdata_ = false;
      window_.consume(end + kCdataEnd.size());
      text_ = unread.substr(0, end);
      return Token::text;
    }
    if (unread.size() > kCdataEnd.size()) {
      text_ = unread.substr(0, unread.size() - kCdataEnd.size() + 1);
      window_.consume(text_.size());
      return Token::text;
    }
    LADE_ASSIGN(const bool more, want(unread.size() + 1));
    if (!more) return fail(damaged("the part ends within CDATA"));
  }
}

// Resolves references; line ends become one LF, as XML wants it.
Result<void> XmlReader::decode(std::string_view raw, std::string& to) const {
  std::size_t at = 0;
  while (at < raw.size()) {
    const std::size_t special = raw.find_first_of("&\r", at);
    to += raw.substr(at, special - at);
    if (special == std::string_view::npos) return {};
    at = special;
    if (raw[at] == '\r') {
      to += '\n';
      at += raw.substr(at).starts_with("\r\n") ? 2 : 1;
    } else {
      LADE_ASSIGN(const std::size_t bytes, decode_reference(raw.substr(at), to));
      at += bytes;
    }
  }
  return {};
}

// The reference at the beginning of `raw`; gives the bytes that it takes there.
Result<std::size_t> XmlReader::decode_reference(std::string_view raw, std::string& to) const {
  static constexpr std::pair<std::string_view, char> kNamed[] = {
      {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
  for (const auto& [reference, character] : kNamed) {
    if (!raw.starts_with(reference)) continue;
    to += character;
    return reference.size();
  }
  const std::string_view reference = raw.substr(0, std::min(raw.find(';'), kLongestReference));
  if (reference.starts_with("&#") && reference.size() < raw.size()) {
    const bool hexadecimal = reference.size() > 2 && (reference[2] == 'x' || reference[2] == 'X');
    const char* const begin = reference.data() + (hexadecimal ? 3 : 2);
    const char* const end = reference.data() + reference.size();
    std::uint32_t code = 0;
    const auto [parsed, error] = std::from_chars(begin, end, code, hexadecimal ? 16 : 10);
    if (error == std::errc() && parsed == end && raw[reference.size()] == ';') {
      append_utf8(to, code);
      return reference.size() + 1;
    }
  }
  return fail(damaged(fmt::format("{:?} means no character", reference)));
}

Result<void> XmlReader::skip_element() {
  const std::size_t inside = depth();
  while (depth() >= inside) LADE_TRY(next());
  return {};
}

}  // namespace lade::xlsx
