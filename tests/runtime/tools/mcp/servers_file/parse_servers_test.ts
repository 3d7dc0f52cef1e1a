// Tests the notations and the faults of mcp-servers.json. No message contains a value.
import assert from "node:assert/strict";
import fc from "fast-check";
import { declaredSecrets } from "../../../../../runtime/tools/mcp/servers_file/declared_secrets.ts";
import {
  Expansion,
  MAX_EXPANDED_CHARACTERS,
} from "../../../../../runtime/tools/mcp/servers_file/expansion.ts";
import { parseServers } from "../../../../../runtime/tools/mcp/servers_file/parse_servers.ts";
import { isChosen } from "../../../../../runtime/tools/mcp/servers_file/server_definition.ts";
import { resolveServer } from "../../../../../runtime/tools/mcp/servers_file/resolve_server.ts";

const parse = (value: unknown) => {
  const document = parseServers(JSON.stringify(value), "/w/mcp-servers.json");
  assert.ok(!("problem" in document), JSON.stringify(document));
  return document;
};
const problemOf = (entry: unknown) => {
  const server = parse({ s: entry }).servers.get("s");
  assert.ok(server !== undefined && "problem" in server, JSON.stringify(server));
  return server.problem;
};
const resolved = (entry: unknown, variables: Record<string, string> = {}) => {
  const server = parse({ s: entry }).servers.get("s");
  assert.ok(server !== undefined && !("problem" in server), JSON.stringify(server));
  const directories = { workspace: "/w", stateDir: "/state" };
  return resolveServer("s", server, {
    directories,
    environment: { get: (name) => variables[name] },
  });
};

Deno.test("parseServers() reads programs and URLs, at the top level or wrapped", () => {
  const files = { command: "npx", args: ["-y", "server"], env: { A: "1" }, cwd: "sub" };
  const web = { url: "https://example.com/mcp", headers: { X: "y" } };
  const entries = { files, web, typed: { type: "stdio", command: "x" } };
  for (const wrapped of [{ mcpServers: entries }, { servers: entries, inputs: [] }]) {
    assert.deepEqual(parse(entries), parse(wrapped));
  }
  assert.deepEqual(parse(entries), parse({ mcp: { servers: entries }, theme: "dark" }));
  assert.deepEqual(parse(entries), parse({ context_servers: entries, theme: "dark" }));
  assert.deepEqual(parse(entries), parse({ mcp: entries, theme: "dark" }));
  assert.deepEqual([...parse(entries).servers.keys()], ["files", "web", "typed"]);
  assert.deepEqual([...parse(entries).servers.values()].flatMap(({ warnings }) => warnings), []);
  // The servers have the names of other MCP clients' wrapper objects.
  for (const name of ["servers", "mcpServers", "mcp"]) {
    assert.deepEqual([...parse({ [name]: { command: "x" } }).servers.keys()], [name]);
  }
});

Deno.test("parseServers() accepts comments and trailing commas, and reports a fault's position", () => {
  const written = `{
  // servers of the team
  "servers": { "one": { "command": "node", /* "x" */ "args": ["// no comment, ]",], }, },
}`;
  const read = parseServers(written, "/w/s.json");
  assert.deepEqual(
    read,
    parse({ servers: { one: { command: "node", args: ["// no comment, ]"] } } }),
  );
  const broken = parseServers('{ // said\n  "one": { "command" } }', "/w/s.json");
  assert.match(
    "problem" in broken ? broken.problem : "",
    /^\/w\/s\.json:2:22: The file is not valid JSON/,
  );
});

