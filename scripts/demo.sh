#!/bin/sh
# demo.sh LADE: imports the bundled price list into a fresh SQLite file, shows what failed, and imports it again.
set -eu
lade=$(realpath "$1")
cd "$(dirname "$0")/.."
folder=build/demo
database=$folder/company.db
example=examples/price_list

say() { printf '\n\033[1m%s\033[0m\n' "$1"; }
# 2 means: finished, some rows failed. The bundled file has such rows on purpose.
import() { echo "\$ lade import $*"; "$lade" import "$@" || [ $? -eq 2 ]; }

rm -rf "$folder"
mkdir -p "$folder"
say "1. A company's database: $database, with the tables and items of $example (made by python3's sqlite3 module)"
python3 - "$database" "$example/schema.sql" "$example/items.sql" <<'PYTHON'
import pathlib, sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
for script in sys.argv[2:]:
    connection.executescript(pathlib.Path(script).read_text())
print(connection.execute("SELECT count(*) FROM price_list_item").fetchone()[0], "items,",
      connection.execute("SELECT count(*) FROM price_list_component").fetchone()[0], "components")
PYTHON

say "2. Somebody else's file"
head -4 "$example/prices.csv"
echo "… $(($(wc -l <"$example/prices.csv"))) lines"

say "3. Load it by the definition $example/price_list_components.yaml"
import "$example/prices.csv" -d "$example/price_list_components.yaml" --database "sqlite:$database" \
  --data "$folder/data" --results-dir "$folder/first"

say "4. The rows that failed, as they came, with the reason"
cat "$folder/first/failed.csv"

say "5. The same file again: nothing to write"
import "$example/prices.csv" -d "$example/price_list_components.yaml" --database "sqlite:$database" \
  --data "$folder/data" --results-dir "$folder/second"

say "Everything is in $folder; the definition's format is in docs/definitions.md"
