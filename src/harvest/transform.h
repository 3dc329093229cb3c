#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace lade::harvest {

// What is done with the values of a field, one after another.
struct Transform {
  enum class Kind {
    trim,     // white space off both ends
    regex,    // what the pattern `text` finds first: its first group, or all of it; values without a match go
    replace,  // every match of `text` becomes `with` (\1 stands for a group)
    split,    // at every `text`; empty pieces go
    join,     // all values become one, with `text` between them
  };
  Kind kind = Kind::trim;
  std::string text = {};
  std::string with = {};
};

// A regular expression by RE2: in time proportional to the text. Fails with pattern_invalid.
Result<std::shared_ptr<const re2::RE2>> compile_pattern(const std::string& pattern);

// All matches: of each the first group, or all of it. At most `most`.
std::vector<std::string> matches_of(const re2::RE2& pattern, std::string_view text, std::size_t most);

// A transform that was checked. Immutable; any thread.
class CompiledTransform {
 public:
  // Fails with transform_invalid or pattern_invalid.
  static Result<CompiledTransform> make(const Transform& transform);
  std::vector<std::string> apply(std::vector<std::string> values) const;

 private:
  Transform transform_;
  std::shared_ptr<const re2::RE2> pattern_;  // shared by copies of the field's rule
};

// Without the white space of Unicode at both ends.
std::string_view trimmed_text(std::string_view text);

}  // namespace lade::harvest
