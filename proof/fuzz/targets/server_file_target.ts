// Fuzzes the reader of mcp-servers.json with files of other clients, files with people's mistakes, and files with hostile
// names.
import { toPlainJson } from "../../../base/text/json_comments.ts";
import assert from "node:assert/strict";
import fc from "fast-check";
import { isJsonObject, type JsonObject } from "../../../base/json.ts";
import { MAX_EXPANDED_CHARACTERS } from "../../../runtime/tools/mcp/servers_file/expansion.ts";
import { parseServers } from "../../../runtime/tools/mcp/servers_file/parse_servers.ts";
import { resolveServer } from "../../../runtime/tools/mcp/servers_file/resolve_server.ts";
import { findEntries } from "../../../runtime/tools/mcp/servers_file/server_entries.ts";
import type { ServerDefinition } from "../../../runtime/tools/mcp/servers_file/server_definition.ts";
import { ODD_NAMES } from "../odd_text.ts";
import { defineTarget } from "../target.ts";
import { textOf } from "../../../tests/support/any_text.ts";

/** The value in every place of a case that may contain a secret. No message about a problem may contain this value. */
const SECRET = "hunter2-hunter2";
const VARIABLES: ReadonlyMap<string, string> = new Map([
  ["A", "x"],
  ["A_TOKEN", SECRET],
  ["LONG", "y".repeat(10_000)],
  ["HOME", "/home/me"],
]);

const value = textOf(
  ["${A}", "${A_TOKEN}", "${LONG}", "${NONE}", "${", "}", SECRET, "=", "/", "http://h/", " ", "é"],
  { maxLength: 16 },
);
const name = fc.oneof(fc.constantFrom(...ODD_NAMES), fc.string({ maxLength: 6 }));
const map = fc.dictionary(name, fc.oneof({ weight: 9, arbitrary: value }, fc.jsonValue()), {
  maxKeys: 4,
});
const odd = fc.jsonValue({ maxDepth: 1 });
const either = (usual: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: odd });
const entry = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      command: either(value),
      url: either(
        fc.tuple(fc.constantFrom("http://h/", "https://a:b@h/", ""), value).map((all) =>
          all.join("")
        ),
      ),
      httpUrl: either(value),
      args: either(fc.array(value, { maxLength: 4 })),
      env: either(map),
      headers: either(map),
      cwd: either(value),
      type: either(fc.constantFrom("stdio", "http", "sse")),
      disabled: either(fc.boolean()),
      timeout: either(fc.constantFrom("90s", 90, 90_000, -1)),
      __proto: map,
    }, { requiredKeys: [] }),
  },
  { weight: 1, arbitrary: odd },
);
const file = fc.tuple(
  fc.dictionary(name, entry, { maxKeys: 4 }),
  fc.constantFrom("", "mcpServers", "servers", "mcp.servers"),
  fc.dictionary(name, odd, { maxKeys: 2 }),
  fc.option(fc.tuple(fc.nat(400), fc.constantFrom("", ",", "}", "\0", "//")), { freq: 9 }),
).map(([servers, wrapper, beside, damage]) => {
  // The JSON is written as text, because an object literal cannot have the key `__proto__`.
  const inner = toText(servers);
  const rest = toText(beside).slice(1, -1);
  const more = rest === "" ? "" : `,${rest}`;
  const text = wrapper === ""
    ? inner
    : wrapper === "mcp.servers"
    ? `{"mcp":{"servers":${inner}}${more}}`
    : `{"${wrapper}":${inner}${more}}`;
  if (damage === null) return text;
  const [at, put] = damage;
  return text.slice(0, at) + put + text.slice(at + 1);
});

function toText(object: object): string {
  return JSON.stringify(object).replaceAll('"__proto":', '"__proto__":');
}

export const serverFiles = defineTarget({
  name: "server-files",
  claim:
    "mcp-servers.json gives servers with all their settings, or problems that repeat no value; " +
    "what variables come to is bounded",
  cases: () => file,
  check(text) {
    const document = parseServers(text, "/w/mcp-servers.json");
    if ("problem" in document) return checkProblem(document.problem);
    const { entries = {} } = findEntries(JSON.parse(toPlainJson(text)));
    for (const [name, server] of document.servers) {
      server.warnings.forEach(checkProblem);
      if ("problem" in server) {
        checkProblem(server.problem);
        continue;
      }
      const resolved = resolveServer("s", server, {
        directories: { workspace: "/w", stateDir: "/state" },
        environment: VARIABLES,
      });
      if ("problem" in resolved) {
        checkProblem(resolved.problem);
        continue;
      }
      const entry = entries[name] as JsonObject;
      const written = server.kind === "program" ? entry["env"] : entry["headers"];
      checkDefinition(resolved, { written, text });
    }
  },
});

function checkProblem(problem: string): void {
  assert.ok(problem !== "" && !problem.includes(SECRET), problem);
  assert.doesNotMatch(problem, /\p{Cc}/u);
}

/** Checks one definition. `written` is the entry's environment or headers as written in the file. */
function checkDefinition(
  definition: ServerDefinition,
  { written, text }: { written: unknown; text: string },
): void {
  const { secrets, ...rest } = definition;
  const given = rest.kind === "program" ? rest.env : rest.headers;
  assert.ok(Object.getPrototypeOf(given) === Object.prototype);
  assert.ok(Object.values(given).every((one) => typeof one === "string"));
  assert.ok(JSON.stringify(rest).length <= 2 * (MAX_EXPANDED_CHARACTERS + text.length) + 1_000);
  assert.ok(
    secrets.every((one, at) => at === 0 || one.value.length <= secrets[at - 1]!.value.length),
  );
  // The secret must be registered for redaction, or a later message could contain it.
  if (Object.entries(given).some(([name, one]) => name === "A_TOKEN" && one === SECRET)) {
    assert.ok(secrets.some((one) => one.value === SECRET));
  }
  const named = Object.keys(isJsonObject(written) ? written : {});
  assert.ok(named.every((name) => Object.hasOwn(given, name)), "a name was dropped");
}
