#!/bin/sh
# node_folder.sh: prints the folder of a Node.js that is new enough for the dashboard (20.19): the one that is installed, or, Debian 12's being older,
# one that npm brings into build/node.
set -eu
cd "$(dirname "$0")/.."
new_enough='const [major, minor] = process.versions.node.split(".").map(Number); process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1)'
if node -e "$new_enough"; then
  dirname "$(command -v node)"
  exit 0
fi
folder=$PWD/build/node/newer/node_modules/node/bin
mkdir -p build/node/newer
exec 9>build/node/newer/lock
flock 9
if [ ! -x "$folder/node" ]; then
  echo "Installing into build/node/newer: node@22" >&2
  npm install --prefix build/node/newer --no-save --no-package-lock --no-audit --no-fund --loglevel=error node@22 >&2
fi
echo "$folder"
