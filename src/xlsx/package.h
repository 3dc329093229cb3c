#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "zip/archive.h"

namespace lade::xlsx {

// A reference of one part to another.
struct Relation {
  std::string id;
  std::string type;    // the last segment of the address that names it: worksheet, styles, sharedStrings …
  std::string target;  // the part's name in the archive
};

// The parts of an Office document.
class Package {
 public:
  // Reads the list of content types, which also tells documents of other programs.
  static Result<Package> open(const File& file, const std::string& name, const zip::Limits& limits);

  // The part in which the document begins.
  const std::string& main_part() const { return main_part_; }
  const std::string& name() const { return name_; }
  // A part as messages name it: "book.xlsx, xl/styles.xml".
  std::string place(std::string_view part) const { return name_ + ", " + std::string(part); }
  bool has(std::string_view part) const { return archive_.find(part) >= 0; }
  Result<std::unique_ptr<ByteSource>> read(std::string_view part) const;
  // What `part` refers to within the package; empty when it has no relations.
  Result<std::vector<Relation>> relations(std::string_view part) const;

 private:
  Package(zip::Archive archive, std::string name) : archive_(std::move(archive)), name_(std::move(name)) {}
  Result<void> read_content_types();
  Result<void> find_main_part();

  zip::Archive archive_;
  std::string name_;
  std::string main_part_;
};

// The name of a part as a relation of `part` gives it: relative to its folder or from the root, with . and .. resolved.
std::string resolve_target(std::string_view part, std::string_view target);

}  // namespace lade::xlsx
