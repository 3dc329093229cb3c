#!/bin/sh
# build_web.sh: builds the dashboard, web/dist, which the build embeds into the program; only when its sources have changed.
# Without web/package.json or npm nothing is built, and the program says that it has no dashboard.
set -eu
cd "$(dirname "$0")/.."
[ -f web/package.json ] || exit 0
if ! command -v npm >/dev/null; then
  echo "There is no npm: the program is built without its dashboard" >&2
  exit 0
fi
PATH=$(scripts/node_folder.sh):$PATH
export PATH
mkdir -p build
exec 9>build/web.lock
flock 9
# What the dashboard is made of: everything below web/ but what is installed or built there.
sources() { find web -path web/node_modules -prune -o -path web/dist -prune -o -type f -print0 | sort -z | xargs -0 sha256sum; }
now=$(sources | sha256sum)
[ -f web/dist/index.html ] && [ "$(cat build/web.built 2>/dev/null)" = "$now" ] && exit 0
cd web
packages=$(sha256sum package.json package-lock.json | sha256sum)
if [ ! -d node_modules ] || [ "$(cat node_modules/.installed 2>/dev/null)" != "$packages" ]; then
  echo "Installing the packages of the dashboard (npm ci)" >&2
  npm ci --no-audit --no-fund --loglevel=error >&2
  echo "$packages" >node_modules/.installed
fi
echo "Building the dashboard" >&2
npm run --silent build >&2
cd ..
# What the build has written beside its sources, such as a generated client, is part of what was built.
sources | sha256sum >build/web.built
