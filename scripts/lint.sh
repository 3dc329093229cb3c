#!/bin/sh
# lint.sh [FILE…]: clang-tidy over the sources (without tests), as .clang-tidy says. Needs the compile commands of a configured build.
set -eu
cd "$(dirname "$0")/.."
cmake --preset asan >/dev/null
if [ $# -eq 0 ]; then
  set -- $(find src bench fuzz tools -name '*.cc' ! -name '*_test.cc' | sort)
fi
echo "clang-tidy over $# files"
printf '%s\n' "$@" | xargs -P "$(nproc)" -n 4 clang-tidy-14 --quiet -p build/asan --extra-arg=-Wno-unknown-warning-option
