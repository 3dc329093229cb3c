#!/usr/bin/env python3
"""Writes the workbook of the benchmark as Excel would: one sheet of 12 columns (texts by shared strings, numbers, a date) under a header.

  python3 bench/xlsx_peers/generate_sheet.py OUT [--rows 200000]
"""

import argparse
import pathlib
import random
import zipfile
from xml.sax.saxutils import escape

HEADER = ("Cat", "Sel", "Component Code", "Description", "Quantity", "Unit", "Unit Price", "Activity", "Region", "Waste Pct", "Supplier",
          "Valid From")
WORDS = "steel bolt washer plate copper pipe valve joint panel beam cable duct filter pump board frame brace anchor clip seal".split()
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n'
FIRST_DAY = 43831  # 2020-01-01


class SharedStrings:
    """Texts in the order of their first use, as Excel numbers them."""

    def __init__(self):
        self.index = {}
        self.uses = 0

    def cell(self, place, text):
        self.uses += 1
        return f'<c r="{place}" t="s"><v>{self.index.setdefault(text, len(self.index))}</v></c>'

    def xml(self):
        items = "".join(f"<si><t>{escape(text)}</t></si>" for text in self.index)
        return f'{DECLARATION}<sst xmlns="{MAIN}" count="{self.uses}" uniqueCount="{len(self.index)}">{items}</sst>'


def rows(count, strings):
    chance = random.Random(1)
    yield 1, "".join(strings.cell(f"{'ABCDEFGHIJKL'[column]}1", name) for column, name in enumerate(HEADER))
    for number in range(2, count + 1):
        text, row = strings.cell, number
        yield row, "".join((
            f'<c r="A{row}"><v>{chance.randrange(1, 400)}</v></c>',
            text(f"B{row}", f"S{chance.randrange(5000):04d}"),
            text(f"C{row}", f"{chance.choice('ABCDEFGH')}XY-{number:07d}"),
            text(f"D{row}", " ".join(chance.choices(WORDS, k=4)).capitalize() + f" {chance.randrange(100)} mm"),
            f'<c r="E{row}"><v>{chance.randrange(1, 100000) / 100:g}</v></c>',
            text(f"F{row}", chance.choice(("pcs", "m", "m2", "kg", "l"))),
            f'<c r="G{row}" s="2"><v>{chance.uniform(0.5, 5000):.17g}</v></c>',
            text(f"H{row}", f"Activity {chance.randrange(300)}"),
            text(f"I{row}", chance.choice(("North", "South", "East", "West"))),
            f'<c r="J{row}"><v>{chance.randrange(0, 200) / 10:g}</v></c>',
            text(f"K{row}", f"Supplier & Sons {chance.randrange(2000)}"),
            f'<c r="L{row}" s="1"><v>{FIRST_DAY + chance.randrange(2000)}</v></c>'))


def write_sheet(archive, count, strings):
    with archive.open("xl/worksheets/sheet1.xml", "w") as part:
        part.write(f'{DECLARATION}<worksheet xmlns="{MAIN}"><dimension ref="A1:L{count}"/><sheetData>'.encode())
        for number, cells in rows(count, strings):
            part.write(f'<row r="{number}" spans="1:12">{cells}</row>'.encode())
        part.write(b"</sheetData></worksheet>")


def write_small_parts(archive):
    content = ("<Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>"
               "<Default Extension=\"xml\" ContentType=\"application/xml\"/>")
    for part, kind in (("workbook", "sheet.main"), ("worksheets/sheet1", "worksheet"), ("styles", "styles"),
                       ("sharedStrings", "sharedStrings")):
        content += (f'<Override PartName="/xl/{part}.xml" '
                    f'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.{kind}+xml"/>')
    archive.writestr("[Content_Types].xml", f'{DECLARATION}<Types xmlns="{PACKAGE}/content-types">{content}</Types>')
    archive.writestr("_rels/.rels", relations(("officeDocument", "xl/workbook.xml")))
    archive.writestr("xl/_rels/workbook.xml.rels", relations(("worksheet", "worksheets/sheet1.xml"), ("styles", "styles.xml"),
                                                             ("sharedStrings", "sharedStrings.xml")))
    archive.writestr("xl/workbook.xml", f'{DECLARATION}<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>'
                     '<sheet name="Components" sheetId="1" r:id="rId1"/></sheets></workbook>')
    archive.writestr("xl/styles.xml", f'{DECLARATION}<styleSheet xmlns="{MAIN}"><fonts count="1"><font/></fonts><fills count="1"><fill><patternFill/></fill>'
                     '</fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3">'
                     '<xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="2" applyNumberFormat="1"/></cellXfs>'
                     '</styleSheet>')


def relations(*targets):
    items = "".join(f'<Relationship Id="rId{number}" Type="{OFFICE}/{kind}" Target="{target}"/>'
                    for number, (kind, target) in enumerate(targets, 1))
    return f'{DECLARATION}<Relationships xmlns="{PACKAGE}/relationships">{items}</Relationships>'


def generate(path, count):
    strings = SharedStrings()
    unfinished = path.with_suffix(".part")
    with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive:
        write_small_parts(archive)
        write_sheet(archive, count, strings)
        archive.writestr("xl/sharedStrings.xml", strings.xml())
    unfinished.rename(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=200_000)
    options = parser.parse_args()
    generate(options.out, options.rows)


if __name__ == "__main__":
    main()
