// Tests that everything that config.yaml and the agents allow works under the derived flags.
import assert from "node:assert/strict";
import { join } from "node:path";
import { linkDescriptors } from "../../../base/files/descriptor_link.ts";
import { keyVariableOf } from "../../../runtime/models/endpoint.ts";
import { ADAPTERS, KEY } from "../../support/models/model_adapters.ts";
import { denoDirectory } from "../../support/repository.ts";
import { FixtureHttpServer } from "../../runtime/tools/mcp/http_server.ts";
import { SHELL_SERVER } from "../../runtime/sandbox/shell_server.ts";
import { argumentsOf, createRealHome, type RealHome, untilFound } from "../real_process.ts";

interface Call {
  name: string;
  arguments: Record<string, unknown>;
}

/** Writes a file below the home and creates its folders. */
async function write(home: RealHome, path: string, text: string): Promise<void> {
  const file = join(home.root, path);
  await Deno.mkdir(join(file, ".."), { recursive: true });
  await Deno.writeTextFile(file, text);
}

/** Writes an agent that makes these calls one after the other. */
async function writeCaller(home: RealHome, id: string, calls: Call[], lines: string) {
  await home.writeScript(
    id,
    [...calls.map((one) => ({ call: [one] })), { say: "done" }],
    `auto_approve: "*"\n${lines}`.trimEnd(),
  );
}

/** Returns the tool results of an agent's newest run, in the order of its calls. */
async function resultsOf(home: RealHome, id: string) {
  using client = home.client();
  const [run] = await client.runs(id);
  const rows = await client.messages(run?.id ?? 0);
  return rows.filter(({ event_type }) => event_type === "tool_result")
    .map(({ metadata }) => JSON.parse(metadata ?? "{}") as { content: string; is_error: boolean });
}

/** Runs an agent in the service that the test started. */
async function run(home: RealHome, id: string) {
  using client = home.client();
  const { execution_id } = await client.run(id);
  await Array.fromAsync(client.follow(execution_id));
  return await resultsOf(home, id);
}

Deno.test("tools, MCP servers and providers work under scoped flags", async () => {
  await using mcp = new FixtureHttpServer();
  await using site = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response("hello from the site"),
  );
  await using models = new AsyncDisposableStack();
  const opened = ADAPTERS.map((adapter) => ({
    adapter,
    server: models.use(adapter.serve([{ text: `hello from ${adapter.provider}` }])),
  }));
  const shell = Object.fromEntries(ADAPTERS.map(({ provider }) => [keyVariableOf(provider), KEY]));
  await using home = await createRealHome({ shell });
  for (const { adapter: { provider }, server } of opened) {
    await home.writeAgent(
      provider,
      `---\nmodel: { provider: ${provider}, name: tiny, base_url: "${server.origin}" }\n---\nSay hello.\n`,
    );
  }
  const config = "work/agents/_config";
  await write(
    home,
    "config/config.yaml",
    `workspace: ${home.workspace}\nhttp: {allow: [localhost, phone.test]}\n`,
  );
  await write(home, "data/in.txt", "from data");
  await write(home, "lists/shop.md", "milk\n");
  await write(
    home,
    `${config}/tools/look.ts`,
    `export default { description: "Looks", permissions: { net: ["127.0.0.1:${site.addr.port}"] },
       run: async (_: unknown, { paths }: { paths: Record<string, string> }) =>
         await Deno.readTextFile(paths.data + "/in.txt") + " + " +
         await (await fetch("http://127.0.0.1:${site.addr.port}")).text() };
     export const phone = { description: "Calls", permissions: { net: ["phone.test"] }, run: () => "called" };`,
  );
  await write(
    home,
    `${config}/skills/walk/SKILL.md`,
    "---\nname: walk\ndescription: Walks\n---\nGo.\n",
  );
  await write(home, `${config}/skills/walk/scripts/go.sh`, "echo shell goes\n");
  await write(home, `${config}/skills/walk/scripts/go.ts`, `console.log("typescript goes");\n`);
  await write(
    home,
    `${config}/mcp-servers.json`,
    JSON.stringify({
      web: { url: mcp.url },
      program: {
        ...{ command: "sh", args: ["-c", SHELL_SERVER], sandbox: false },
        env: { SCRIPT: "printf 'over stdio'" },
      },
    }),
  );
  const script = (name: string) => ({
    name: "skill_run_script",
    arguments: { skill_name: "walk", script_name: name },
  });
  await writeCaller(
    home,
    "busy",
    [
      { name: "file_read", arguments: { path: "{data}/in.txt" } },
      { name: "file_write", arguments: { path: "{data}/out/new.txt", content: "x" } },
      { name: "file_write", arguments: { path: "top.txt", content: "x" } },
      { name: "file_move", arguments: { source: "{data}/in.txt", destination: "{own}/moved.txt" } },
      { name: "file_write", arguments: { path: "{fresh}/deep/a.txt", content: "x" } },
      { name: "file_edit", arguments: { path: "{list}", old_text: "milk", new_text: "bread" } },
      { name: "file_glob", arguments: { pattern: "{data}/**" } },
      { name: "file_search", arguments: { pattern: "^from\\s", ignore_case: true } },
      { name: "memory_save", arguments: { section: "facts", content: "it works" } },
      { name: "http_request", arguments: { url: `http://localhost:${site.addr.port}/` } },
      { name: "http_request", arguments: { url: `http://127.0.0.1:${site.addr.port}/` } },
      { name: "http_request", arguments: { url: "http://elsewhere.test/" } },
      script("go.sh"),
      script("go.ts"),
      { name: "echo", arguments: { text: "over http" } },
      { name: "look", arguments: {} },
    ],
    `paths: {root: ., data: ${
      join(home.root, "data")
    }, own: ~/own, fresh: ~/fresh, list: ~/lists/shop.md}\nskills: [walk]\nmcp: [web, program]`,
  );
  await writeCaller(
    home,
    "tooled",
    [{ name: "look", arguments: {} }, { name: "phone", arguments: {} }],
    `tools: [look]\npaths: {data: ${join(home.root, "data")}}`,
  );
  await Deno.mkdir(join(home.root, "own"));
  await home.startService();
  const results = await run(home, "busy");
  const expected = [
    /from data/,
    /^Created/,
    /^Created/,
    /^Moved/,
    /^Created/,
    /^Edited|^Replaced|^Updated/,
    /\{data\}\/out\/new\.txt/,
    /^\{own\}\/moved\.txt:1: from data/,
    /facts/,
    /hello from the site/,
    /hello from the site/,
    /started without --allow-net=elsewhere\.test\. Name the host under http\.allow/,
    /shell goes/,
    /typescript goes/,
    /^over http$/,
    /^over stdio$/,
  ];
  for (const [i, pattern] of expected.entries()) assert.match(results[i]?.content ?? "", pattern);
  assert.deepEqual(results.map(({ is_error }, i) => is_error ? [i] : []).flat(), [11]);

  await write(home, "data/in.txt", "again");
  const tooled = (await run(home, "tooled")).map(({ content }) => content);
  assert.deepEqual(tooled, ["again + hello from the site", "called"]);

  using client = home.client();
  const args = await argumentsOf((await client.info()).pid);
  assert.match(args, /--no-remote .*--allow-run .*main\.[jt]s start/);
  assert.doesNotMatch(args, /--allow-(read|write|net|env) /, "the service itself is scoped");
  for (const { adapter: { provider, keyOf }, server } of opened) {
    const { execution_id: id } = await client.run(provider);
    await Array.fromAsync(client.follow(id));
    assert.equal((await client.execution(id)).output_data, `hello from ${provider}`);
    assert.match(keyOf(server.request(0)) ?? "", new RegExp(KEY));
  }
});

