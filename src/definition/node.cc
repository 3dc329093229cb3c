#include "definition/node.h"

#include "definition/faults.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <exception>
#include <map>
#include <set>
#include <sstream>

#include "definition/utf8.h"

namespace lade::definition {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{1} << 20U;
constexpr std::size_t kMaxDepth = 32;
constexpr std::size_t kMaxNodes = 100'000;

Place place_at(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return {mark.line + 1, mark.column + 1};
}

// The place of a byte of the text.
Place place_in(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t line_begin = before.rfind('\n') + 1;  // 0 when there is none
  return {static_cast<int>(lines) + 1, static_cast<int>(before.size() - line_begin) + 1};
}

// Where yaml-cpp stopped; beyond the end of the text: behind its last character.
Place stop_place(const YAML::Mark& mark, std::string_view text) {
  if (mark.pos < 0 || static_cast<std::size_t>(mark.pos) < text.size()) return place_at(mark);
  return place_in(text, text.find_last_not_of("\r\n") + 1);
}

// Leaves the parser from inside one of its events.
struct Refusal {
  Place place;
  std::string_view code;
  std::string message;
};

// Builds the tree from yaml-cpp's events. Its own nodes would keep both of two equal keys silently and expand aliases
// without limit.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, Faults& faults) : text_(text), faults_(faults) {}

  Node take_root() && { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Node node = leaf(mark, Node::Kind::null);
    node.text = written_null(mark);
    add(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end())
      throw Refusal{place_at(mark), "definition_syntax", "an alias stands inside the value that it names"};
    count(found->second.node_count, place_at(mark));
    add(found->second, YAML::NullAnchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Node node = leaf(mark, Node::Kind::scalar);
    node.plain = tag == "?" || tag.empty();
    if (!node.plain && tag != "!") refuse_tag(node.place, tag);
    node.text = value;
    add(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Node::Kind::list);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, Node::Kind::map);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Node node;
    YAML::anchor_t anchor;
  };

  Node leaf(const YAML::Mark& mark, Node::Kind kind) {
    Node node;
    node.kind = kind;
    node.place = place_at(mark);
    count(1, node.place);
    return node;
  }

  // yaml-cpp does not tell how a null was written, or that it was not.
  std::string written_null(const YAML::Mark& mark) const {
    if (mark.pos < 0 || static_cast<std::size_t>(mark.pos) >= text_.size()) return {};
    const std::string_view rest = text_.substr(static_cast<std::size_t>(mark.pos));
    for (const std::string_view spelling : {"null", "Null", "NULL", "~"})
      if (rest.starts_with(spelling)) return std::string(spelling);
    return {};
  }

  void refuse_tag(Place place, const std::string& tag) {
    throw Refusal{place, "definition_syntax", fmt::format("the tag {} has no meaning in a definition", in_quotes(tag))};
  }

  void count(std::size_t nodes, Place place) {
    node_count_ += nodes;
    if (node_count_ > kMaxNodes)
      throw Refusal{place, "definition_too_large",
                    fmt::format("more than {} values, aliases counted as what they stand for", kMaxNodes)};
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Node::Kind kind) {
    Node node = leaf(mark, kind);
    if (!tag.empty() && tag != "?" && tag != "!") refuse_tag(node.place, tag);
    if (open_.size() == kMaxDepth)
      throw Refusal{node.place, "definition_too_large", fmt::format("nested deeper than {} levels", kMaxDepth)};
    open_.push_back({std::move(node), anchor});
  }