Deno.test("parseServers() accepts the notations of other MCP clients", () => {
  const url = "https://example.com/mcp";
  const program = { command: "node", args: ["server.js"] };
  const table: [theirs: Record<string, unknown>, ours: Record<string, unknown>][] = [
    [
      { type: "local", command: ["node", "server.js"], environment: { A: "b" }, enabled: true },
      { ...program, type: "stdio", env: { A: "b" } },
    ],
    [{ type: "remote", url, enabled: true }, { type: "http", url }],
    [{ httpUrl: url, headers: { A: "b" } }, { url, headers: { A: "b" } }],
    [{ serverUrl: url, headers: { A: "b" } }, { url, headers: { A: "b" } }],
    [
      { type: "stdio", cmd: "node", args: ["server.js"], envs: { A: "1" }, env_keys: ["B_TOK"] },
      { ...program, type: "stdio", env: { B_TOK: "${B_TOK}", A: "1" } },
    ],
    [{ ...program, env: { PORT: 5, ON: true } }, { ...program, env: { PORT: "5", ON: "true" } }],
    [{ command: "node server.js" }, program],
    [
      { httpUrl: url, includeTools: ["a*"], excludeTools: ["ab"] },
      { url, tools: { include: ["a*"], exclude: ["ab"] } },
    ],
  ];
  for (const [theirs, ours] of table) {
    assert.deepEqual(parse({ s: theirs }), parse({ s: ours }), JSON.stringify(theirs));
    assert.deepEqual(parse({ s: theirs }).servers.get("s")?.warnings, []);
  }
  assert.match(problemOf({ type: "local", command: ["x"], enabled: false }), /entry disables it/);
  assert.equal(parse({ s: { command: "/my tools/x" } }).servers.get("s")?.warnings.length, 0);
  const offered = (name: string) => isChosen(name, { include: ["a*"], exclude: ["ab"] });
  assert.deepEqual(["a", "ab", "abc", "b"].map(offered), [true, false, true, false]);
});

Deno.test("parseServers() reads `disabled`, and timeouts in seconds, milliseconds or durations", () => {
  assert.equal(problemOf({ command: "a", disabled: true }), "its entry disables it");
  assert.match(problemOf({ command: "a", disabled: "yes" }), /^disabled: expected boolean/);
  const timeoutOf = (timeout: unknown) => {
    const result = resolved({ command: "a", disabled: false, timeout });
    return "problem" in result ? result : result.timeoutMs;
  };
  assert.equal(timeoutOf(120), 120_000);
  assert.equal(timeoutOf(999), 999_000);
  assert.equal(timeoutOf(1_000), 1_000);
  assert.equal(timeoutOf(600_000), 600_000);
  assert.equal(timeoutOf("2m30s"), 150_000);
  assert.equal(timeoutOf(undefined), undefined);
  for (const timeout of [0, -5, 0.5, 3_600_001, "2h", "soon", null, [60]]) {
    assert.match(problemOf({ command: "a", timeout }), /^timeout: /);
  }
});

Deno.test("parseServers() reports the fault of each entry", () => {
  assert.match(problemOf({}), /needs a command .* or a url/);
  assert.match(problemOf({ command: "a", url: "b" }), /both a command and a url/);
  assert.equal(problemOf({ url: "a", httpUrl: "a" }), "it has url and httpUrl: keep one");
  const both = problemOf({ command: "a", serverUrl: "b" });
  assert.equal(both, "it has both a command and a serverUrl: keep one");
  assert.match(problemOf("npx"), /must be an object/);
  assert.equal(problemOf({ command: "" }), "command: must not be empty");
  assert.match(problemOf({ command: "a", args: "b" }), /^args: expected array, received string$/);
  assert.match(problemOf({ command: "a", env: { KEY: [] } }), /^env\.KEY: expected string/);
  const message = problemOf({ url: "http://x", headers: { A: null } });
  assert.match(message, /^headers\.A: expected string/);
  const named = parse({ "\u0007": { command: "a" } }).servers.get("\u0007");
  assert.ok(named !== undefined && "problem" in named && /its name/.test(named.problem));
});

