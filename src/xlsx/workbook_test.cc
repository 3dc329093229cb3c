#include "xlsx/workbook.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/workbook_bytes.h"

namespace lade::xlsx {
namespace {

using lade::testing::file_of;
using lade::testing::workbook_bytes;
using lade::testing::workbook_entries;
using lade::testing::WorkbookParts;
using lade::testing::zip_bytes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

char letter_of(CellKind kind) {
  return "-tnDTSbe"[static_cast<int>(kind)];
}

// Rows as text: "3: A=t:text C=n:12", or the code of the error that ends the reading.
std::vector<std::string> rows_of(std::string_view bytes, const Limits& limits = {}, bool merged = false) {
  std::vector<std::string> result;
  const File file = file_of(bytes);
  const auto workbook = Workbook::open(file, "book.xlsx", std::filesystem::temp_directory_path(), limits);
  if (!workbook) return {workbook.error().code};
  const auto reader = workbook->read(0, merged);
  if (!reader) return {reader.error().code};
  Row row;
  for (;;) {
    const auto more = (*reader)->next(row);
    if (!more) result.push_back(more.error().code);
    if (!more || !*more) return result;
    std::string line = fmt::format("{}:", row.number);
    for (const Cell& cell : row.cells) {
      line += fmt::format(" {}={}:{}", static_cast<char>('A' + cell.column), letter_of(cell.kind), cell.text);
    }
    result.push_back(line);
  }
}

std::vector<std::string> rows_of(const WorkbookParts& parts, const Limits& limits = {}, bool merged = false) {
  return rows_of(workbook_bytes(parts), limits, merged);
}

// The cells of a single row.
std::string cells_of(const std::string& cells, WorkbookParts parts = {}) {
  parts.sheet_data = "<row r=\"1\">" + cells + "</row>";
  const auto rows = rows_of(parts);
  return rows.empty() ? "" : rows.front();
}

TEST(Workbook, GivesRowsOfTypedCells) {
  EXPECT_THAT(rows_of({.sheet_data = R"(<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1"><v>12.5</v></c></row>)"
                                     R"(<row r="4"><c r="B4" t="b"><v>1</v></c><c r="D4" t="e"><v>#N/A</v></c></row>)",
                       .shared_strings = "<si><t>name</t></si>"}),
              ElementsAre("1: A=t:name C=n:12.5", "4: B=b:TRUE D=e:#N/A"));
}

TEST(Workbook, KnowsEveryTypeOfCell) {
  WorkbookParts parts;
  parts.shared_strings = "<si><t>shared</t></si><si/>";
  EXPECT_EQ(cells_of(R"(<c r="A1" t="s"><v>0</v></c>)", parts), "1: A=t:shared");
  EXPECT_EQ(cells_of(R"(<c r="A1" t="s"><v>1</v></c>)", parts), "") << "an empty text is a blank cell";
  EXPECT_EQ(cells_of(R"(<c r="A1" t="str"><f>B1&amp;"x"</f><v>formula</v></c>)"), "1: A=t:formula");
  EXPECT_EQ(cells_of(R"(<c r="A1" t="inlineStr"><is><t>inline</t></is></c>)"), "1: A=t:inline");
  EXPECT_EQ(cells_of(R"(<c r="A1" t="inlineStr"><v>value</v></c>)"), "1: A=t:value");
  EXPECT_EQ(cells_of(R"(<c r="A1" t="n"><v>7</v></c>)"), "1: A=n:7");
  EXPECT_EQ(cells_of(R"(<c r="A1" t="b"><v>0</v></c>)"), "1: A=b:FALSE");
  EXPECT_EQ(cells_of(R"(<c r="A1" t="e"><v>#DIV/0!</v></c>)"), "1: A=e:#DIV/0!");
  EXPECT_EQ(cells_of(R"(<c r="A1" t="d"><v>2024-01-31</v></c>)"), "1: A=D:2024-01-31");
  EXPECT_EQ(cells_of(R"(<c r="A1" t="d"><v>2024-01-31T13:45:00</v></c>)"), "1: A=S:2024-01-31T13:45:00");
  EXPECT_EQ(cells_of(R"(<c r="A1" t="d"><v>13:45:00</v></c>)"), "1: A=T:13:45:00");
  EXPECT_EQ(cells_of(R"(<c r="A1"><f>1+1</f><v>2</v></c>)"), "1: A=n:2");
  EXPECT_EQ(cells_of(R"(<c r="A1"><f t="shared" si="0"/><v>2</v></c>)"), "1: A=n:2");
  EXPECT_EQ(cells_of(R"(<c r="A1" s="0"/><c r="B1"><v></v></c><c r="C1"><v/></c>)"), "");
  EXPECT_EQ(cells_of(R"(<c r="A1"><v>abc</v></c>)"), "1: A=t:abc");
  EXPECT_EQ(cells_of(R"(<c r="A1" t="x"><v>1</v></c>)"), "workbook_damaged");
}

TEST(Workbook, WritesNumbersPlainly) {
  const auto number = [](const std::string& written) {
    return cells_of("<c r=\"A1\"><v>" + written + "</v></c>").substr(5);
  };
  EXPECT_EQ(number("12345678901234567890"), "n:12345678901234567890");
  EXPECT_EQ(number("0.28999999999999998"), "n:0.29");
  EXPECT_EQ(number("-1234.5600000000001"), "n:-1234.56");
  EXPECT_EQ(number("999999999999999.9"), "n:1000000000000000");
  EXPECT_EQ(number("1.5E3"), "n:1500");
  EXPECT_EQ(number("1E-5"), "n:0.00001");
  EXPECT_EQ(number("-2.5e+2"), "n:-250");
  EXPECT_EQ(number("1E+20"), "n:100000000000000000000");
  EXPECT_EQ(number(".5"), "n:0.5");
  EXPECT_EQ(number("1E400"), "t:1E400");
  EXPECT_EQ(number("0.10"), "n:0.10");
}

TEST(Workbook, TakesDatesByTheirFormat) {
  WorkbookParts parts;
  parts.number_formats =
      R"(<numFmt numFmtId="164" formatCode="yyyy\-mm\-dd hh:mm"/><numFmt numFmtId="165" formatCode="[h]:mm"/>)"
      R"(<numFmt numFmtId="166" formatCode="[$-409]#,##0&quot; days&quot;"/><numFmt numFmtId="20" formatCode=""/>)";
  parts.cell_formats =
      R"(<xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/>)"
      R"(<xf numFmtId="20"/><xf numFmtId="30"/><xf numFmtId="71"/>)";
  const auto shown = [&](int style, const std::string& value) {
    return cells_of(fmt::format("<c r=\"A1\" s=\"{}\"><v>{}</v></c>", style, value), parts).substr(5);
  };
  EXPECT_EQ(shown(1, "45322"), "D:2024-01-31");
  EXPECT_EQ(shown(2, "45322.572916666664"), "S:2024-01-31T13:45:00");
  EXPECT_EQ(shown(2, "45322.572917824"), "S:2024-01-31T13:45:00.100");
  EXPECT_EQ(shown(3, "1.5"), "T:36:00:00");
  EXPECT_EQ(shown(4, "45322"), "n:45322") << "a language is no date";
  EXPECT_EQ(shown(5, "0.5"), "T:12:00:00") << "an empty code hides no built-in format";
  EXPECT_EQ(shown(6, "45322"), "D:2024-01-31");
  EXPECT_EQ(shown(7, "45322"), "D:2024-01-31");
  EXPECT_EQ(shown(1, "1"), "D:1900-01-01");
  EXPECT_EQ(shown(1, "59"), "D:1900-02-28");
  EXPECT_EQ(shown(1, "60"), "n:60") << "a day that never was";
  EXPECT_EQ(shown(1, "61"), "D:1900-03-01");
  EXPECT_EQ(shown(1, "-1"), "n:-1");
  EXPECT_EQ(shown(1, "2958465"), "D:9999-12-31");
  EXPECT_EQ(shown(1, "2958466"), "n:2958466");
  parts.workbook_settings = "<workbookPr date1904=\"1\"/>";
  EXPECT_EQ(shown(1, "0"), "D:1904-01-01");
  EXPECT_EQ(shown(1, "43860"), "D:2024-01-31");
}

TEST(Workbook, KeepsZerosThatAFormatShows) {
  WorkbookParts parts;
  parts.number_formats =
      R"(<numFmt numFmtId="164" formatCode="00000"/><numFmt numFmtId="165" formatCode="000\-00\-0000"/>)"
      R"(<numFmt numFmtId="166" formatCode="#,##0.00"/>)";
  parts.cell_formats = R"(<xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/>)";
  EXPECT_EQ(cells_of(R"(<c r="A1"><v>1234</v></c>)", parts), "1: A=n:01234");
  EXPECT_EQ(cells_of(R"(<c r="A1"><v>1234567</v></c>)", parts), "1: A=n:1234567");
  EXPECT_EQ(cells_of(R"(<c r="A1"><v>-7</v></c>)", parts), "1: A=n:-00007");
  EXPECT_EQ(cells_of(R"(<c r="A1"><v>1.5</v></c>)", parts), "1: A=n:1.5");
  EXPECT_EQ(cells_of(R"(<c r="A1" s="1"><v>12345678</v></c>)", parts), "1: A=n:012-34-5678");
  EXPECT_EQ(cells_of(R"(<c r="A1" s="2"><v>1234.5</v></c>)", parts), "1: A=n:1234.5");
}

TEST(Workbook, ReadsTextsHoweverTheyAreWritten) {
  const auto shared = [](const std::string& item) {
    WorkbookParts parts;
    parts.shared_strings = "<si>" + item + "</si>";
    return cells_of(R"(<c r="A1" t="s"><v>0</v></c>)", parts).substr(5);
  };
  EXPECT_EQ(shared("<t>a &lt;b&gt; &amp; &quot;c&quot; &apos;d&apos; &#228;&#x20AC;</t>"), "t:a <b> & \"c\" 'd' ä€");
  EXPECT_EQ(shared("<r><rPr><b/></rPr><t>rich </t></r><r><t>text</t></r>"), "t:rich text");
  EXPECT_EQ(shared("<t>漢字</t><rPh sb=\"0\" eb=\"2\"><t>かんじ</t></rPh><phoneticPr fontId=\"1\"/>"), "t:漢字");
  EXPECT_EQ(shared("<t>a_x000D_b_x005F_x0041_ _xD83D__xDE00_ _xyz_</t>"), "t:a\rb_x0041_ 😀 _xyz_");
  EXPECT_EQ(shared("<t><![CDATA[a <b> & c]]> d</t>"), "t:a <b> & c d");
  EXPECT_EQ(shared("<t xml:space=\"preserve\">  two  </t>"), "t:  two  ");
  EXPECT_EQ(shared("<t>a\r\nb\rc</t>"), "t:a\nb\nc");
  EXPECT_EQ(shared("<t>a<!-- comment -->b<?pi x?>c</t>"), "t:abc");
  EXPECT_EQ(shared("<t>&unknown;</t>").substr(0, 3), "ook") << "refused: workbook_damaged";
}

TEST(Workbook, CountsRowsAndColumnsThatAreNotNamed) {
  EXPECT_THAT(rows_of({.sheet_data = "<row><c><v>1</v></c><c r=\"D1\"><v>2</v></c><c><v>3</v></c></row>"
                                     "<row r=\"5\"><c><v>4</v></c></row><row><c><v>5</v></c></row><row r=\"9\"/>"}),
              ElementsAre("1: A=n:1 D=n:2 E=n:3", "5: A=n:4", "6: A=n:5"));
}

TEST(Workbook, SortsCellsAndRefusesRowsOutOfOrder) {
  EXPECT_EQ(cells_of(R"(<c r="C1"><v>3</v></c><c r="A1"><v>1</v></c>)"), "1: A=n:1 C=n:3");
  EXPECT_EQ(cells_of(R"(<c r="A1"><v>3</v></c><c r="A1"><v>1</v></c>)"), "workbook_damaged");
  EXPECT_EQ(cells_of(R"(<c r="A2"><v>3</v></c>)"), "workbook_damaged");
  EXPECT_THAT(rows_of({.sheet_data = R"(<row r="2"><c><v>1</v></c></row><row r="1"><c><v>1</v></c></row>)"}),
              ElementsAre("2: A=n:1", "workbook_damaged"));
}

TEST(Workbook, ReadsPrefixesQuotesAndEncodings) {
  WorkbookParts parts;
  const std::string space = " xmlns:x='" + std::string(lade::testing::kMainNamespace) + "'";
  parts.sheet_part = "<?xml version='1.0'?><x:worksheet" + space +
                     "><x:sheetData><x:row r='1'><x:c r='A1' t='inlineStr'><x:is><x:t>ä</x:t></x:is></x:c>"
                     "<x:c r=\"B1\"><x:v>2</x:v></x:c></x:row></x:sheetData></x:worksheet>";
  EXPECT_THAT(rows_of(parts), ElementsAre("1: A=t:ä B=n:2"));
  parts.sheet_part = "\xEF\xBB\xBF" + parts.sheet_part;
  EXPECT_THAT(rows_of(parts), ElementsAre("1: A=t:ä B=n:2"));
  const std::u16string wide =
      u"\xFEFF<?xml version=\"1.0\" encoding=\"utf-16\"?><worksheet><sheetData><row><c t=\"inlineStr\"><is><t>ä😀"
      u"</t></is></c></row></sheetData></worksheet>";
  for (const bool big : {false, true}) {
    parts.sheet_part.clear();
    for (const char16_t unit : wide) {
      parts.sheet_part.push_back(static_cast<char>(big ? unit >> 8 : unit & 0xFF));
      parts.sheet_part.push_back(static_cast<char>(big ? unit & 0xFF : unit >> 8));
    }
    EXPECT_THAT(rows_of(parts), ElementsAre("1: A=t:ä😀"));
  }
  parts.sheet_part = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><worksheet/>";
  EXPECT_THAT(rows_of(parts), ElementsAre("workbook_damaged"));
}

TEST(Workbook, RefusesDocumentTypesInEveryPart) {
  const std::string bomb = "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY b \"c\">]>";
  for (std::size_t part = 0; part < workbook_entries({}).size(); ++part) {
    auto entries = workbook_entries({.sheet_data = "<row><c><v>1</v></c></row>"});
    entries[part].content.insert(0, bomb);
    EXPECT_THAT(rows_of(zip_bytes(entries)), ElementsAre("workbook_dtd")) << entries[part].name;
  }
  WorkbookParts parts;
  for (const char character : bomb + "<sst/>") parts.shared_strings_part += {character, '\0'};
  EXPECT_THAT(rows_of(parts), ElementsAre("workbook_dtd")) << "in UTF-16";
}

TEST(Workbook, FillsMergedCells) {
  WorkbookParts parts;
  parts.sheet_data =
      R"(<row r="1"><c r="A1"><v>1</v></c><c r="C1"><v>2</v></c></row><row r="2"><c r="A2"><v>9</v></c><c r="C2"><v>3</v></c></row>)";
  parts.behind = R"(<mergeCells count="2"><mergeCell ref="A1:B3"/><mergeCell ref="D1:D9"/></mergeCells>)";
  EXPECT_THAT(rows_of(parts), ElementsAre("1: A=n:1 C=n:2", "2: A=n:9 C=n:3"));
  EXPECT_THAT(rows_of(parts, {}, true), ElementsAre("1: A=n:1 B=n:1 C=n:2", "2: A=n:1 B=n:1 C=n:3", "3: A=n:1 B=n:1"));
  parts.behind = R"(<mergeCells><mergeCell ref="nonsense"/></mergeCells>)";
  EXPECT_EQ(rows_of(parts, {}, true).back(), "workbook_damaged");
}

TEST(Workbook, LimitsWhatMergedCellsFill) {
  const File file = file_of(workbook_bytes({.sheet_data = "<row><c><v>1</v></c></row>",
                                            .behind = R"(<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>)"}));
  const auto workbook = Workbook::open(file, "book.xlsx", std::filesystem::temp_directory_path()).value();
  const auto reader = workbook.read(0, true).value();
  Row row;
  Result<bool> more = true;
  while (more && *more) more = reader->next(row);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, "workbook_too_large");
}

