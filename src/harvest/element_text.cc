#include "harvest/element_text.h"

#include <libxml/tree.h>

#include <algorithm>
#include <string_view>

namespace lade::harvest {
namespace {

constexpr std::string_view kBlocks[] = {
    "address",    "article", "aside",  "blockquote", "dd",    "div", "dl", "dt", "fieldset",
    "figcaption", "figure",  "footer", "form",       "h1",    "h2",  "h3", "h4", "h5",
    "h6",         "header",  "hr",     "li",         "main",  "nav", "ol", "p",  "pre",
    "section",    "table",   "tbody",  "tfoot",      "thead", "tr",  "ul"};
constexpr std::string_view kHidden[] = {"noscript", "script", "style", "template"};

std::string_view name_of(const xmlNode& node) {
  return node.name == nullptr ? std::string_view() : reinterpret_cast<const char*>(node.name);
}

template <class Names>
bool is_one_of(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

class Reader {
 public:
  Reader(const xmlNode& root, std::size_t most_bytes) : root_(root), most_bytes_(most_bytes) {}

  std::string read() {
    const xmlNode* node = &root_;
    while (node != nullptr && text_.size() <= most_bytes_) {
      const bool goes_in = enter(*node);
      node = goes_in ? node->children : after(node);
    }
    while (!text_.empty() && (text_.back() == ' ' || text_.back() == '\n') && preserved_ == 0) text_.pop_back();
    return std::move(text_);
  }

 private:
  // Whether its children are read.
  bool enter(const xmlNode& node) {
    if (node.type == XML_TEXT_NODE || node.type == XML_CDATA_SECTION_NODE) {
      if (node.content != nullptr) add(reinterpret_cast<const char*>(node.content));
      return false;
    }
    if (node.type != XML_ELEMENT_NODE && &node != &root_) return false;
    const std::string_view name = name_of(node);
    if (&node != &root_ && is_one_of(kHidden, name)) return false;
    if (name == "br") new_line();
    if (name == "td" || name == "th") space();
    if (is_one_of(kBlocks, name)) end_line();
    if (node.children == nullptr) return false;
    if (name == "pre" || name == "textarea") ++preserved_;
    return true;
  }

  // The node that follows when this one and its children are read.
  const xmlNode* after(const xmlNode* node) {
    while (node != &root_) {
      if (node->next != nullptr) return node->next;
      node = node->parent;
      leave(*node);
    }
    return nullptr;
  }

  void leave(const xmlNode& node) {
    const std::string_view name = name_of(node);
    if (name == "pre" || name == "textarea") --preserved_;
    if (is_one_of(kBlocks, name)) end_line();
  }

  void add(std::string_view text) {
    if (preserved_ > 0) {
      text_ += text;
      return;
    }
    for (const char letter : text) {
      const bool is_blank = letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r' || letter == '\f';
      if (is_blank)
        space();
      else
        text_ += letter;
    }
  }

  void space() {
    if (!text_.empty() && text_.back() != ' ' && text_.back() != '\n') text_ += ' ';
  }
  void new_line() {
    if (!text_.empty() && text_.back() == ' ') text_.pop_back();
    text_ += '\n';
  }
  void end_line() {
    if (!text_.empty() && text_.back() == ' ' && preserved_ == 0) text_.pop_back();
    if (!text_.empty() && text_.back() != '\n') text_ += '\n';
  }

  const xmlNode& root_;
  const std::size_t most_bytes_;
  std::string text_;
  int preserved_ = 0;
};

}  // namespace

std::string element_text(const _xmlNode& element, std::size_t most_bytes) {
  return Reader(element, most_bytes).read();
}

}  // namespace lade::harvest
