#!/bin/sh
# install_node_tools.sh: installs the programs of Node.js that tests start into build/node, once. Today: s3rver, a server that speaks S3.
set -eu
cd "$(dirname "$0")/.."
tools="s3rver@3.7.1"
mkdir -p build/node
exec 9>build/node/lock
flock 9
[ "$(cat build/node/installed 2>/dev/null)" = "$tools" ] && exit 0
echo "Installing into build/node: $tools" >&2
npm install --prefix build/node --no-save --no-package-lock --no-audit --no-fund --loglevel=error $tools >&2
echo "$tools" >build/node/installed
