// Tests the flags of a workspace: those that its agents and config.yaml need, and no others.
import assert from "node:assert/strict";
import { join } from "node:path";
import { deriveFlags } from "../../../runtime/permissions/derive_flags.ts";
import type { PermissionFlags } from "../../../runtime/permissions/derive_flags.ts";
import { createTestWorkspace, type TestWorkspace } from "../../support/test_workspace.ts";

async function derive(place: TestWorkspace, options: { host?: string } = {}) {
  return await deriveFlags(await place.settings(), options);
}

/** Returns the values of all flags with this name, sorted. */
function valuesOf({ flags }: PermissionFlags, name: string): string[] {
  return flags.flatMap(({ flag }) => {
    const [before = "", ...rest] = flag.split("=");
    return before === `--${name}` ? rest.join("=").split(",") : [];
  }).sort();
}

const whyOf = ({ flags }: PermissionFlags, flag: string) =>
  flags.find((one) => one.flag === flag)?.why;

const demo = (lines: string, body = "Do it.") =>
  `---\nmodel: {provider: demo, name: echo}\n${lines}\n---\n${body}\n`;

/** Defines a test with its own workspace. */
function test(name: string, body: (place: TestWorkspace) => Promise<void>): void {
  Deno.test(name, async () => {
    await using place = await createTestWorkspace();
    await body(place);
  });
}

test("deriveFlags() allows agents without declared paths their workspace and loopback, and no programs", async (place) => {
  await place.writeAgent("plain", demo("paths: {notes: notes}"));
  const derived = await derive(place);
  const { workspace, stateDir, configDir } = place;
  const program = new URL("../../..", import.meta.url).pathname.replace(/\/$/, "");
  const found = valuesOf(derived, "allow-read");
  assert.deepEqual(found, [workspace, stateDir, configDir, program].sort());
  assert.deepEqual(valuesOf(derived, "allow-write"), [workspace, stateDir].sort());
  assert.deepEqual(valuesOf(derived, "deny-write"), [join(workspace, "agents", "_config")]);
  assert.deepEqual(
    valuesOf(derived, "allow-net"),
    ["127.0.0.1", "[::1]", "localhost", `unix:${join(stateDir, "service.sock")}`].sort(),
  );
  assert.deepEqual(derived.flags.filter(({ flag }) => flag.startsWith("--allow-run")), []);
  assert.match(derived.remarks.join(), /Without --allow-run no program can be started/);
  for (const { flag } of derived.flags) {
    assert.doesNotMatch(flag, /^(-A|--allow-all|--allow-ffi|--allow-import)/);
    assert.doesNotMatch(flag, /^--allow-(read|write|net|env)$/, "nothing is allowed as a whole");
  }
});

test("deriveFlags() allows declared and watched paths, each with the agent's name", async (place) => {
  const { root } = place;
  const at = (...names: string[]) => join(root, ...names);
  for (const name of ["data", "drop/in", "lists"]) await Deno.mkdir(at(name), { recursive: true });
  await Deno.writeTextFile(at("lists/todo.md"), "");
  await Deno.writeTextFile(at("home.md"), "");
  await place.writeAgent("archivist", demo(`paths: {data: ${at("data")}, own: ~/own}`));
  const watched = demo(`trigger: {type: watch, paths: ["${at("drop")}/in/*.md", "~/later"]}`);
  await place.writeAgent("watcher", watched);
  const braces = demo(`trigger: {type: watch, paths: ["{${at("scans")},~/far/new}/*.{md,txt}"]}`);
  await place.writeAgent("braces", braces);
  const files =
    "paths: {todo: ~/lists/todo.md, new: ~/lists2/new.md, home: ~/home.md, project: editor}";
  await place.writeAgent("keeper", demo(files));
  const derived = await derive(place);
  const read = valuesOf(derived, "allow-read");
  const write = valuesOf(derived, "allow-write");
  // The folder of a written file is allowed, because the file is replaced by a new one. The home directory is never
  // allowed.
  for (const path of [at("data"), at("own"), at("lists"), at("lists2"), at("home.md")]) {
    assert.ok(read.includes(path) && write.includes(path), path);
  }
  // Each path that the braces expand to is allowed.
  for (const path of [at("drop/in"), at("later"), at("scans"), at("far/new")]) {
    assert.ok(read.includes(path) && !write.includes(path), path);
  }
  for (const path of [root, at("drop"), at("far")]) {
    assert.ok(!read.includes(path) && !write.includes(path), path);
  }
  assert.equal(whyOf(derived, `--allow-write=${at("data")}`), "{data} of archivist");
  assert.equal(whyOf(derived, `--allow-read=${at("drop/in")}`), "watched by watcher");
  assert.equal(whyOf(derived, `--allow-read=${at("far/new")}`), "watched by braces");
  assert.match(derived.remarks.join("\n"), /\{project\} of keeper is the folder of an editor/);
  assert.match(derived.remarks.join("\n"), /home\.md \(\{home\} of keeper\).* lies directly in/);
});

