#!/bin/sh
# format.sh [--check]: formats the C++ sources as .clang-format says, or names those that are not formatted so.
set -eu
cd "$(dirname "$0")/.."
mode="-i"
[ "${1:-}" != "--check" ] || mode="--dry-run -Werror"
find src tests fuzz bench tools -name '*.cc' -o -name '*.h' | sort | xargs clang-format-14 $mode