  void close() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    if (closed.node.is_map()) drop_repeated_keys(closed.node);
    add(std::move(closed.node), closed.anchor);
  }

  void add(Node node, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) {
      count(node.node_count, node.place);  // the copy costs as much as what it copies
      anchors_[anchor] = node;
    }
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Node& parent = open_.back().node;
    // An empty value has its mark on the next token; the key is where people look.
    const bool is_map_value = parent.is_map() && parent.items.size() % 2 == 1;
    if (node.is_null() && is_map_value) node.place = parent.items.back().place;
    parent.node_count += node.node_count;
    parent.items.push_back(std::move(node));
  }

  void drop_repeated_keys(Node& map) {
    std::map<std::string, Place> seen;
    std::vector<Node> kept;
    kept.reserve(map.items.size());
    for (std::size_t i = 0; i < map.size(); ++i) {
      Node& key = map.items[2 * i];
      // A key that looks like null or a number is still a name.
      if (key.is_null() && !key.text.empty()) key.kind = Node::Kind::scalar;
      if (!key.is_scalar()) {
        faults_.error(key.place, "definition_wrong_kind",
                      fmt::format("a key must be text, this is {}", kind_name(key)));
        continue;
      }
      const auto [first, is_new] = seen.emplace(key.text, key.place);
      if (!is_new) {
        faults_.error(
            key.place, "definition_duplicate_key",
            fmt::format("key {} is given twice; the first is on line {}", in_quotes(key.text), first->second.line));
        continue;
      }
      kept.push_back(std::move(key));
      kept.push_back(std::move(map.items[2 * i + 1]));
    }
    map.items = std::move(kept);
  }

  std::string_view text_;
  Faults& faults_;
  Node root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Node> anchors_;
  std::size_t node_count_ = 0;
};

// Not a document: only finds out whether there is another one.
bool has_another_document(YAML::Parser& parser) {
  Faults ignored;
  TreeBuilder builder({}, ignored);
  return parser.HandleNextDocument(builder);
}

std::optional<Node> parse(std::string_view text, Faults& faults) {
  // At a comment yaml-cpp notices a quote that is never closed; at a line break it does not.
  std::istringstream stream{std::string(text) + "\n#"};
  YAML::Parser parser(stream);
  TreeBuilder builder(text, faults);
  if (!parser.HandleNextDocument(builder)) {
    faults.error({1, 1}, "definition_syntax", "the definition is empty; it starts with 'lade: 1'");
    return std::nullopt;
  }
  if (has_another_document(parser))
    faults.error({}, "definition_syntax", "more than one document ('---'); a definition is one");
  return std::move(builder).take_root();
}

// Text that yaml-cpp would misread instead of refusing.
bool is_readable(std::string_view text, Faults& faults) {
  if (text.size() > kMaxBytes) {
    faults.error({}, "definition_too_large", fmt::format("{} bytes; at most {} are read", text.size(), kMaxBytes));
    return false;
  }
  if (const auto bad = find_invalid_utf8(text)) {
    faults.error(place_in(text, *bad), "definition_syntax",
                 fmt::format("byte 0x{:02x} is not UTF-8 text", static_cast<unsigned char>(text[*bad])));
    return false;
  }
  return true;
}

}  // namespace

std::optional<bool> Node::boolean() const {
  if (kind != Kind::scalar || !plain) return std::nullopt;
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  return std::nullopt;
}

const Node* Node::find(std::string_view name) const {
  if (kind != Kind::map) return nullptr;
  for (std::size_t i = 0; i < size(); ++i)
    if (key(i).text == name) return &value(i);
  return nullptr;
}

Place Node::place_of(std::string_view name) const {
  const std::size_t step = is_map() ? 2 : 1;
  for (std::size_t i = 0; i < items.size(); i += step)
    if (items[i].text == name) return items[i].place;
  return place;
}

std::string_view kind_name(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null: return "nothing";
    case Node::Kind::scalar: return "text";
    case Node::Kind::list: return "a list";
    case Node::Kind::map: return "a map";
  }
  return "nothing";
}

std::optional<Node> read_yaml(std::string_view text, Faults& faults) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (!is_readable(text, faults)) return std::nullopt;
  try {
    return parse(text, faults);
  } catch (const Refusal& refusal) {
    faults.error(refusal.place, refusal.code, refusal.message);
  } catch (const YAML::Exception& exception) {
    faults.error(stop_place(exception.mark, text), "definition_syntax", "not YAML: " + exception.msg);
  } catch (const std::exception& exception) {
    faults.error({}, "definition_syntax", std::string("not YAML: ") + exception.what());
  }
  return std::nullopt;
}

}  // namespace lade::definition