test("deriveFlags() allows a symbolic link and its target", async (place) => {
  const real = join(place.root, "real");
  await Deno.rename(place.workspace, real);
  await Deno.symlink(real, place.workspace);
  await Deno.mkdir(join(place.root, "far"));
  await Deno.symlink(join(place.root, "far"), join(place.root, "near"));
  await place.writeAgent("linked", demo("paths: {near: ~/near, far_new: ~/near/new}"));
  const derived = await derive(place);
  const write = valuesOf(derived, "allow-write");
  for (const path of [place.workspace, real, join(place.root, "near"), join(place.root, "far")]) {
    assert.ok(write.includes(path), path);
  }
  const expected = [join(place.workspace, "agents/_config"), join(real, "agents/_config")].sort();
  assert.deepEqual(valuesOf(derived, "deny-write"), expected);
});

test("deriveFlags() allows the hosts of the agents' models and the variables of their keys only", async (place) => {
  const model = (id: string, settings: string) =>
    place.writeAgent(id, `---\nmodel: ${settings}\n---\nx\n`);
  await model("o", "{provider: openai, name: gpt-5}");
  await model("a", "{provider: anthropic, name: x, api_key_env: MY_CLAUDE}");
  await model("l", "{provider: local, name: x}");
  await model("c", '{provider: corp, name: x, base_url: "http://models.corp.test:8080/v1"}');
  await model("broken", "{provider: nowhere, name: x}");
  const derived = await derive(place);
  const net = valuesOf(derived, "allow-net");
  for (const host of ["api.openai.com:443", "api.anthropic.com:443", "models.corp.test:8080"]) {
    assert.ok(net.includes(host), host);
  }
  assert.ok(!net.some((host) => /google|11434/.test(host)));
  const env = valuesOf(derived, "allow-env");
  for (const name of ["OPENAI_API_KEY", "MY_CLAUDE", "CORP_API_KEY"]) assert.ok(env.includes(name));
  assert.ok(!env.includes("ANTHROPIC_API_KEY") && !env.includes("GOOGLE_API_KEY"));
  assert.match(derived.remarks.join("\n"), /Not checked: .*broken\.md:2/);
});

/** Lines of config.yaml, with the hosts and variables that they allow, and the hosts that they must not allow. */
const CONFIGURED: [lines: string, net: string[], env: string[], not?: RegExp][] = [
  [
    'defaults: {provider: openai, base_url: "https://gateway.test/v1"}',
    ["gateway.test:443"],
    [],
    /openai\.com/,
  ],
  [
    "defaults: {provider: google, model: gemini}\nhttp:\n" +
    '  allow: [API.Example.com, "*.corp.test", .below.test, "fe80::1", 10.1.2.3, bücher.test]',
    [
      ...["generativelanguage.googleapis.com:443", "api.example.com", "*.corp.test"],
      ...["*.below.test", "[fe80::1]", "10.1.2.3", "xn--bcher-kva.test"],
    ],
    ["GOOGLE_API_KEY"],
    /^[^*].*\*|^\*[^.]/,
  ],
  [
    `notify:
  channels:
    phone: { type: ntfy, url: "http://ntfy.example:8080", topic: t, token: PHONE }
    team: { type: slack, url: TEAM }
    lost: { type: slack, url: NOT_SET }
    hook: { type: webhook, url: "https://in.example/", secret: HOOK }
    off: { type: command, run: [x] }`,
    ["ntfy.example:8080", "hooks.example:443", "in.example:443"],
    ["PHONE", "TEAM", "NOT_SET", "HOOK"],
  ],
  ["search: { provider: tavily }", ["api.tavily.com:443"], ["TAVILY_API_KEY"]],
  [
    `mail:
  home: { address: a@b.example, imap: "imap.b.example:993", smtp: "smtp.b.example:465", password_env: HOME_PW }
  work: { address: a@b.example, imap: "imap.gmail.com:993", smtp: "smtp.gmail.com:465", oauth: { client_id: x, client_secret_env: WORK_SECRET } }`,
    [
      ...["imap.b.example:993", "smtp.b.example:465", "imap.gmail.com:993", "smtp.gmail.com:465"],
      ...["accounts.google.com:443", "oauth2.googleapis.com:443"],
    ],
    ["HOME_PW", "WORK_SECRET"],
  ],
];