TEST(Workbook, ListsItsSheets) {
  const File file =
      file_of(workbook_bytes({.sheets = R"(<sheet name="A &amp; B" sheetId="3" r:id="rId1"/>)"
                                        R"(<sheet name="Hidden" sheetId="4" state="veryHidden" r:id="rId1"/>)"
                                        R"(<sheet name="No sheet" sheetId="5" r:id="rId2"/>)"}));
  const auto workbook = Workbook::open(file, "book.xlsx", std::filesystem::temp_directory_path()).value();
  ASSERT_EQ(workbook.sheets().size(), 2U);
  EXPECT_EQ(workbook.sheets()[0].name, "A & B");
  EXPECT_FALSE(workbook.sheets()[0].hidden);
  EXPECT_TRUE(workbook.sheets()[1].hidden);
  EXPECT_EQ(workbook.number_format(0), "General");
  EXPECT_EQ(workbook.number_format(99), "General");
}

TEST(Workbook, TellsWhatIsNoWorkbook) {
  using namespace std::string_literals;
  EXPECT_THAT(rows_of("a,b\n1,2\n"), ElementsAre("not_a_workbook"));
  EXPECT_THAT(rows_of(zip_bytes({{"a.txt", "text"}})), ElementsAre("not_a_workbook"));
  EXPECT_THAT(rows_of(zip_bytes({{"mimetype", "application/vnd.oasis.opendocument.spreadsheet", false}})),
              ElementsAre("not_a_workbook"));
  EXPECT_THAT(
      rows_of(
          {.content_types =
               R"(<Types><Override PartName="/xl/workbook.bin" ContentType="application/vnd.ms-excel.sheet.binary.macroEnabled.main"/></Types>)"}),
      ElementsAre("not_a_workbook"));
  std::string old = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"s + std::string(2040, '\0');
  EXPECT_THAT(rows_of(old), ElementsAre("workbook_old"));
  old.replace(512, 32, "E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e\0"s);
  EXPECT_THAT(rows_of(old), ElementsAre("workbook_encrypted"));
}