Deno.test("parseServers() warns about the unknown keys of a server", () => {
  const { servers } = parse({ s: { command: "a", arg: [], zzz: 1 }, other: { command: "b" } });
  assert.deepEqual(servers.get("s")?.warnings, [
    'it has an unknown key "arg" (did you mean "args"?)',
    'it has an unknown key "zzz"',
  ]);
  assert.deepEqual(servers.get("other")?.warnings, []);
});

Deno.test("parseServers() reports servers beside the wrapper object, and ignores other settings", () => {
  const entry = { command: "x" };
  const web = { url: "http://x" };
  const theme = { dark: true };
  const { servers } = parse({ servers: { files: entry }, late: entry, web, inputs: [], theme });
  assert.deepEqual([...servers.keys()].toSorted(), ["files", "late", "web"]);
  for (const name of ["late", "web"]) {
    const problem = 'it is beside "servers" and ignored: move it inside';
    assert.deepEqual(servers.get(name), { problem, warnings: [] });
  }
});

Deno.test("parseServers() refuses too many servers", () => {
  const many = Object.fromEntries(
    Array.from({ length: 257 }, (_, i) => [`s${i}`, { command: "x" }]),
  );
  const problem = "f.json:1:1: The file holds over 256 servers";
  assert.deepEqual(parseServers(JSON.stringify(many), "f.json"), { problem });
});

Deno.test("parseServers() reports a fault's position without the text around it", () => {
  const text = '{\n  "a": { "env": { "KEY": "sk-secret" "B": 1 } }\n}';
  assert.deepEqual(parseServers(text, "/w/f.json"), {
    problem:
      "/w/f.json:2:38: The file is not valid JSON: a comma or the closing bracket is expected; " +
      'a quote inside a string is written \\"',
  });
  const problem = "/w/f.json:1:1: The file must hold an object of servers by name";
  assert.deepEqual(parseServers("[]", "/w/f.json"), { problem });
});

Deno.test("resolveServer() fills in variables in all values", () => {
  const variables = { A: "one", B_TOKEN: "token-0123456789", C: "$1 ${A}" };
  assert.deepEqual(
    resolved({
      command: "${A}",
      args: ["-x=${C}", "$A", "${a b}"],
      env: { K: "<${B_TOKEN}>" },
      cwd: "sub/${A}",
    }, variables),
    {
      kind: "program",
      command: "one",
      args: ["-x=$1 ${A}", "$A", "${a b}"],
      env: { K: "<token-0123456789>" },
      cwd: "/w/sub/one",
      startsInOwnFolder: false,
      ownFolder: "/state/mcp/s",
      sandbox: { read: [], write: ["/w"], net: [] },
      workspace: "/w",
      secrets: [{ name: "B_TOKEN", value: "token-0123456789" }],
    },
  );
});