test("deriveFlags() allows the hosts and variables of config.yaml, and programs for a desktop", async (place) => {
  place.shell["TEAM"] = "https://hooks.example/x";
  await place.writeAgent("o", "---\nmodel: {provider: openai, name: gpt-5}\n---\nx\n");
  await place.writeAgent("searcher", demo("tools: [web_search]"));
  const configure = (lines: string) =>
    Deno.writeTextFile(
      join(place.configDir, "config.yaml"),
      `workspace: ${place.workspace}\n${lines}\n`,
    );
  for (const [lines, net, env, not = /^$/] of CONFIGURED) {
    await configure(lines);
    const derived = await derive(place);
    const hosts = valuesOf(derived, "allow-net");
    const variables = valuesOf(derived, "allow-env");
    assert.deepEqual(net.filter((one) => !hosts.includes(one)), [], lines);
    assert.deepEqual(env.filter((one) => !variables.includes(one)), [], lines);
    assert.deepEqual(hosts.filter((one) => not.test(one)), []);
    assert.deepEqual(valuesOf(derived, "allow-run"), []);
  }
  await configure("notify:\n  channels:\n    screen: { type: desktop }");
  assert.deepEqual(valuesOf(await derive(place), "allow-run"), [""]);
});

test("deriveFlags() allows servers, variables and programs that agents name", async (place) => {
  const config = join(place.agentsDir, "_config");
  await Deno.mkdir(join(config, "skills", "talk"), { recursive: true });
  await Deno.mkdir(join(config, "skills", "walk", "scripts"), { recursive: true });
  await Deno.writeTextFile(join(config, "skills", "walk", "scripts", "go.sh"), "");
  await Deno.writeTextFile(
    join(config, "mcp-servers.json"),
    JSON.stringify({
      web: { url: "https://${MCP_HOST}/mcp", headers: { Authorization: "Bearer ${MCP_TOKEN}" } },
      program: {
        command: "run-it",
        env: { KEY: "${PROGRAM_KEY}" },
        sandbox: { net: ["api.test", "*.cdn.test"], read: ["/srv/books"], write: ["/srv/notes"] },
      },
      unused: { url: "https://unused.test/" },
    }),
  );
  await Deno.writeTextFile(join(config, ".env"), "MCP_HOST=mcp.test\nMCP_TOKEN=12345678\n");
  await place.writeAgent("webby", demo("mcp: [web]", "Greet ${CITY}, not ${OPENAI_API_KEY}."));
  await place.writeAgent("talker", demo("skills: [talk]"));
  const derived = await derive(place);
  assert.ok(valuesOf(derived, "allow-net").includes("mcp.test:443"));
  assert.ok(!valuesOf(derived, "allow-net").includes("unused.test:443"));
  const env = valuesOf(derived, "allow-env");
  for (const name of ["MCP_HOST", "MCP_TOKEN", "CITY"]) assert.ok(env.includes(name), name);
  assert.ok(!env.includes("PROGRAM_KEY") && !env.includes("OPENAI_API_KEY"));
  assert.equal(whyOf(derived, "--allow-run"), undefined, "a skill without scripts runs nothing");

  await place.writeAgent("runner", demo("mcp: [program]\nskills: [walk]\ntools: [weather]"));
  // As long as a variable of the server's entry is undefined, the rest of the entry is unknown.
  await Deno.writeTextFile(join(config, ".env"), "PROGRAM_KEY=12345678\n", { append: true });
  const running = await derive(place);
  const net = valuesOf(running, "allow-net");
  assert.ok(net.includes("api.test") && net.some((one) => /^unix:.*\.net$/.test(one)));
  assert.ok(!net.some((one) => one.includes("*")));
  for (const path of ["/srv/books", "/srv/notes"]) {
    assert.ok(valuesOf(running, "allow-read").includes(path));
    assert.ok(!valuesOf(running, "allow-write").includes(path));
  }
  const why = whyOf(running, "--allow-run") ?? "";
  assert.match(why, /the MCP server program of runner/);
  assert.match(why, /the custom tools of runner/);
  assert.match(why, /the scripts of the skill walk of runner/);
});

