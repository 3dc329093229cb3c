#!/bin/sh
# install_packages.sh GROUP…: installs those packages of the groups that this Debian 12 machine lacks, and says which.
# Asks the package database first: when nothing is missing, nothing is run and no network is needed.
set -eu

build="g++ cmake ninja-build ccache mold pkg-config libboost1.81-dev libboost-json1.81-dev libc-ares-dev libcli11-dev libcurl4-openssl-dev
  libexpected-dev libfmt-dev libhiredis-dev libhowardhinnant-date-dev libhwy-dev libicu-dev libisal-dev liblua5.4-dev libpq-dev libre2-dev libsimdjson-dev libsodium-dev
  libsqlite3-dev libssl-dev libuchardet-dev libvalijson-dev libxlsxwriter-dev libxml2-dev libxxhash-dev libyaml-cpp-dev libzstd-dev
  nodejs npm python3 tzdata zlib1g-dev"
demo="sqlite3"
test="chromium clang-format-14 curl fonts-dejavu-core libgmock-dev libgtest-dev nodejs npm postgresql-15 prometheus python3 python3-jsonschema redis-server redis-tools sqlite3"
slow="ceph-common ceph-mon ceph-osd radosgw uuid-runtime"
fuzz="clang-14 libclang-rt-14-dev"
bench="gcc libgtest-dev libgmock-dev liborcus-bin postgresql-15 python3 python3-openpyxl sqlite3 time"
lint="clang-14 clang-format-14 clang-tidy-14"
format="clang-format-14"

packages=""
for group in "$@"; do
  case $group in
    build) packages="$packages $build" ;;
    demo) packages="$packages $demo" ;;
    test) packages="$packages $test" ;;
    slow) packages="$packages $slow" ;;
    fuzz) packages="$packages $fuzz" ;;
    bench) packages="$packages $bench" ;;
    lint) packages="$packages $lint" ;;
    format) packages="$packages $format" ;;
    *) echo "$0: no group '$group'; there are: build demo test slow fuzz bench lint format" >&2; exit 1 ;;
  esac
done

if ! command -v dpkg-query >/dev/null; then
  echo "This is no Debian system: install what corresponds to these packages of Debian 12 yourself:" >&2
  echo "  " $packages >&2
  exit 0
fi

missing=""
for package in $packages; do
  status=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  case " $missing " in *" $package "*) continue ;; esac
  # Node.js is often there from elsewhere, with npm in one package.
  case $package in npm | nodejs) command -v "${package%js}" >/dev/null && continue ;; esac
  [ "$status" = "install ok installed" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=""
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || {
    echo "These packages are missing, and there is no sudo to install them; as root, run:" >&2
    echo "  apt-get install --no-install-recommends$missing" >&2
    exit 1
  }
  as_root="sudo"
fi
echo "Installing Debian packages${as_root:+ with sudo}:$missing"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
$as_root apt-get install -y -qq --no-install-recommends $missing
