"""The files of the register benchmark, generated once into a folder and reused: legal units with 20 columns, and the same with 5 % changed."""

import csv
import pathlib
import random

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "register"
REFERENCE = FOLDER.parent.parent / "packs" / "register" / "reference"
HEADER = ("tax_ident,stat_ident,name,valid_from,valid_to,birth_date,sector_code,legal_form_code,unit_size_code,status_code,data_source_code,"
          "physical_address_part1,physical_address_part2,physical_postcode,physical_postplace,physical_region_code,physical_country_iso_2,"
          "physical_latitude,physical_longitude,primary_activity_category_code")
WORDS = ("North", "South", "Blue", "Green", "Harbour", "Lake", "Hill", "River", "Stone", "Oak", "Silver", "Market", "Station", "Old", "New", "Star")
TRADES = ("Timber", "Foods", "Shipping", "Software", "Bakery", "Motors", "Energy", "Textiles", "Consulting", "Farms", "Stores", "Metals")
ENDINGS = ("Ltd", "PLC", "& Sons", "Group", "Cooperative", "Partners")
STREETS = ("Main Street", "Quay", "Mill Lane", "Forest Way", "Station Road", "Exchange Square")


def reference_codes(table, column):
    with open(REFERENCE / f"{table}.csv", newline="", encoding="utf-8") as file:
        values = [row[column] for row in csv.DictReader(file)]
    if column != "path":
        return values
    digits = ("".join(character for character in value if character.isdigit()) for value in values)
    return [code for code in digits if len(code) >= 4]


class LegalUnits:
    def __init__(self, folder: pathlib.Path, rows: int):
        self.folder = folder / f"legal_units_{rows}"
        self.rows = rows
        self.first = self.folder / "first.csv"
        self.changed = self.folder / "changed.csv"
        if not self.changed.exists():
            self.generate()

    def generate(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        choices = {name: reference_codes(name, column) for name, column in (
            ("sector", "path"), ("region", "path"), ("activity_category", "path"), ("legal_form", "code"), ("unit_size", "code"),
            ("status", "code"), ("data_source", "code"))}
        unfinished = self.changed.with_suffix(".part")
        with self.first.open("w", encoding="utf-8") as first, unfinished.open("w", encoding="utf-8") as changed:
            for file in (first, changed):
                file.write(f"{HEADER}\n")
            for number in range(self.rows):
                dice = random.Random(number)
                row = self.row(number, dice, choices)
                first.write(",".join(row) + "\n")
                if dice.random() < 0.05:
                    row[2] += " Renamed"
                    row[13] = f"{dice.randrange(10_000):04}"
                changed.write(",".join(row) + "\n")
        unfinished.rename(self.changed)

    def row(self, number, dice, choices):
        pick = dice.choice
        # Registers number their units in no order.
        ident = 100_000_000 + number * 611_953 % 899_999_981
        return [
            str(ident), str(10_000_000 + number), f"{pick(WORDS)} {pick(WORDS)} {pick(TRADES)} {pick(ENDINGS)}",
            f"{dice.randrange(2010, 2024)}-01-01", "infinity",
            f"{dice.randrange(1950, 2010)}-{dice.randrange(1, 13):02}-{dice.randrange(1, 29):02}",
            pick(choices["sector"]), pick(choices["legal_form"]), pick(choices["unit_size"]), pick(choices["status"]), pick(choices["data_source"]),
            f"{pick(STREETS)} {dice.randrange(1, 400)}", "", f"{dice.randrange(10_000):04}", pick(WORDS), pick(choices["region"]), "NO",
            f"{dice.uniform(57, 71):.6f}", f"{dice.uniform(4, 31):.6f}", pick(choices["activity_category"])]