test("deriveFlags() allows the address in --host", async (place) => {
  const hosts = async (host: string) => valuesOf(await derive(place, { host }), "allow-net");
  assert.ok((await hosts("192.168.1.7")).includes("192.168.1.7"));
  assert.ok((await hosts("0.0.0.0")).includes("0.0.0.0"));
  assert.ok((await hosts("fd00::7")).includes("[fd00::7]"));
  assert.equal((await hosts("127.0.0.1")).length, 4);
});

test("deriveFlags() allows the folder of a socket outside the state folder", async (place) => {
  const stateDir = join(place.root, "s".repeat(90));
  place.shell["INKLING_STATE_DIR"] = stateDir;
  place.shell["XDG_RUNTIME_DIR"] = join(place.root, "run");
  const derived = await derive(place);
  const folder = join(place.root, "run", "inkling");
  assert.ok(valuesOf(derived, "allow-write").includes(folder));
  assert.ok(valuesOf(derived, "allow-net").some((one) => one.startsWith(`unix:${folder}/`)));
});

test("deriveFlags() lets no agent allow every host or variable, and reports a path /", async (place) => {
  await place.writeAgent(
    "greedy",
    '---\nmodel: {provider: corp, name: x, base_url: "https://*.test/v1"}\n' +
      "paths: {all: /}\n---\nx\n",
  );
  const derived = await derive(place);
  assert.deepEqual(valuesOf(derived, "allow-net").filter((host) => host.includes("*")), []);
  assert.ok(!valuesOf(derived, "allow-env").includes("*"));
  assert.ok(valuesOf(derived, "allow-read").includes("/"));
  assert.match(derived.remarks.join("\n"), /^\/ \(\{all\} of greedy\) is allowed with all/m);
});

test("deriveFlags() allows the variables of webhook secrets, and no others", async (place) => {
  await place.writeAgent("plain", demo(""));
  const before = valuesOf(await derive(place), "allow-env");
  const text = demo("trigger: { type: webhook, scheme: github, secret: [GH_HOOK, GH_HOOK_OLD] }");
  await place.writeAgent("review", text);
  const added = valuesOf(await derive(place), "allow-env").filter((one) => !before.includes(one));
  assert.deepEqual(added, ["GH_HOOK", "GH_HOOK_OLD"]);
});

test("deriveFlags() allows programs for agents with a schema, whose answers a process checks", async (place) => {
  await place.writeAgent("typed", demo("output: { schema: { type: object } }"));
  assert.ok((await derive(place)).flags.some(({ flag }) => flag === "--allow-run"));
});

Deno.test("deriveFlags() allows the database's host, variables and files only with a database", async () => {
  const address = "postgres://u:hunter2secret@db.example/x?sslrootcert=/etc/pg/ca.pem";
  const shell = { INKLING_DATABASE_URL: "", PGPASSWORD: "hunter3secret", PGPORT: "6432" };
  await using place = await createTestWorkspace({ shell });
  const without = await derive(place);
  assert.ok(!JSON.stringify(without.flags).includes("PG"));
  place.shell["INKLING_DATABASE_URL"] = address;
  const derived = await derive(place);
  const added = (name: string) => {
    const before = valuesOf(without, name);
    return valuesOf(derived, name).filter((one) => !before.includes(one));
  };
  assert.deepEqual(added("allow-net"), ["db.example:6432"]);
  assert.deepEqual(added("allow-read"), ["/etc/pg/ca.pem"]);
  assert.deepEqual(
    added("allow-env"),
    [
      ...["PGOPTIONS", "PGPASSFILE", "PGPASSWORD", "PGPASS_NO_DEESCAPE", "PGPORT"],
      ...["PGSSLMODE", "PGSSLNEGOTIATION", "PGUSER"],
    ],
  );
  assert.ok(!/hunter[23]secret/.test(JSON.stringify(derived)));
  assert.deepEqual(added("allow-write"), []);
});

Deno.test("deriveFlags() allows the database's password file", async () => {
  const config = "database: postgres://u@db.example:7000/x\n";
  await using place = await createTestWorkspace({ config });
  const usual = join(place.root, ".pgpass");
  const read = async () => valuesOf(await derive(place), "allow-read");
  assert.ok(!(await read()).includes(usual));
  await Deno.writeTextFile(usual, "");
  assert.ok((await read()).includes(usual));
  const named = join(place.root, "secrets", "pgpass");
  place.shell["PGPASSFILE"] = named;
  const files = await read();
  assert.ok(files.includes(named) && !files.includes(usual), files.join());
});
