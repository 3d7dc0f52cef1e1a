#!/bin/sh
# Tries an installed Inkling, or an executable of a release, in a place that is thrown away afterwards: it starts, agents
# run, a custom tool and a script of a skill do their work and reach nothing outside, a watched file starts a run, the page
# is served, an executable finds a newer release, and code that lies in the temporary folder does not run.
set -eu
program=$1
case $program in */*) chmod 755 "$program" ;; esac

place=$(cd "$(mktemp -d)" && pwd -P)
releases=
trap 'here stop >/dev/null 2>&1 || true; [ -z "$releases" ] || kill "$releases"; rm -rf "$place"' EXIT
# Nothing of whoever tries it: no configuration, no state, and a temporary folder in which others have put packages.
# SANDBOX is the setting for what agents start, where the default is not wanted.
mkdir "$place/config" && echo "sandbox: ${SANDBOX:-preferred}" >"$place/config/config.yaml"
export INKLING_CONFIG_DIR="$place/config" INKLING_STATE_DIR="$place/state" TMPDIR="$place/tmp"
for name in bufferutil utf-8-validate supports-color undici; do
  mkdir -p "$TMPDIR/node_modules/$name"
  printf 'require("fs").writeFileSync("%s", "");\n' "$place/planted-$name" >"$TMPDIR/node_modules/$name/index.js"
done

here() { "$program" "$@" --workspace "$place/workspace"; }
fail() {
  printf 'Failed: %s\n' "$*" >&2
  exit 1
}
expect() { # what it is about, a pattern, the text that must match it
  # shellcheck disable=SC2254 # the pattern is meant as one
  case $3 in $2) printf 'ok: %s\n' "$1" ;; *) fail "$1: $3" ;; esac
}
write_agent() { # id, settings; the task on standard input
  printf -- '---\nmodel: { provider: demo, name: %s }\n%s\n---\n\n' "$2" "$3" >"$place/workspace/agents/$1.md"
  cat >>"$place/workspace/agents/$1.md"
}
write_script() { # id, settings; the steps of the scripted model on standard input
  { printf '```demo\n' && cat && printf '```\n'; } | write_agent "$1" script "$2"
}

workspace=$place/workspace
mkdir -p "$workspace/agents/_config/tools" "$workspace/agents/_config/skills/adder/scripts" "$workspace/inbox"
echo secret >"$place/outside.txt"
echo abc >"$workspace/notes.md"
echo 'Say it again.' | write_agent parrot echo ''

expect 'it tells its version' '[0-9]*.[0-9]*.[0-9]*' "$("$program" --version)"
here validate parrot
case $(uname -s) in
  # The service listens on a Unix socket, which Deno has not got there.
  MINGW* | MSYS* | CYGWIN*) exit 0 ;;
esac
expect 'an agent runs' '*Polly*' "$(here run parrot --quiet --message 'Polly')"

cat >"$workspace/agents/_config/tools/measure.ts" <<'TOOL'
export default {
  description: "Tells how long a file is",
  effect: "read",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  async run({ path }: { path: string }): Promise<string> {
    return `measured ${(await Deno.readTextFile(path)).length}`;
  },
};
TOOL
for file in "$workspace/notes.md" "$place/outside.txt"; do
  write_script "$(basename "$file" | tr . -)" 'tools: [measure]' <<STEPS
[{ "call": [{ "name": "measure", "arguments": { "path": "$file" } }] }, { "say": "{result}" }]
STEPS
done
expect 'a custom tool works' '*measured 4*' "$(here run notes-md --quiet)"
expect 'a custom tool reads nothing outside' '*read access*' "$(here run outside-txt --quiet)"

printf -- '---\nname: adder\ndescription: Adds\n---\n\nAdd.\n' >"$workspace/agents/_config/skills/adder/SKILL.md"
cat >"$workspace/agents/_config/skills/adder/scripts/add.ts" <<'SCRIPT'
const [a = "", b = "", path = ""] = Deno.args;
const read = await Deno.readTextFile(path).then(() => "allowed", () => "denied");
console.log(`sum ${Number(a) + Number(b)}, ${read}`);
SCRIPT
write_script adding 'skills: [adder]' <<STEPS
[
  {
    "call": [{
      "name": "skill_run_script",
      "arguments": { "skill_name": "adder", "script_name": "add.ts", "script_args": "2 3 $place/outside.txt" }
    }]
  },
  { "say": "{result}" }
]
STEPS
expect 'a script of a skill works, and reads nothing outside' '*sum 5, denied*' "$(here run adding --quiet)"

write_script watching 'trigger: { type: watch, paths: [inbox] }
auto_approve: [file_write]' <<'STEPS'
[
  { "call": [{ "name": "file_write", "arguments": { "path": "seen.md", "content": "seen" } }] },
  { "say": "Done" }
]
STEPS
here stop
here start --daemon
echo new >"$workspace/inbox/letter.md"
waited=0
until [ -e "$workspace/seen.md" ]; do
  [ "$waited" -lt 60 ] || fail 'a watched file starts no run'
  waited=$((waited + 1))
  sleep 1
done
echo 'ok: a watched file starts a run'

socket=$(find "$place/state" -name service.sock)
page() { curl --silent --show-error --fail --unix-socket "$socket" "http://localhost$1"; }
expect 'the page is served' '*ui/assets/app.js*' "$(page /ui)"
expect 'with what it loads' '*function*' "$(page /ui/assets/app.js)"
expect 'and the description of the API' '*swagger*' "$(page /docs)"
here stop

# Where executables come from a release; npm's packages are npm's affair.
case $program in
  */*)
    mkdir "$place/releases"
    target=$(uname -m | sed 's/^arm64$/aarch64/')-$(case $(uname -s) in Darwin) echo apple-darwin ;; *) echo unknown-linux-gnu ;; esac)
    printf '{"version":"99.0.0","files":{"%s":{"name":"inkling","sha256":"%064d"}}}' "$target" 0 >"$place/releases/latest.json"
    python3 -u -m http.server --bind 127.0.0.1 --directory "$place/releases" 0 >"$place/port" 2>/dev/null &
    releases=$!
    until grep -q port "$place/port"; do sleep 1; done
    INKLING_RELEASE_URL=http://127.0.0.1:$(sed 's/.* port \([0-9]*\) .*/\1/' "$place/port")/
    export INKLING_RELEASE_URL NO_PROXY=127.0.0.1
    expect 'a newer release is found' '*99.0.0 is available*' "$("$program" update --check)"
    ;;
esac

for name in bufferutil utf-8-validate supports-color undici; do
  [ ! -e "$place/planted-$name" ] || fail "code of $name ran from the temporary folder"
done
echo 'ok: code in the temporary folder does not run'
