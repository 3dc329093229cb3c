#!/bin/sh
# A private PostgreSQL for tests and benchmarks: one cluster in one folder, reachable only through a socket in it.
#
#   private_postgresql.sh start DIR   makes the cluster if DIR has none, starts it, prints its URL
#   private_postgresql.sh stop DIR    stops it and removes DIR
#   private_postgresql.sh guard DIR   start; waits until its standard input ends; stop. Whoever holds the other end of
#                                     that pipe may be killed: the server goes with it.
#
# PGOPTS adds settings, e.g. PGOPTS="-c shared_buffers=2GB -c max_wal_size=8GB". fsync stays on unless they say otherwise.
# DIR should be short: the path of a socket has room for about 100 characters.
set -eu

usage() { sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 1; }
[ $# -eq 2 ] || usage
action=$1
dir=$2
port=5432

bin=/usr/lib/postgresql/15/bin
[ -x "$bin/pg_ctl" ] || bin=$(dirname "$(command -v pg_ctl || echo none)")
[ -x "$bin/pg_ctl" ] || { echo "PostgreSQL is not installed (package postgresql-15)" >&2; exit 1; }

# PostgreSQL refuses to run as root.
as_postgres() {
  if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi
}

start() {
  mkdir -p "$dir"
  if [ "$(id -u)" = 0 ]; then chown postgres "$dir"; fi
  chmod 755 "$dir"
  if [ ! -f "$dir/data/PG_VERSION" ]; then
    as_postgres "$bin/initdb" -D "$dir/data" -A trust -U lade -E UTF8 --locale=C.UTF-8 --no-sync >"$dir.log" 2>&1 ||
      { cat "$dir.log" >&2; rm -f "$dir.log"; exit 1; }
    rm -f "$dir.log"
  fi
  # The server must not inherit the pipe that its guard watches.
  as_postgres "$bin/pg_ctl" -D "$dir/data" -w -l "$dir/log" \
    -o "-c listen_addresses='' -c unix_socket_permissions=0777 -k $dir -p $port ${PGOPTS:-}" start >/dev/null </dev/null ||
    { cat "$dir/log" >&2; exit 1; }
  echo "postgresql://lade@/postgres?host=$dir&port=$port"
}

stop() {
  if [ -f "$dir/data/postmaster.pid" ]; then
    as_postgres "$bin/pg_ctl" -D "$dir/data" -m immediate -w stop >/dev/null 2>&1 || true
  fi
  rm -rf "$dir"
}

case $action in
  start) start ;;
  stop) stop ;;
  guard)
    trap '' INT TERM HUP
    start || { stop; exit 1; }
    exec >/dev/null
    cat >/dev/null
    stop
    ;;
  *) usage ;;
esac