Deno.test("resolveServer() fills in other clients' variables, and refuses unresolved variables", () => {
  const variables = { A: "one", EMPTY: "", HOME: "/h", INPUT_GITHUB_TOKEN: "token-0123456789" };
  const valueOf = (text: string) => {
    const result = resolved({ command: "a", env: { K: text } }, variables);
    return "problem" in result ? result.problem : result.kind === "program" && result.env["K"];
  };
  const table: [written: string, value: string | RegExp][] = [
    ["${env:A}", "one"],
    ["<${NO:-two three}>", "<two three>"],
    ["${EMPTY:-two}${A:-two}${env:NO:-}", "twoone"],
    ["$A", "one"],
    ["$$A costs $$5, $5, $A and ${A}", "$A costs $5, $5, $A and one"],
    ["$${A}", "${A}"],
    ["~/x", "/h/x"],
    ["${input:github-token}", "token-0123456789"],
    ["${input:no}", /^\$\{input:no\} is not defined: set INPUT_NO \(env\.K\) in the workspace's/],
    ["${env:NO}", /^\$\{env:NO\} is not defined: set NO \(env\.K\)/],
    ["$NO", /^\$NO is not defined: set NO \(env\.K\)/],
    ["$ecret-word", "$ecret-word"],
    ["echo ${x##*:} ${x:0:3}", "echo ${x##*:} ${x:0:3}"],
    ["$ecret", /^env\.K begins with \$ and names no variable: .*\$\$ for a dollar$/],
    ["Bearer $NO", /^env\.K holds \$NO: write \$\{NO\}, or \$\$ for a dollar$/],
    ["${command:pick.one}", /^env\.K holds \$\{command:…\}: write \$\{NAME\} or/],
    ["${A:-${NO}}", /^env\.K holds \$\{A:…\}: /],
    ["${hunter2-hunter2", /^env\.K holds \$\{…\}: [^2]*$/],
  ];
  for (const [written, value] of table) {
    const found = valueOf(written);
    if (typeof value === "string") assert.equal(found, value, written);
    else assert.match(String(found), value, written);
  }
  // A `$` in arguments may belong to a shell script.
  const script = 'for f in $FILES "${f%.*}"; do echo $$; done';
  const result = resolved({ command: "~/sh", args: ["-c", script, "$${A}", "~"] }, variables);
  assert.ok(!("problem" in result) && result.kind === "program");
  assert.deepEqual(result.args, ["-c", script, "${A}", "/h"]);
  assert.equal(result.command, "/h/sh");
  const web = (url: string) => resolved({ url, headers: { X: "$A" } }, variables);
  assert.match(
    JSON.stringify(web("${NO:-https://x}/?$top=1")),
    /"https:\/\/x\/\?\$top=1".*"X":"one"/,
  );
  assert.match(JSON.stringify(web("https://x/?key=$KEY&a=b")), /url holds \$KEY: write \$\{KEY\}/);
});

Deno.test("resolveServer() gives programs the system's variables, which the entry can override", () => {
  const variables = {
    PATH: "/bin",
    HOME: "/h",
    USER: "() { :; }",
    OPENAI_API_KEY: "sk-0123456789",
  };
  const result = resolved({ command: "a", env: { HOME: "/other" } }, variables);
  assert.ok(!("problem" in result) && result.kind === "program");
  assert.deepEqual(result.env, { PATH: "/bin", HOME: "/other" });
});

Deno.test("resolveServer() reports undefined variables once, and invalid URLs", () => {
  const problem = (entry: unknown) => {
    const result = resolved(entry, { TOKEN: "a\nb" });
    assert.ok("problem" in result);
    return result.problem;
  };
  const expected = "${NO}, ${NOR} is not defined: set NO (command, args.0), NOR (args.1) " +
    "in the workspace's .env or in the shell";
  assert.equal(problem({ command: "${NO}", args: ["${NO}", "${NOR}"] }), expected);
  // The text before `://` may come from a variable with a key.
  assert.match(problem({ url: "key-1://x/" }), /^its url must begin with http:\/\/ or https:\/\/$/);
  assert.match(problem({ url: "no url" }), /its url is not a valid URL/);
  assert.match(problem({ url: "http://u:password1@x/" }), /contains a user or a password/);
  const message = problem({ url: "http://x", headers: { "A b": "c" } });
  assert.match(message, /headers\.A b is not a valid/);
  const sentence = problem({ url: "http://x", headers: { A: "${TOKEN}" } });
  assert.match(sentence, /headers\.A is not a valid/);
  assert.match(problem({ command: "a\0b" }), /NUL/);
});

Deno.test("resolveServer() limits the size of filled-in values", () => {
  const variables = { LONG: "x".repeat(1024) };
  const args = (count: number) => Array.from({ length: 16 }, () => "${LONG}".repeat(count));
  assert.ok(!("problem" in resolved({ command: "a", args: args(8) }, variables)));
  const problem = "its values have over 128 KB after their variables are filled in";
  assert.deepEqual(resolved({ command: "a", args: args(2_000) }, variables), { problem });
});

Deno.test("parseServers() refuses the name __proto__", () => {
  for (const [place, rest] of [["env", '"command":"a"'], ["headers", '"url":"https://h/"']]) {
    const document = parseServers(`{"s":{${rest},"${place}":{"__proto__":"x"}}}`, "/w/f.json");
    assert.ok(!("problem" in document));
    const expected = { problem: `${place} must not have a name __proto__`, warnings: [] };
    assert.deepEqual(document.servers.get("s"), expected);
  }
});

Deno.test("Expansion.fill() stops at its size limit", () => {
  const long = "x".repeat(1024);
  const expansion = new Expansion(() => long);
  let characters = 0;
  for (let i = 0; i < 16; i++) characters += expansion.fill("${LONG}".repeat(2_000)).length;
  assert.equal(characters, MAX_EXPANDED_CHARACTERS);
  assert.equal(expansion.isTooLarge, true);
});

Deno.test("declaredSecrets() finds secrets by name and form, and ignores ordinary words", () => {
  const secretsOf = (entry: unknown) =>
    declaredSecrets(entry, (text) => text).map(({ name, value }) => `${name}: ${value}`);
  const env = {
    GITHUB_PERSONAL_ACCESS_TOKEN: "ghp_0123456789",
    PGPASSWORD: "hunter2hunter2",
    apiKey: "camel-case-key",
    DB_PASS: "database-pass",
    GH_PAT: "short",
    DATABASE_URL: "postgres://me:pass-in-url@db/x",
    NODE_ENV: "production",
    VERBOSE_LOGS: "true",
    KEYBOARD: "qwertz-layout",
    COMPASS: "north-east",
  };
  assert.deepEqual(secretsOf({ env }), [
    "GITHUB_PERSONAL_ACCESS_TOKEN: ghp_0123456789",
    "PGPASSWORD: hunter2hunter2",
    "apiKey: camel-case-key",
    "DB_PASS: database-pass",
    "DATABASE_URL: pass-in-url",
  ]);
  const headers = {
    "X-Api-Key": "key-in-header",
    Cookie: "theme=dark; session=cookie-secret",
    Accept: "application/json",
    "X-Tenant": "production",
    Note: "Bearer bearer-in-note",
  };
  assert.deepEqual(secretsOf({ headers }), [
    "X-Api-Key: key-in-header",
    "Cookie: theme=dark; session=cookie-secret",
    "Cookie: cookie-secret",
    "Note: bearer-in-note",
  ]);
  // deno-fmt-ignore
  const args = [
    "run", "--api-key=key-after-equals", "--token", "token-after-space", "--header",
    "Authorization: Bearer bearer-in-args", "-e", "SLACK_TOKEN=xoxb-0123456789",
    "--mode=development", "--key", "--verbose-mode",
  ];
  assert.deepEqual(secretsOf({ args }), [
    "api-key: key-after-equals",
    "token: token-after-space",
    "header: bearer-in-args",
    "SLACK_TOKEN: xoxb-0123456789",
  ]);
  assert.deepEqual(secretsOf({ args: ["postgres://me:pass-in-url@db/x"] }), [
    "password: pass-in-url",
  ]);
  const serverUrl = "https://me:userinfo-pw@x/mcp?profile=production&api_key=a%2Fb%2Fc-key";
  const expected = ["url: userinfo-pw", "api_key: a%2Fb%2Fc-key", "api_key: a/b/c-key"];
  assert.deepEqual(secretsOf({ serverUrl }), expected);
  fc.assert(fc.property(fc.jsonValue(), (entry) => void secretsOf(entry)));
});

Deno.test("resolveServer() finds secrets in a URL", () => {
  const headers = { Authorization: "Bearer bearer-secret", Short: "abc" };
  const result = resolved({ url: "https://x/mcp?key=query-secret", headers });
  assert.ok(!("problem" in result));
  const found = result.secrets.map(({ value }) => value);
  assert.deepEqual(found, ["Bearer bearer-secret", "bearer-secret", "query-secret"]);
});
