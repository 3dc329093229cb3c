#!/bin/sh
# fuzz.sh SECONDS [NAME]: builds the fuzz targets with clang's libFuzzer and runs each for so long, starting from its corpus. New inputs
# stay in build/fuzz/found; one that breaks something is kept as build/fuzz/crash-… and fails the run.
set -eu
cd "$(dirname "$0")/.."
seconds=$1
name=${2:-}
cmake --preset fuzz
failed=0
for source in fuzz/fuzz_*.cc; do
  target=$(basename "$source" .cc)
  [ -z "$name" ] || [ "$name" = "$target" ] || continue
  cmake --build --preset fuzz --target "$target"
  mkdir -p "build/fuzz/found/$target"
  echo "$target: $seconds s"
  # A time limit for each input (a hang is a fault), and a limit of memory.
  "build/fuzz/$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -artifact_prefix=build/fuzz/ -print_final_stats=1 \
    "build/fuzz/found/$target" "fuzz/corpus/$target" 2>&1 | tail -12 || true
  if ls build/fuzz/crash-* build/fuzz/timeout-* build/fuzz/oom-* >/dev/null 2>&1; then failed=1; fi
done
[ "$failed" = 0 ] || { echo "a fuzz target failed: see build/fuzz/crash-*, timeout-*, oom-*" >&2; exit 1; }
