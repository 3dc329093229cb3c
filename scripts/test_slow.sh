#!/bin/sh
# test_slow.sh: what takes too long for every change. The queue's simulation with SEEDS seeds, random timelines, the chaos tests in their long form, a million
# rows on both databases, a file of too many rows, the server under load, pages of a large diff, 1,240 pages fetched by processes that are killed, the dashboard with a million rows and with 10,000 imports, imports with the thread sanitizer, the corpora of other projects with sanitizers, the storage's suite on Ceph, each fuzz target for FUZZ_SECONDS.
set -eu
cd "$(dirname "$0")/.."
cmake --preset release -DLADE_TESTS=ON
cmake --build --preset release --target lade generate_components queue_test load_test
LADE_SIMULATION_SEEDS="${SEEDS:-100000}" build/release/queue_test --gtest_filter='Simulation.*'
LADE_TIMELINES="${TIMELINES:-100000}" build/release/load_test --gtest_filter='TimelineProperty.*'
python3 tests/slow/million.py --lade build/release/lade --generator build/release/generate_components --rows "${ROWS:-1000000}"
python3 tests/slow/too_many_rows.py --lade build/release/lade
python3 tests/slow/server_load.py --lade build/release/lade
python3 tests/slow/diff_pages.py --lade build/release/lade
for proof in review_grid many_jobs; do
  PATH="$(scripts/node_folder.sh):$PATH" tests/browser/run.py --lade build/release/lade --only "$proof"
done
scripts/test.py --only thread-cases
cmake --preset asan
cmake --build --preset asan --target corpus_test storage_test lade
LADE=build/asan/lade LADE_PAGES=1240 LADE_KILLS="${KILLS:-20}" python3 -m unittest discover -v -s tests/e2e -t tests/e2e -p test_compositions_flow.py -k Killed
python3 tests/chaos/run.py --lade build/asan/lade --long --without storm
python3 tests/chaos/run.py --lade build/release/lade --long --filter storm
LADE_SOURCE_DIR=$PWD build/asan/corpus_test
LADE_SOURCE_DIR=$PWD python3 tests/slow/radosgw.py --test build/asan/storage_test
scripts/fuzz.sh "${FUZZ_SECONDS:-60}"
