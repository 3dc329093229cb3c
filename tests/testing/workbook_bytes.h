#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "testing/zip_bytes.h"

// Workbooks made in memory from the XML of their parts.
namespace lade::testing {

constexpr std::string_view kMainNamespace = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
constexpr std::string_view kOfficeRelations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

struct WorkbookParts {
  std::string sheet_data = "";                        // inside <sheetData>
  std::string behind = "";                            // what follows it: merged cells
  std::string shared_strings = "";                    // inside <sst>
  std::string number_formats = "";                    // inside <numFmts>
  std::string cell_formats = "<xf numFmtId=\"0\"/>";  // inside <cellXfs>
  std::string workbook_settings = "<workbookPr/>";
  std::string sheets = R"(<sheet name="Sheet1" sheetId="1" r:id="rId1"/>)";
  // Whole parts, in place of what is made of the above.
  std::string content_types = R"(<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>)";
  std::string sheet_part = "";
  std::string shared_strings_part = "";
};

inline std::vector<ZipEntry> workbook_entries(const WorkbookParts& parts) {
  const std::string space = " xmlns=\"" + std::string(kMainNamespace) + "\"";
  const std::string relations = std::string(kOfficeRelations);
  const auto relation = [&](std::string_view id, std::string_view type, std::string_view target) {
    return "<Relationship Id=\"" + std::string(id) + "\" Type=\"" + relations + "/" + std::string(type) +
           "\" Target=\"" + std::string(target) + "\"/>";
  };
  const std::string begin = R"(<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">)";
  const std::string end = "</Relationships>";
  return {
      {"[Content_Types].xml", parts.content_types},
      {"_rels/.rels", begin + relation("rId1", "officeDocument", "xl/workbook.xml") + end},
      {"xl/workbook.xml", "<workbook" + space + " xmlns:r=\"" + relations + "\">" + parts.workbook_settings +
                              "<sheets>" + parts.sheets + "</sheets></workbook>"},
      {"xl/_rels/workbook.xml.rels", begin + relation("rId1", "worksheet", "worksheets/sheet1.xml") +
                                         relation("rId2", "styles", "styles.xml") +
                                         relation("rId3", "sharedStrings", "/xl/sharedStrings.xml") + end},
      {"xl/styles.xml", "<styleSheet" + space + "><numFmts>" + parts.number_formats + "</numFmts><cellXfs>" +
                            parts.cell_formats + "</cellXfs></styleSheet>"},
      {"xl/sharedStrings.xml", !parts.shared_strings_part.empty()
                                   ? parts.shared_strings_part
                                   : "<sst" + space + ">" + parts.shared_strings + "</sst>"},
      {"xl/worksheets/sheet1.xml",
       !parts.sheet_part.empty()
           ? parts.sheet_part
           : "<worksheet" + space + "><sheetData>" + parts.sheet_data + "</sheetData>" + parts.behind + "</worksheet>"},
  };
}

inline std::string workbook_bytes(const WorkbookParts& parts) {
  return zip_bytes(workbook_entries(parts));
}

}  // namespace lade::testing
