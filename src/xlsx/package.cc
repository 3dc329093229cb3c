#include "xlsx/package.h"

#include <fmt/format.h>

#include <algorithm>

#include "xlsx/xml_reader.h"

namespace lade::xlsx {
namespace {

using Token = XmlReader::Token;
constexpr std::string_view kContentTypes = "[Content_Types].xml";
constexpr std::size_t kMostRelations = 100'000;
constexpr std::size_t kMostRelationBytes = 16 * 1024 * 1024;
constexpr std::size_t kLongestMimetype = 200;

tl::unexpected<Error> not_a_workbook(std::string_view name, std::string_view what) {
  return fail("not_a_workbook", fmt::format("{} is {}", name, what), "save it as an Excel workbook (.xlsx) or as CSV",
              ErrorKind::invalid);
}

// What a document is whose content types name this one; empty: a workbook, or unknown.
std::string_view foreign_document(std::string_view type) {
  static constexpr std::pair<std::string_view, std::string_view> kForeign[] = {
      {"wordprocessingml.document.main", "a text document (.docx)"},
      {"application/vnd.ms-word.", "a text document (.docm)"},
      {"presentationml.presentation.main", "a presentation (.pptx)"},
      {"application/vnd.ms-powerpoint.", "a presentation (.pptm)"},
      {"application/vnd.ms-excel.sheet.binary", "a binary workbook (.xlsb)"},
      {"application/vnd.ms-visio.", "a drawing (.vsdx)"}};
  for (const auto& [part, what] : kForeign) {
    if (type.find(part) != std::string_view::npos && (type.ends_with("main+xml") || type.ends_with(".main"))) {
      return what;
    }
  }
  return {};
}

Result<std::string> head_of(const zip::Archive& archive, std::string_view part, std::size_t most) {
  const std::ptrdiff_t entry = archive.find(part);
  if (entry < 0) return std::string();
  LADE_ASSIGN(const auto source, archive.read(static_cast<std::size_t>(entry)));
  std::string head(most, '\0');
  LADE_ASSIGN(const std::size_t count, source->read(head));
  head.resize(count);
  return head;
}

// An archive without content types.
Error other_archive(const zip::Archive& archive, const std::string& name) {
  const auto mimetype = head_of(archive, "mimetype", kLongestMimetype);
  if (mimetype && mimetype->find("opendocument.spreadsheet") != std::string::npos) {
    return not_a_workbook(name, "an OpenDocument spreadsheet (.ods)").value();
  }
  if (mimetype && mimetype->find("opendocument") != std::string::npos) {
    return not_a_workbook(name, "an OpenDocument file that is no spreadsheet").value();
  }
  if (archive.find("Index/Document.iwa") >= 0 || archive.find("Index.zip") >= 0) {
    return not_a_workbook(name, "a document of Numbers, Pages or Keynote").value();
  }
  return not_a_workbook(name, "a zip archive, but no workbook").value();
}

std::string_view last_segment(std::string_view address) {
  return address.substr(address.rfind('/') + 1);
}

std::string_view folder_of(std::string_view part) {
  const std::size_t slash = part.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : part.substr(0, slash + 1);
}

}  // namespace

std::string resolve_target(std::string_view part, std::string_view target) {
  std::string path;
  if (!target.starts_with('/') && !target.starts_with('\\')) path = folder_of(part);
  path += target;
  for (char& character : path) {
    if (character == '\\') character = '/';
  }
  std::vector<std::string_view> segments;
  for (std::string_view rest = path; !rest.empty();) {
    const std::string_view segment = rest.substr(0, rest.find('/'));
    rest.remove_prefix(std::min(rest.size(), segment.size() + 1));
    if (segment == "..") {
      if (!segments.empty()) segments.pop_back();
    } else if (!segment.empty() && segment != ".") {
      segments.push_back(segment);
    }
  }
  return fmt::format("{}", fmt::join(segments, "/"));
}

Result<Package> Package::open(const File& file, const std::string& name, const zip::Limits& limits) {
  LADE_ASSIGN(zip::Archive archive, zip::Archive::open(file, name, limits));
  if (archive.find(kContentTypes) < 0) return fail(other_archive(archive, name));
  Package package(std::move(archive), name);
  LADE_TRY(package.read_content_types());
  LADE_TRY(package.find_main_part());
  return package;
}

Result<std::unique_ptr<ByteSource>> Package::read(std::string_view part) const {
  const std::ptrdiff_t entry = archive_.find(part);
  if (entry < 0) {
    return fail("workbook_damaged", fmt::format("{} has no part {:?}", name_, part.substr(0, 200)),
                "open it in a spreadsheet program and save it again", ErrorKind::invalid);
  }
  return archive_.read(static_cast<std::size_t>(entry));
}

// Which parts a file has is found by relations; the types tell only what kind of document it is.
Result<void> Package::read_content_types() {
  LADE_ASSIGN(const auto source, read(kContentTypes));
  XmlReader xml(*source, place(kContentTypes));
  for (;;) {
    LADE_ASSIGN(const Token token, xml.next());
    if (token == Token::finish) return {};
    if (token != Token::start) continue;
    const std::string_view foreign = foreign_document(xml.attribute("ContentType"));
    if (!foreign.empty()) return not_a_workbook(name_, foreign);
  }
}

Result<void> Package::find_main_part() {
  LADE_ASSIGN(const auto roots, relations(""));
  for (const Relation& relation : roots) {
    if (relation.type == "officeDocument" && has(relation.target)) {
      main_part_ = relation.target;
      return {};
    }
  }
  main_part_ = "xl/workbook.xml";
  if (!has(main_part_)) return not_a_workbook(name_, "a zip archive, but no workbook");
  return {};
}

Result<std::vector<Relation>> Package::relations(std::string_view part) const {
  const std::string relations_part = fmt::format("{}_rels/{}.rels", folder_of(part), last_segment(part));
  std::vector<Relation> result;
  if (!has(relations_part)) return result;
  LADE_ASSIGN(const auto source, read(relations_part));
  XmlReader xml(*source, place(relations_part));
  std::size_t bytes = 0;
  for (;;) {
    LADE_ASSIGN(const Token token, xml.next());
    if (token == Token::finish) return result;
    if (token != Token::start || xml.name() != "Relationship" || xml.attribute("TargetMode") == "External") continue;
    Relation relation{std::string(xml.attribute("Id")), std::string(last_segment(xml.attribute("Type"))),
                      resolve_target(part, xml.attribute("Target"))};
    bytes += relation.id.size() + relation.type.size() + relation.target.size();
    if (result.size() == kMostRelations || bytes > kMostRelationBytes) {
      return fail("workbook_too_large", fmt::format("{}: the part has too many relations", xml.place()),
                  "split the workbook", ErrorKind::invalid);
    }
    result.push_back(std::move(relation));
  }
}

}  // namespace lade::xlsx
