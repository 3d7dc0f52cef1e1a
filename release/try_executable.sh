#!/bin/sh
# Tries an installed Inkling, or an executable of a release: it starts, and an agent runs in a workspace that is thrown
# away afterwards.
set -eu
program=$1
case $program in */*) chmod 755 "$program" ;; esac

place=$(mktemp -d)
export INKLING_CONFIG_DIR="$place/config" INKLING_STATE_DIR="$place/state"
here() { "$program" "$@" --workspace "$place/workspace"; }
trap 'here stop >/dev/null 2>&1 || true; rm -rf "$place"' EXIT

mkdir -p "$place/workspace/agents"
cat >"$place/workspace/agents/parrot.md" <<'AGENT'
---
model: { provider: demo, name: echo }
---

Say it again.
AGENT
"$program" --version
here validate parrot
case $(uname -s) in
  # The service listens on a Unix socket, which Deno has not got there.
  MINGW* | MSYS* | CYGWIN*) exit 0 ;;
esac
answer=$(here run parrot --quiet --message 'Polly')
printf '%s\n' "$answer"
case $answer in *Polly*) ;; *) exit 1 ;; esac
here stop