TEST(Workbook, KeepsToItsLimits) {
  const std::string text(40'000, 'x');
  EXPECT_THAT(rows_of({.shared_strings = "<si><t>" + text + "</t></si>"}), ElementsAre("workbook_too_large"));
  EXPECT_EQ(cells_of("<c t=\"inlineStr\"><is><t>" + text + "</t></is></c>"), "workbook_too_large");
  EXPECT_THAT(rows_of({.sheet_data = R"(<row r="1048577"><c><v>1</v></c></row>)"}), ElementsAre("workbook_too_large"));
  EXPECT_EQ(cells_of(R"(<c r="XFE1"><v>1</v></c>)"), "workbook_too_large");
  EXPECT_THAT(rows_of({.sheet_data = "<row><c><v>12345</v></c></row>"}, {.max_cell_bytes = 4}),
              ElementsAre("workbook_too_large"));
  EXPECT_EQ(cells_of("<c><v>1</v></c>"), "1: A=n:1");
}

TEST(Workbook, SaysWhereItIsDamaged) {
  const File file = file_of(workbook_bytes({.sheet_data = R"(<row r="3"><c r="A3" t="s"><v>5</v></c></row>)"}));
  const auto workbook = Workbook::open(file, "book.xlsx", std::filesystem::temp_directory_path()).value();
  const auto reader = workbook.read(0).value();
  Row row;
  const auto more = reader->next(row);
  ASSERT_FALSE(more);
  EXPECT_THAT(more.error().message, HasSubstr("book.xlsx, xl/worksheets/sheet1.xml, byte"));
  EXPECT_THAT(more.error().message, HasSubstr("row 3"));
  EXPECT_THAT(more.error().message, HasSubstr("no shared string 5"));
  EXPECT_FALSE(reader->next(row).value()) << "a failed reader has ended";
}

TEST(Workbook, RefusesXmlThatIsNone) {
  const auto sheet = [](const std::string& part) { return rows_of({.sheet_part = part}); };
  EXPECT_THAT(sheet("<worksheet><sheetData>"), ElementsAre("workbook_damaged"));
  EXPECT_THAT(sheet("<worksheet><sheetData></worksheet></sheetData>"), ElementsAre("workbook_damaged"));
  EXPECT_THAT(sheet("<worksheet/><worksheet/>"), ElementsAre("workbook_damaged"));
  EXPECT_THAT(sheet("<worksheet a></worksheet>"), ElementsAre("workbook_damaged"));
  EXPECT_THAT(sheet("<worksheet"), ElementsAre("workbook_damaged"));
  EXPECT_THAT(sheet("text"), ElementsAre("workbook_damaged"));
  EXPECT_THAT(sheet("<worksheet/>"), IsEmpty());
}

}  // namespace
}  // namespace lade::xlsx
