#!/bin/sh
# Tries the image of Inkling with the rights of compose.yaml: it gets healthy, an agent runs, and it ends at a stop.
#   release/try_container.sh <image>      CONTAINER_ENGINE is docker by default
set -eu
image=$1
engine=${CONTAINER_ENGINE:-docker}
name=inkling-trial-$$
trap '"$engine" rm --force --volumes "$name" >/dev/null 2>&1 || true' EXIT

fail() {
  printf 'Failed: %s\n' "$*" >&2
  "$engine" logs "$name" >&2 || true
  exit 1
}

"$engine" run --detach --name "$name" --read-only --tmpfs /tmp --cap-drop ALL \
  --security-opt no-new-privileges:true --env INKLING_API_KEY=0123456789abcdef0123456789abcdef "$image" >/dev/null
inside() { "$engine" exec "$name" "$@"; }

waited=0
until [ "$("$engine" inspect --format '{{.State.Health.Status}}' "$name")" = healthy ]; do
  [ "$waited" -lt 60 ] || fail 'it does not get healthy'
  waited=$((waited + 1))
  sleep 1
done
echo 'ok: it is healthy'

inside sh -c 'mkdir -p /workspace/agents; printf -- "---\nmodel: { provider: demo, name: echo }\n---\n\nSay it again.\n" >/workspace/agents/parrot.md'
case $(inside inkling run parrot --quiet --message Polly) in
  *Polly*) echo 'ok: an agent runs' ;;
  *) fail 'an agent does not run' ;;
esac
[ "$(inside id -u)" = 1000 ] || fail 'it runs as another user'
if inside touch /opt/inkling/x 2>/dev/null; then fail 'its root is not read-only'; fi
echo 'ok: its user has no rights, and its root is read-only'
inside inkling info | grep Sandbox

"$engine" stop --time 30 "$name" >/dev/null
[ "$("$engine" inspect --format '{{.State.ExitCode}}' "$name")" = 0 ] || fail 'it does not end by itself'
echo 'ok: it ends at a stop'
