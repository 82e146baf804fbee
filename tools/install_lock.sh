#!/bin/sh
# Installs the packages of lock files with two pips side by side: install_lock.sh PYTHON LOCK...
# Lines that include another lock (`-r`) are passed over: name that one as well.
set -eu
python=$1
shift
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT
cat "$@" | grep -v -e '^-r' -e '^#' -e '^$' | awk -v folder="$parts" '{ print > (folder "/" NR % 2) }'
"$python" -m pip install --quiet --disable-pip-version-check --no-compile --no-deps -r "$parts/0" &
other=$!
failed=0
"$python" -m pip install --quiet --disable-pip-version-check --no-compile --no-deps -r "$parts/1" || failed=1
wait "$other" || failed=1
[ "$failed" = 0 ] && "$python" -m pip check --quiet
