#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "xlsx/byte_window.h"
#include "xlsx/decoded_source.h"

namespace lade::xlsx {

// The XML of a workbook's part, token by token, in the memory of its longest tag. Checks that elements nest; refuses
// document types and entities of one's own, so that nothing outside the part is ever looked at. UTF-8 or UTF-16.
class XmlReader {
 public:
  enum class Token : std::uint8_t { start, end, text, finish };

  struct Options {
    std::size_t block_bytes = 32 * 1024;
    std::size_t max_tag_bytes = 1024 * 1024;
  };

  // `part` is for messages. The source outlives the reader.
  XmlReader(ByteSource& source, std::string part, Options options);
  XmlReader(ByteSource& source, std::string part) : XmlReader(source, std::move(part), Options{}) {}

  // An empty element gives start and end. A text may come in several pieces. Refuses with workbook_damaged and
  // workbook_dtd, naming part and place.
  Result<Token> next();

  // Of the start or end that was given last; without and with its prefix.
  std::string_view name() const { return name_.substr(prefix_bytes_); }
  std::string_view prefix() const { return name_.substr(0, prefix_bytes_); }
  // Of the start that was given last, by its whole name; empty when it has none. Valid until the next call.
  std::string_view attribute(std::string_view name);
  // The first one with a prefix and this local name: r:id, whatever r is called.
  std::string_view prefixed_attribute(std::string_view local_name);
  // The piece given last; valid until the next call.
  std::string_view text() const { return text_; }
  // Open elements, that of a given start included and that of a given end not.
  std::size_t depth() const { return open_.size(); }

  // Reads on until the element whose start was given last is closed.
  Result<void> skip_element();

  // For a scanner that reads whole elements past the tokenizer: only between tokens, see at_markup().
  ByteWindow& window() { return window_; }
  bool at_markup() const { return !pending_end_ && !in_cdata_; }
  std::size_t max_tag_bytes() const { return options_.max_tag_bytes; }

  // "xl/worksheets/sheet1.xml, byte 1234"
  std::string place() const;
  Error damaged(std::string_view what) const;

 private:
  struct Attribute {
    std::string_view name;
    std::string_view value;  // as written
  };

  Result<Token> read_markup();
  Result<Token> read_start(std::string_view tag);
  Result<Token> read_end(std::string_view tag);
  Result<Token> read_text();
  Result<Token> read_cdata();
  Result<bool> skip_other();
  Result<void> read_declaration();
  Result<void> skip_until(std::string_view end);
  Result<std::string_view> whole_tag();
  Result<bool> want(std::size_t bytes);
  Result<void> read_attributes(std::string_view text);
  Result<void> decode(std::string_view raw, std::string& to) const;
  Result<std::size_t> decode_reference(std::string_view raw, std::string& to) const;
  std::string_view decoded_value(std::string_view raw);
  void set_name(std::string_view name);
  void close_element();

  DecodedSource decoded_;
  std::string part_;
  const Options options_;
  ByteWindow window_;
  std::string open_names_;           // of all open elements, one behind another
  std::vector<std::uint32_t> open_;  // where each begins there
  std::string_view name_;
  std::size_t prefix_bytes_ = 0;
  std::string_view text_;
  std::vector<Attribute> attributes_;
  std::string decoded_text_;
  std::string decoded_attribute_;
  bool started_ = false;
  bool had_root_ = false;
  bool pending_end_ = false;
  bool in_cdata_ = false;
};

}  // namespace lade::xlsx
