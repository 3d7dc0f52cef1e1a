// Tests of the operations on the files that people write, with a real runtime.
import assert from "node:assert/strict";
import { join } from "node:path";
import { openAuthoring } from "../../../ops/authoring/editor_support.ts";
import { Lifecycle } from "../../../api/streams/lifecycle.ts";
import { PLACE_HEADER } from "../../../runtime/vocabulary/callers.ts";
import { createApp } from "../../../server/app.ts";
import { createTestWorkspace, runToEnd } from "../../support/test_workspace.ts";

const AGENT = "---\ndescription: Greets\n---\nGreet everybody.\n";
/** The body of a request that allows a tool for always. */
const ALLOW = { tool: "file_write", write: true };

interface Answer {
  status: number;
  // deno-lint-ignore no-explicit-any -- tests compare whole bodies
  body: any;
  etag: string | null;
}

/** A service over a workspace, as the user of the Unix socket and as a TCP client with the single key. */
async function openWorld(options: { config?: (workspace: string) => string } = {}) {
  const opened = new AsyncDisposableStack();
  const place = opened.use(await createTestWorkspace());
  if (options.config !== undefined) {
    await Deno.writeTextFile(join(place.configDir, "config.yaml"), options.config(place.workspace));
  }
  await place.writeAgent("greeter", AGENT);
  await Deno.mkdir(join(place.agentsDir, "_config"));
  await Deno.writeTextFile(
    join(place.agentsDir, "_config", ".env"),
    "OPENAI_API_KEY=sk-very-secret\n",
  );
  const settings = await place.settings();
  const runtime = opened.use(
    await place.open({ settings, authoring: () => Promise.resolve(openAuthoring(settings)) }),
  );
  const lifecycle = new Lifecycle({ runtime, keepAlive: true });
  const services = { runtime, lifecycle, transports: () => [] };
  const local = createApp({ ...services, isLocal: true, caller: { via: "api" } });
  const remote = createApp({ ...services, caller: { via: "api", isSingleKey: true } });
  const author = { via: "page", name: "Ada", role: "author" } as const;
  const signedIn = createApp({ ...services, caller: author });
  const send = async (
    method: string,
    path: string,
    json?: unknown,
    headers: Record<string, string> = {},
    app = local,
  ): Promise<Answer> => {
    const response = await app.request(path, {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    const body = JSON.parse(await response.text());
    return { status: response.status, body, etag: response.headers.get("etag") };
  };
  return {
    place,
    runtime,
    send,
    sendRemotely: (method: string, path: string, json?: unknown, headers = {}) =>
      send(method, path, json, headers, remote),
    sendSignedIn: (method: string, path: string, json?: unknown, headers = {}) =>
      send(method, path, json, headers, signedIn),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

Deno.test("a file is read with its version, and written only over that version", async () => {
  await using world = await openWorld();
  const path = "/agents/greeter/file";
  const read = await world.send("GET", path);
  assert.equal(read.status, 200);
  assert.equal(read.body.text, AGENT);
  assert.equal(read.etag, read.body.version);
  const text = AGENT.replace("everybody", "all");

  assert.equal((await world.send("PUT", path, { text })).status, 428);
  const saved = await world.send("PUT", path, { text }, { "if-match": read.body.version });
  assert.equal(saved.status, 200);
  assert.equal(saved.body.text, text);
  assert.notEqual(saved.body.version, read.body.version);
  // The second person has read the first version.
  const late = await world.send("PUT", path, { text: AGENT }, { "if-match": read.body.version });
  assert.equal(late.status, 412);
  assert.match(late.body.detail, /changed meanwhile/);
  assert.equal(await Deno.readTextFile(join(world.place.agentsDir, "greeter.md")), text);
  assert.equal((await world.runtime.getAgent("greeter")).agent.body, "Greet all.");
});

Deno.test("of two saves of the same version at once, one is refused", async () => {
  await using world = await openWorld();
  const path = "/agents/greeter/file";
  const { body: { version } } = await world.send("GET", path);
  const texts = ["One.", "Two.", "Three."];
  const answers = await Promise.all(
    texts.map((text) => world.send("PUT", path, { text }, { "if-match": version })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412, 412]);
  const won = texts[answers.findIndex(({ status }) => status === 200)];
  assert.equal(await Deno.readTextFile(join(world.place.agentsDir, "greeter.md")), won);
});

Deno.test("a text with errors is written only on request, and a broken file is read and repaired", async () => {
  await using world = await openWorld();
  const broken = "---\ntrigger: { type: sometimes }\n---\nGreet.\n";
  await world.place.writeAgent("broken", broken);
  await world.runtime.reloadAgents();
  const path = "/agents/broken/file";
  const read = await world.send("GET", path);
  assert.equal(read.body.text, broken);
  assert.equal(read.body.diagnostics[0].line, 2);
  const headers = { "if-match": read.body.version };

  const refused = await world.send("PUT", path, { text: `${broken}More.` }, headers);
  assert.equal(refused.status, 422);
  assert.deepEqual(refused.body.detail[0].loc, ["body", "text", 2, 18]);
  assert.equal(await Deno.readTextFile(join(world.place.agentsDir, "broken.md")), broken);
  const half = await world.send(
    "PUT",
    path,
    { text: `${broken}More.`, allow_errors: true },
    headers,
  );
  assert.equal(half.status, 200);
  const repaired = await world.send("PUT", path, { text: "Greet.\n" }, {
    "if-match": half.body.version,
  });
  assert.equal(repaired.status, 200);
  assert.equal((await world.runtime.getAgent("broken")).agent.body, "Greet.");
});

Deno.test("a new file needs If-None-Match, a valid name, and a free one", async () => {
  await using world = await openWorld();
  const create = (id: string, body: object = {}) =>
    world.send("PUT", `/agents/${encodeURIComponent(id)}/file`, { text: "Hello.", ...body }, {
      "if-none-match": "*",
    });
  assert.equal((await create("greeter")).status, 412);
  assert.equal((await create("../outside")).status, 422);
  assert.equal((await create("README")).status, 422);
  assert.equal((await create("second")).status, 200);
  assert.equal((await world.send("GET", "/agents/nobody/file")).status, 404);
  const { body: { gallery } } = await world.send("GET", "/editor");
  const template = gallery.find(({ name }: { name: string }) => name === "backup-check");
  assert.match(template.text, /^enabled: false$/m);
  const made = await create("backups", { text: template.text, from_gallery: "backup-check" });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  assert.ok(await Deno.stat(join(world.place.workspace, "backups.md")));
  await create("odd", { from_gallery: "../../../etc/passwd" });
});

Deno.test("secrets are in no response, and a save puts them back", async () => {
  await using world = await openWorld();
  const servers = join(world.place.agentsDir, "_config", "mcp-servers.json");
  await Deno.mkdir(join(world.place.agentsDir, "_config"), { recursive: true });
  const written = JSON.stringify(
    {
      one: { command: "one", env: { API_KEY: "abc", TOKEN: "first-long-secret" } },
      two: {
        url: "https://me:pass-in-url@example.com/?key=url-key-secret",
        headers: { Authorization: "Bearer ${TOKEN}", "X-Api-Key": "second-long-secret" },
      },
    },
    null,
    2,
  );
  await Deno.writeTextFile(servers, written);
  await Deno.chmod(servers, 0o600);
  const read = await world.send("GET", "/files/mcp-servers.json");
  assert.equal(read.status, 200);
  const shown = JSON.stringify(read.body);
  for (const secret of ["abc", "first-long", "second-long", "pass-in-url", "url-key"]) {
    assert.ok(!shown.includes(secret), secret);
  }
  assert.match(read.body.text, /"Bearer \$\{TOKEN\}"/);
  const text = read.body.text.replace('"one":', '"renamed":');
  const check = await world.send("POST", "/files/mcp-servers.json/check", { text });
  assert.deepEqual(check.body.diagnostics, []);
  const saved = await world.send("PUT", "/files/mcp-servers.json", { text }, {
    "if-match": read.body.version,
  });
  assert.equal(saved.status, 200, JSON.stringify(saved.body));
  assert.equal(await Deno.readTextFile(servers), written.replace('"one":', '"renamed":'));
  assert.equal((await Deno.stat(servers)).mode! & 0o777, 0o600);
  assert.ok(!JSON.stringify(saved.body).includes("secret"));

  // A file that does not parse hides its secrets, too.
  await Deno.writeTextFile(servers, '{ "one": { "env": { "TOKEN": "third-long-secret" }');
  const half = await world.send("GET", "/files/mcp-servers.json");
  assert.ok(!JSON.stringify(half.body).includes("third-long"));
  assert.equal(half.body.diagnostics[0].severity, "error");
});

Deno.test("config.yaml and skills are written with validation, and no key's value is shown", async () => {
  await using world = await openWorld();
  const config = await world.send("GET", "/files/config.yaml");
  assert.match(config.body.text, /^workspace: /);
  const put = (id: string, text: string, headers: Record<string, string>) =>
    world.send("PUT", `/files/${id}`, { text }, headers);
  const match = { "if-match": config.body.version };
  const bad = await put("config.yaml", `${config.body.text}service: { port: 99999 }\n`, match);
  assert.equal(bad.status, 422);
  const good = await put("config.yaml", `${config.body.text}defaults: { timeout: 7 }\n`, match);
  assert.equal(good.status, 200);
  assert.equal(world.runtime.config.defaults.timeout, 7);

  assert.equal((await world.send("GET", "/files/writing")).status, 404);
  const skill = await put("writing", "---\ndescription: Writes\n---\nWrite well.\n", {
    "if-none-match": "*",
  });
  assert.equal(skill.status, 200);
  assert.equal((await put("writing", "", { "if-match": skill.body.version })).status, 422);
  const { body: facts } = await world.send("GET", "/editor");
  const key = facts.variables.find(({ name }: { name: string }) => name === "OPENAI_API_KEY");
  assert.deepEqual(key, { name: "OPENAI_API_KEY", is_set: true, provider: "openai" });
  assert.ok(!JSON.stringify(facts).includes("sk-very-secret"));
  assert.deepEqual(facts.skills, ["writing"]);
  assert.ok(facts.schemas.agent.properties.trigger);
});

Deno.test("each save has one record, and the texts of files with secrets are not stored", async () => {
  await using world = await openWorld();
  const servers = '{"one":{"command":"one","env":{"TOKEN":"first-long-secret"}}}';
  const put = async (path: string, text: string) => {
    const { status, body: { version } } = await world.send("GET", path);
    const headers: Record<string, string> = status === 404 || version === null
      ? { "if-none-match": "*" }
      : { "if-match": version };
    const saved = await world.send("PUT", path, { text }, headers);
    assert.equal(saved.status, 200, JSON.stringify(saved.body));
  };
  const config = await world.send("GET", "/files/config.yaml");
  await put("/files/config.yaml", `${config.body.text}# sk-very-secret\n`);
  await put("/files/mcp-servers.json", servers);
  await put("/files/mcp-servers.json", servers.replace("first", "second"));
  await put("/files/writing", "---\ndescription: Writes\n---\nsk-very-secret\n");
  await put("/agents/greeter/file", AGENT.replace("everybody", "all"));
  await world.runtime.reloadAgents();
  const records = await world.runtime.audit.listRecords({ limit: 50, actions: ["edit_file"] });
  const isSaved = ({ via }: { via: string }) => via === "api";
  const [newest = { id: 0 }] = records;
  assert.deepEqual(
    records.filter(({ id }) => id > newest.id - 5).map((one) => [
      one.file?.split("/").at(-1),
      isSaved(one),
      one.isDone,
    ]),
    [
      ["greeter.md", true, true],
      ["SKILL.md", true, true],
      ["mcp-servers.json", true, true],
      ["mcp-servers.json", true, true],
      ["config.yaml", true, true],
    ],
  );
  for (const { id, file } of records) {
    const before = await world.runtime.audit.readTextBefore({ id, file });
    if (!file?.endsWith("greeter.md")) assert.equal(before, undefined, file ?? "");
  }
});

Deno.test("the text before a change is read with the present version, and a save takes it back", async () => {
  await using world = await openWorld();
  const path = "/agents/greeter/file";
  const { body: first } = await world.send("GET", path);
  const lastId = async () => (await world.send("GET", "/audit?agent=greeter&limit=1")).body[0].id;
  const before = async () => await world.send("GET", `${path}?before=${await lastId()}`);
  // The first record of a file has no text before it.
  await world.runtime.reloadAgents();
  assert.deepEqual([(await before()).status, (await before()).body.detail], [
    409,
    "The text before this change is not recorded: edit the file instead",
  ]);
  const secret = AGENT.replace("everybody", "sk-very-secret");
  const saved = await world.send("PUT", path, { text: secret }, { "if-match": first.version });
  const { body: earlier, etag } = await before();
  assert.equal(earlier.text, AGENT);
  assert.deepEqual([earlier.version, etag], [saved.body.version, saved.body.version]);
  const back = await world.send("PUT", path, { text: earlier.text }, { "if-match": etag! });
  assert.deepEqual([back.status, back.body.text], [200, AGENT]);
  // The placeholder of a secret that the file no longer has cannot be put back.
  const { status, body } = await before();
  assert.equal(status, 409);
  assert.match(body.detail, /contains a secret that the file no longer has/);
});

Deno.test("the memory and the test cases of an agent are read without secrets", async () => {
  await using world = await openWorld();
  const path = "/agents/greeter/companions";
  assert.deepEqual((await world.send("GET", path)).body, { memory: null, tests: [] });
  const { agentsDir } = world.place;
  const memory = join(agentsDir, "greeter.memory.md");
  await Deno.writeTextFile(memory, "## Names\nsk-very-secret\n");
  await Deno.mkdir(join(agentsDir, "_config/tests/greeter"), { recursive: true });
  const own = join(agentsDir, "_config/tests/greeter/quiet.yaml");
  await Deno.writeTextFile(own, "model: []\n");
  await Deno.writeTextFile(join(agentsDir, "other.test.yaml"), "model: []\n");
  assert.deepEqual((await world.sendRemotely("GET", path)).body, {
    memory: { path: memory, text: "## Names\n[redacted:OPENAI_API_KEY]\n" },
    tests: [{ name: "greeter/quiet", path: own, text: "model: []\n" }],
  });
  assert.equal((await world.send("GET", "/agents/nobody/companions")).status, 404);
});

Deno.test("a check reports problems that need the workspace, and writes nothing", async () => {
  await using world = await openWorld();
  const text = "---\nskills: [cooking]\n---\nCook.\n";
  const { body } = await world.send("POST", "/agents/greeter/file/check", { text });
  assert.ok(body.diagnostics.some((one: { message: string }) => /cooking/.test(one.message)));
  assert.equal(await Deno.readTextFile(join(world.place.agentsDir, "greeter.md")), AGENT);
});

Deno.test("a rename says what stays with the old id", async () => {
  await using world = await openWorld();
  await world.place.writeScript("old", [{ say: "Hello." }]);
  await world.place.writeAgent("boss", "---\nagents: [old]\n---\nDelegate.\n");
  await Deno.writeTextFile(join(world.place.agentsDir, "old.memory.md"), "# a\nb\n");
  await Deno.mkdir(join(world.place.agentsDir, "_config", "tests", "old"), { recursive: true });
  await runToEnd(world.runtime, "old");
  assert.equal((await world.send("POST", "/agents/old/rename", { to: "greeter" })).status, 409);
  const renamed = await world.send("POST", "/agents/old/rename", { to: "new" });
  assert.equal(renamed.status, 200, JSON.stringify(renamed.body));
  const [runs, memory, names] = renamed.body.stays;
  assert.match(runs, /Its executions, conversations and costs stay with the id "old"/);
  assert.match(memory, /rename that file to new\.memory\.md/);
  assert.match(names, /still name "old": boss/);
  assert.equal((await world.send("GET", "/agents/old")).status, 404);
  assert.equal((await world.send("GET", "/agents/new")).status, 200);
  assert.ok(await Deno.stat(join(world.place.agentsDir, "_config", "tests", "new")));
});

Deno.test("an agent with a name that is too long for a file is unknown", async () => {
  await using world = await openWorld();
  const long = "x".repeat(300);
  for (const path of ["file", "companions"]) {
    assert.equal((await world.send("GET", `/agents/${long}/${path}`)).status, 404, path);
  }
  const renamed = await world.send("POST", "/agents/greeter/rename", { to: long });
  assert.equal(renamed.status, 409);
  assert.match(renamed.body.detail, /Cannot rename greeter\.md: .*too long/);
  // The name of the agent's file is short enough, but the name of its memory would not be.
  const longest = "x".repeat(252);
  await world.place.writeScript(longest, [{ say: "Hello." }]);
  const { body } = await world.send("GET", `/agents/${longest}/companions`);
  assert.deepEqual(body, { memory: null, tests: [] });
});

Deno.test("an agent is switched off and on in its file", async () => {
  await using world = await openWorld();
  const turn = (enabled: boolean) => world.send("POST", "/agents/greeter/enabled", { enabled });
  const off = await turn(false);
  assert.equal(off.body.text, AGENT.replace("---\n", "---\nenabled: false\n"));
  assert.equal((await turn(false)).body.version, off.body.version);
  assert.equal((await world.runtime.getAgent("greeter")).agent.enabled, false);
  assert.equal((await turn(true)).body.text, AGENT);
  await world.place.writeAgent("plain", "Say hello.\r\n");
  const plain = await world.send("POST", "/agents/plain/enabled", { enabled: false });
  assert.equal(plain.body.text, "---\r\nenabled: false\r\n---\r\n\r\nSay hello.\r\n");
});

Deno.test("the reason of a refused text contains no secret", async () => {
  await using world = await openWorld();
  const json = { agent_text: "---\nhistory: sk-very-secret\n---\nHi." };
  const { status, body } = await world.send("POST", "/agents/greeter/run", json);
  assert.equal(status, 422);
  assert.match(body.detail[0].msg, /history must be .*, got "\[redacted:OPENAI_API_KEY\]"/);
});

Deno.test("the single key changes no files over TCP without service.edit", async () => {
  await using world = await openWorld();
  const path = "/agents/greeter/file";
  const { body: { version } } = await world.sendRemotely("GET", path);
  const refused = await world.sendRemotely("PUT", path, { text: "Hi." }, { "if-match": version });
  assert.equal(refused.status, 403);
  assert.match(refused.body.detail, /service: \{ edit: true \}/);
  for (
    const [method, place, json] of [
      ["POST", "/agents/greeter/rename", { to: "x" }],
      ["POST", "/agents/greeter/enabled", { enabled: false }],
      ["POST", "/agents/greeter/file/check", { text: "" }],
      ["POST", "/agents/greeter/auto-approve", ALLOW],
      ["POST", "/agents/greeter/auto-approve", { ...ALLOW, write: false }],
      ["GET", "/files/config.yaml"],
      ["PUT", "/files/config.yaml", { text: "" }],
      ["GET", "/editor"],
    ] as const
  ) assert.equal((await world.sendRemotely(method, place, json)).status, 403, place);
  assert.equal((await world.send("GET", path)).body.text, AGENT);
  assert.equal((await world.sendRemotely("GET", "/whoami")).body.may_edit_files, false);

  await using open = await openWorld({
    config: (workspace) => `workspace: ${workspace}\nservice: { edit: true }\n`,
  });
  const saved = await open.sendRemotely("PUT", path, { text: "Hi." }, { "if-match": version });
  assert.equal(saved.status, 200);
  const allowed = await open.sendRemotely("POST", "/agents/greeter/auto-approve", ALLOW);
  assert.deepEqual([allowed.status, allowed.body.written], [200, true]);
  assert.equal((await open.sendRemotely("GET", "/whoami")).body.may_edit_files, true);
});

Deno.test("a person who has signed in changes files over TCP", async () => {
  await using world = await openWorld();
  const path = "/agents/greeter/file";
  const { body: { version } } = await world.sendSignedIn("GET", path);
  const saved = await world.sendSignedIn("PUT", path, { text: "Hi." }, { "if-match": version });
  assert.equal(saved.status, 200);
  assert.equal((await world.sendSignedIn("GET", "/whoami")).body.may_edit_files, true);
  assert.equal((await world.sendSignedIn("GET", "/files/config.yaml")).status, 403);
});

Deno.test("a person at the socket allows calls for always, and a program does not", async () => {
  await using world = await openWorld();
  const allow = (headers: Record<string, string>) =>
    world.send("POST", "/agents/greeter/auto-approve", ALLOW, headers);
  const read = async () => (await world.send("GET", "/agents/greeter/file")).body.text;
  const mayEdit = async (headers: Record<string, string>) =>
    (await world.send("GET", "/whoami", undefined, headers)).body.may_edit_files;
  const program = { [PLACE_HEADER]: "program" };
  assert.deepEqual([(await allow(program)).status, await mayEdit(program)], [403, false]);
  assert.equal(await read(), AGENT);
  const { status, body } = await allow({});
  assert.deepEqual([status, body.written, await mayEdit({})], [200, true, true]);
  assert.match(await read(), /auto_approve:\s*(- |\[)file_write/);
});
