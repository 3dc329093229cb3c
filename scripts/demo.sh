#!/bin/sh
# demo.sh LADE: imports the bundled price list into a fresh SQLite file, shows what failed, imports it again, then a larger one.
set -eu
lade=$(realpath "$1")
cd "$(dirname "$0")/.."
folder=build/demo
database=$folder/company.db
example=examples/price_list
definition=$example/price_list_components.yaml
rows=${DEMO_ROWS:-400000}

say() { printf '\n\033[1m%s\033[0m\n' "$1"; }

# import FILE RESULTS: exit code 2 means finished with some failed rows, which these files have on purpose.
import() {
  echo "\$ lade import $1 -d $definition --database sqlite:$database --results-dir $folder/$2"
  "$lade" import "$1" -d "$definition" --database "sqlite:$database" --data "$folder/data" --results-dir "$folder/$2" || [ $? -eq 2 ]
}

rm -rf "$folder"
mkdir -p "$folder"
say "1. A company's database: $database, with the tables and items of $example (by the sqlite3 shell)"
sqlite3 "$database" <"$example/schema.sql"
sqlite3 "$database" <"$example/items.sql"
sqlite3 "$database" "SELECT (SELECT count(*) FROM price_list_item) || ' items, ' || (SELECT count(*) FROM price_list_component) || ' components'"

say "2. Somebody else's file"
head -4 "$example/prices.csv"
echo "… $(($(wc -l <"$example/prices.csv"))) lines"

say "3. Load it"
import "$example/prices.csv" first

say "4. The rows that failed, as they came, with the reason"
cat "$folder/first/failed.csv"

say "5. The same file again: nothing to write"
import "$example/prices.csv" second

say "6. A larger one, $rows rows with 1 % bad ones (made by awk), with the progress line"
sqlite3 -csv "$database" "SELECT cat, sel FROM price_list_item" | tr -d '\r' | awk -F, -v OFS=, -v rows="$rows" '
  { item[NR] = $1 OFS $2 }
  END {
    print "Cat,Sel,Component Code,Description,Quantity,Unit Price"
    for (i = 1; i <= rows; i++) print item[i % NR + 1], "GEN-" i, "Generated", (i % 100 ? i % 9 : "many"), i % 1000 / 10 + 1
  }' >"$folder/large.csv"
if [ ! -t 2 ]; then
  # No terminal here: lend it one, and show the states of its live line one below the other.
  script -qc "$(printf '%s ' "'$lade'" import "$folder/large.csv" -d "$definition" --database "sqlite:$database" \
    --data "$folder/data" --results-dir "$folder/third")" /dev/null 2>&1 | tr '\r' '\n' | sed 's/\x1b\[[0-9]*[mK]//g; /^$/d'
fi
[ -s "$folder/third/failed.csv" ] || import "$folder/large.csv" third

say "Everything is in $folder; the format of definitions is in docs/definitions.md"
