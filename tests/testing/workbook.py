"""Small workbooks for tests: written and read with nothing but zipfile."""

import io
import re
import xml.etree.ElementTree as xml
import zipfile
from xml.sax.saxutils import escape

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
DATE_STYLE = 1


def column_name(index):
    name = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def escaped(text):
    """Control characters and what looks like their escape are written as _xHHHH_."""
    text = re.sub(r"_(?=x[0-9A-Fa-f]{4}_)", "_x005F_", text)
    return escape(re.sub(r"[\x00-\x08\x0b-\x1f]", lambda found: f"_x{ord(found[0]):04X}_", text))


class Strings:
    def __init__(self):
        self.places = {}

    def place(self, text):
        return self.places.setdefault(text, len(self.places))

    def part(self):
        items = "".join(f'<si><t xml:space="preserve">{escaped(text)}</t></si>' for text in self.places)
        return f'{HEAD}<sst xmlns="{MAIN}">{items}</sst>'


def cell(value, place, strings, inline):
    """Text is text, numbers are numbers; ("date", serial) is a number with a date's format."""
    if isinstance(value, tuple):
        return f'<c r="{place}" s="{DATE_STYLE}"><v>{value[1]}</v></c>'
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, (int, float)):
        return f'<c r="{place}"><v>{value}</v></c>'
    if inline:
        return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escaped(value)}</t></is></c>'
    return f'<c r="{place}" t="s"><v>{strings.place(value)}</v></c>'


def sheet_part(rows, strings):
    """Every second column has its strings in the cell, the others share them."""
    lines = []
    for number, row in enumerate(rows, 1):
        cells = "".join(cell(value, f"{column_name(column)}{number}", strings, column % 2 == 1)
                        for column, value in enumerate(row) if value not in ("", None))
        if cells:
            lines.append(f'<row r="{number}">{cells}</row>')
    return f'{HEAD}<worksheet xmlns="{MAIN}"><sheetData>{"".join(lines)}</sheetData></worksheet>'


def make_workbook(sheets):
    """The bytes of a workbook; `sheets` maps names to rows."""
    strings = Strings()
    names = list(sheets)
    parts = {f"xl/worksheets/sheet{i}.xml": sheet_part(sheets[name], strings) for i, name in enumerate(names, 1)}
    types = "".join(f'<Override PartName="/{part}" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.'
                    'worksheet+xml"/>' for part in parts)
    listed = "".join(f'<sheet name="{escape(name, {chr(34): "&quot;"})}" sheetId="{i}" r:id="rId{i}"/>'
                     for i, name in enumerate(names, 1))
    links = "".join(f'<Relationship Id="rId{i}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{i}.xml"/>'
                    for i in range(1, len(names) + 1))
    links += f'<Relationship Id="rIdS" Type="{OFFICE}/sharedStrings" Target="sharedStrings.xml"/>'
    links += f'<Relationship Id="rIdF" Type="{OFFICE}/styles" Target="styles.xml"/>'
    parts |= {
        "[Content_Types].xml":
            f'{HEAD}<Types xmlns="{PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/>'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            '<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.'
            f'sheet.main+xml"/>{types}</Types>',
        "_rels/.rels":
            f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r" Type="{OFFICE}/officeDocument" '
            'Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml":
            f'{HEAD}<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'{HEAD}<Relationships xmlns="{PACKAGE}/relationships">{links}</Relationships>',
        "xl/styles.xml":
            f'{HEAD}<styleSheet xmlns="{MAIN}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
        "xl/sharedStrings.xml": strings.part(),
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return out.getvalue()


def unescaped(text):
    return re.sub(r"_x([0-9A-Fa-f]{4})_", lambda found: chr(int(found[1], 16)), text)


def read_workbook(data):
    """The first sheet of a workbook that lade wrote, as rows of text; dates are their serial numbers."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        shared = []
        if "xl/sharedStrings.xml" in archive.namelist():
            for item in xml.fromstring(archive.read("xl/sharedStrings.xml")):
                shared.append("".join(item.itertext()))
        sheet = xml.fromstring(archive.read("xl/worksheets/sheet1.xml"))
    rows = []
    for row in sheet.iter(f"{{{MAIN}}}row"):
        values = []
        for one in row:
            letters = re.match("[A-Z]+", one.get("r"))[0]
            column = sum((ord(letter) - 64) * 26 ** power for power, letter in enumerate(reversed(letters))) - 1
            text = "".join(one.itertext())
            text = shared[int(text)] if one.get("t") == "s" else text
            values += [""] * (column - len(values)) + [unescaped(text)]
        rows += [[]] * (int(row.get("r")) - 1 - len(rows)) + [values]
    width = max((len(row) for row in rows), default=0)
    return [row + [""] * (width - len(row)) for row in rows]