Deno.test("triggers, chat and delegation work under scoped flags without --allow-run", async () => {
  await using home = await createRealHome();
  const drop = join(home.root, "drop");
  await write(home, "drop/.keep", "");
  await home.writeScript("tick", [{ say: "tock" }], "trigger: { type: schedule, every: 1s }");
  await home.writeScript("helper", [{ say: "helped" }]);
  await home.writeScript("boss", [
    { call: [{ name: "run_agent", arguments: { agent_id: "helper" } }] },
    { say: "{result}" },
  ], "agents: [helper]");
  await home.writeScript("sorter", [
    { call: [{ name: "file_read", arguments: { path: join(drop, "a.md") } }] },
    { say: "{result}" },
  ], `trigger: { type: watch, paths: ["~/drop/*.md"], debounce: 50ms }`);
  // Creates the state folder first, as `deno task start:scoped` does.
  await Deno.mkdir(home.stateDir, { mode: 0o700 });
  linkDescriptors(home.stateDir);
  await home.startService();
  using client = home.client();
  const args = await argumentsOf((await client.info()).pid);
  assert.doesNotMatch(args, /--allow-run|--allow-(read|write|net|env) /);
  await write(home, "drop/a.md", "a letter");
  const read = await untilFound(
    "the run of the watch",
    async () => (await client.runs("sorter")).find(({ status }) => status === "success"),
  );
  assert.match((await client.execution(read.id)).output_data ?? "", /a letter/);
  await untilFound(
    "a run of the schedule",
    async () => (await client.runs("tick")).find(({ status }) => status === "success"),
  );
  const boss = await home.inkling("run", "boss", "-q");
  assert.match(boss.stdout, /helped/, boss.stderr);
  // A refused watch would fall back to polling and log that.
  assert.doesNotMatch(
    await Deno.readTextFile(join(home.stateDir, "inkling.log")),
    / (WARN|ERROR) /,
  );
});

Deno.test("the log names the flag that an agent or a tool lacks", async () => {
  await using home = await createRealHome({ shell: { DENO_DIR: denoDirectory() } });
  await write(
    home,
    "work/agents/_config/tools/phone.ts",
    `export default { description: "Calls", permissions: { net: ["phone.test"] }, run: () => "called" };`,
  );
  await writeCaller(home, "caller", [{ name: "phone", arguments: {} }], "tools: [phone]");
  await home.startService();
  await write(home, "vault/a.txt", "treasure");
  await writeCaller(
    home,
    "late",
    [{ name: "file_read", arguments: { path: "{vault}/a.txt" } }],
    "paths: {vault: ~/vault}",
  );
  using client = home.client();
  const warning = await untilFound(
    "the warning",
    async () => (await client.agent("late").catch(() => undefined))?.warnings[0],
  );
  const vault = join(home.root, "vault");
  assert.match(
    warning.message,
    new RegExp(`without --allow-read=${vault} --allow-write=${vault}, which the agent needs`),
  );
  assert.match(warning.hint ?? "", /the flags that "inkling permissions" prints/);
  assert.match(
    await Deno.readTextFile(join(home.stateDir, "inkling.log")),
    /WARN +Inkling was started without --allow-read=.*agent=late/,
  );
  const [unread] = await run(home, "late");
  assert.match(unread?.content ?? "", /started without --allow-read for it; start it again/);
  const [uncalled] = await run(home, "caller");
  assert.match(
    uncalled?.content ?? "",
    /needs net access to phone\.test, and Inkling was started without --allow-net=phone\.test; name the host under http\.allow/,
  );
});
