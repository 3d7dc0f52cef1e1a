import assert from "node:assert/strict";
import { join } from "node:path";
import { takeLock } from "../../../../base/files/lock_file.ts";
import { DatabaseSync } from "node:sqlite";
import type { NodeBody } from "../../../../api/schemas/info_schemas.ts";
import { programEntry } from "../../../runtime/tools/mcp/mcp_world.ts";
import { createTestPostgres, HAS_POSTGRES } from "../../../support/postgres.ts";
import { IS_POSTGRES, SQLITE } from "../../../support/test_database.ts";
import { createFakeCli } from "../../fake_cli.ts";
import { assertPicture } from "../../picture.ts";
import { runToEnd } from "../../../support/test_workspace.ts";
import { ANTHROPIC_KEY, createDoctorWorld, type DoctorWorld, OPENAI_KEY } from "./doctor_world.ts";

const ENV = "work/agents/_config/.env";
const CONFIG = "work/agents/_config";
const SAY = [{ say: "Done." }];
const CONFIG_YAML = "config/config.yaml";
const APPROVED = 'auto_approve: "*"';
const EVERY_HOUR = "trigger: { type: schedule, every: 1h }";

type Plant = (world: DoctorWorld) => unknown;

const agent = (id: string, lines: string): Plant => ({ place }) =>
  place.writeAgent(id, `---\n${lines}\n---\nSay how it is.\n`);
const demo = (id: string, lines: string): Plant => ({ place }) => place.writeScript(id, SAY, lines);
const state = ({ place }: DoctorWorld, name: string) => join(place.stateDir, name);

/** Appends lines to a file below the root. */
async function append({ place, put }: DoctorWorld, path: string, lines: string): Promise<string> {
  return await put(path, await Deno.readTextFile(join(place.root, path)).catch(() => "") + lines);
}

/** Returns a fault: an agent with its own MCP server. */
const withServer = (id: string, entry: unknown): Plant => async (world) => {
  const path = join(world.place.root, CONFIG, "mcp-servers.json");
  const others = JSON.parse(await Deno.readTextFile(path).catch(() => "{}"));
  await world.put(`${CONFIG}/mcp-servers.json`, JSON.stringify({ ...others, [id]: entry }));
  await demo(id, `mcp: [${id}]`)(world);
};

/** Returns a fault: an agent with a path that it has no permission for. */
const withFile = (id: string, allowed: "read" | "nothing"): Plant => async (world) => {
  const { machine, put } = world;
  const file = await put(`notes/${id}.md`, "a");
  const { mayAccess } = machine;
  machine.mayAccess = (path, wish) => path === file ? wish === allowed : mayAccess(path, wish);
  await demo(id, `paths: { notes: ${file} }`)(world);
};

/** Runs an agent in a service and stops the service, so that the files of a service remain. */
async function live(world: DoctorWorld): Promise<void> {
  const runtime = await world.start();
  await runToEnd(runtime, "healthy");
  await world.stop();
}

async function change({ place }: DoctorWorld, sql: string): Promise<void> {
  using db = new DatabaseSync(join(place.stateDir, "inkling.db"));
  await Promise.resolve(db.exec(sql));
}

/** Starts a service of another version with a paused scheduler and a paused trigger. */
async function serveOldAndPaused(world: DoctorWorld): Promise<void> {
  const runtime = await world.start();
  await runtime.pauseScheduler();
  const { createApp } = await import("../../../../server/app.ts");
  const { Lifecycle } = await import("../../../../api/streams/lifecycle.ts");
  const lifecycle = new Lifecycle({ runtime, keepAlive: true });
  const app = createApp({ runtime, lifecycle, transports: () => [], caller: { via: "api" } });
  world.cli.transport = async (path, init) => {
    const response = await app.request(`http://localhost${path}`, init);
    if (path === "/info") return Response.json({ ...await response.json(), version: "1.2.2" });
    if (path !== "/agents") return response;
    const agents: { id: string }[] = await response.json();
    return Response.json(agents.map((one) => ({
      ...one,
      ...(one.id === "healthy" && { trigger_paused: "it ran away" }),
    })));
  };
}

/** Faults that occur in one installation. */
interface Faults {
  before?: Plant;
  faults: Readonly<Record<string, Plant>>;
  after?: Plant;
  /** Further options of the test, such as `ignore`. */
  options?: Partial<Deno.TestDefinition>;
}

const OF_AGENTS: Faults["faults"] = {
  "an agent's file does not parse": agent("unparsed", "model: { provider: demo"),
  "a schedule that never fires": demo("never", 'trigger: { type: schedule, cron: "0 3 30 2 *" }'),
  "an unknown provider": agent("stranger", "model: { provider: opnai, name: gpt-5 }"),
  "an unknown model": agent("ecko", "model: { provider: demo, name: ecko }"),
  "a missing key": agent("keyless", "model: { provider: google, name: gemini-2.5-pro }"),
  "a key of another provider": async (world) => {
    await agent("mistaken", "model: { provider: openai, name: gpt-5 }")(world);
    await append(world, ENV, `OPENAI_API_KEY=${ANTHROPIC_KEY}\n`);
  },
  "a placeholder for a key": async (world) => {
    await agent("placeholder", "model: { provider: anthropic, name: claude-sonnet-5 }")(world);
    await append(world, ENV, `ANTHROPIC_API_KEY=<your key>\n`);
  },
  "an invalid line in a key file": (world) => append(world, ENV, "OTHER_API_KEY\n"),
  "a limit without a price": agent(
    "unpriced",
    "model: { provider: openai, name: nobodys }\nsettings: { max_cost_usd: 1 }",
  ),
  "a path that is missing": demo("pathless", "paths: { notes: /nowhere/at/all }"),
  "a path that may not be read": withFile("unread", "nothing"),
  "a path that may not be written": withFile("unwritten", "read"),
  "a path to a forbidden folder": async (world) => {
    await Deno.symlink(world.place.configDir, join(world.place.workspace, "link"));
    await demo("curious", "paths: { notes: link }")(world);
  },
  "an MCP server without its program": withServer("gone", { command: "no-such-program" }),
  "an MCP server that ends at once": withServer(
    "ending",
    { command: "/bin/sh", args: ["-c", "echo no >&2; exit 3"] },
  ),
  "an MCP server at an unused address": withServer(
    "silent",
    { url: "http://127.0.0.1:1/mcp" },
  ),
  "a custom tool that does not load": async (world) => {
    await world.put(`${CONFIG}/tools/search.ts`, "export const search = ;");
    await demo("searcher", "tools: [search]")(world);
  },
  "a skill that differs from its lock file": async (world) => {
    const text = "---\nname: haiku\ndescription: Writes\n---\nWrite.\n";
    await world.put(`${CONFIG}/skills/haiku/SKILL.md`, text);
    const lock = { source: "npm:haiku@1.0.0", files: { "SKILL.md": "0".repeat(64) } };
    await world.put(`${CONFIG}/skills/haiku/skill.lock`, JSON.stringify(lock));
    await demo("poet", "skills: haiku")(world);
  },
};

const OF_CONFIGURATION: Faults["faults"] = {
  "a missing key of the default model": (world) =>
    append(world, CONFIG_YAML, "defaults: { provider: openai, model: gpt-5 }\n"),
  "a port without a key": (world) => append(world, CONFIG_YAML, "service: { port: 8420 }\n"),
  "an unknown key": (world) => append(world, CONFIG_YAML, "agent_dir: agents\n"),
  "a required sandbox that is missing": async (world) => {
    await append(world, CONFIG_YAML, "sandbox: required\n");
    world.machine.findSandbox = () =>
      Promise.resolve({ problem: "bubblewrap is not installed", remedy: "install bubblewrap" });
  },
  "a broken price file": ({ put }) =>
    put("config/pricing.yaml", "elsewhere/tiny: { input: cheap, output: 1 }\n"),
};

/** Faults of unattended agents that have no approvals or no channel. */
const OF_SERVICE: Faults["faults"] = {
  "an unattended agent that will wait for an approval": demo("waiter", EVERY_HOUR),
  "a webhook that no delivery reaches": async (world) => {
    await world.put(ENV, "HOOK=0123456789abcdef\n");
    await demo("door", `trigger: { type: webhook, scheme: token, secret: HOOK }\n${APPROVED}`)(
      world,
    );
  },
  "a trigger that was stopped": demo("daily", `${EVERY_HOUR}\n${APPROVED}`),
  "a paused scheduler": () => {},
  "a service of another version": () => {},
};

const OF_STATE: Faults["faults"] = {
  "a socket of a service that was killed": (world) =>
    Deno.writeTextFile(state(world, "service.sock"), ""),
  "a PID of a service that was killed": (world) =>
    Deno.writeTextFile(state(world, "inkling.pid"), "4711\n"),
  "a half-written file of a service that was killed": ({ put }) =>
    put("work/agents/.inkling-01234567-89ab-cdef-0123-456789abcdef-0.tmp", "half"),
  "a file of an interrupted move": ({ put }) =>
    put("work/agents/.inkling-01234567-89ab-cdef-0123-456789abcdef.tmp", "all"),
  "a file with keys that others can read": async (world) =>
    await Deno.chmod(await world.put(ENV, `OPENAI_API_KEY=${OPENAI_KEY}\n`), 0o644),
  "a state folder that others may open": ({ place }) => Deno.chmod(place.stateDir, 0o755),
  "an almost full disk": ({ machine }) => void (machine.freeBytes = () => 5_000_000),
  "a very large database": (world) => void (world.largestDatabase = 1_000),
  "stored times in the future": (world) =>
    change(world, "UPDATE executions SET started_at = started_at + 3600000"),
};

/** Faults that each need an installation of their own. */
const ALONE: Faults["faults"] = {
  "a key that only an installed unit reads": ({ put }) =>
    put("config/service.env", "INKLING_API_KEY=0123456789abcdef\n"),
  "no service for an agent with a schedule": demo("daily", `${EVERY_HOUR}\n${APPROVED}`),
  "a unit whose service does not run": async (world) => {
    await demo("daily", `${EVERY_HOUR}\n${APPROVED}`)(world);
    await world.put(".config/systemd/user/inkling.service", "[Unit]\n");
  },
  "a process that holds the lock and does not listen": async (world) => {
    await live(world);
    held = takeLock(state(world, "inkling.lock"));
    await Deno.writeTextFile(state(world, "inkling.pid"), "4711\n");
  },
  "a file in place of the state folder": ({ put }) => put("state", ""),
  "a damaged database": async (world) => {
    await live(world);
    using file = await Deno.open(state(world, "inkling.db"), { write: true });
    await file.seek(4_096, Deno.SeekMode.Start);
    await file.write(new Uint8Array(40_000).fill(0xa5));
  },
  "a database of a newer version": async (world) => {
    await live(world);
    await change(world, "PRAGMA user_version = 9999");
  },
  "a broken config.yaml": ({ put }) => put(CONFIG_YAML, "defaults: { timeout: soon }\n"),
  "a missing workspace": ({ place }) => Deno.rename(place.workspace, join(place.root, "elsewhere")),
};

/** The faults by test name. The snapshots contain the findings and the effect of --fix. */
const FAULTS: Readonly<Record<string, Faults>> = {
  "faults of agents": { faults: OF_AGENTS },
  "faults of the configuration": { faults: OF_CONFIGURATION },
  "faults of a running service": { faults: OF_SERVICE, after: serveOldAndPaused },
  "faults of stored files": { before: live, faults: OF_STATE, options: SQLITE },
  ...Object.fromEntries(
    Object.entries(ALONE).map(([name, plant]) => [
      name,
      { faults: { [name]: plant }, ...(name === "a damaged database" && { options: SQLITE }) },
    ]),
  ),
};

/** Lines with the output of other programs. */
const FOREIGN_LINES = [
  /^✖ MCP server ending: .*(exit code 3|ended).*/gm,
  /^✖ MCP server silent: .*/gm,
  /^✖ searcher: The custom tool search cannot be used.*/gm,
];

/** Runs doctor and returns its output without machine-dependent values. */
async function tell(world: DoctorWorld, ...options: string[]): Promise<string> {
  const { code, lines } = await world.doctor(...options);
  // No output contains a key. The number of checks, the sizes and the ages depend on the machine, and
  // the format of the database on the version, so they are replaced.
  for (const key of [OPENAI_KEY, ANTHROPIC_KEY]) assert.ok(!lines.join().includes(key));
  let text = lines.join("\n").replaceAll(/\d+ (?=checks|MB|s\b|min|h\b)/g, "N ")
    .replaceAll(/(?<=this one knows )\d+/g, "N");
  // The database is named only if it is PostgreSQL.
  const shared = /\n *PostgreSQL \d.* live nodes?/.source;
  text = text.replace(RegExp(`(?<=checks[:,].*)${shared}\n?$|${shared}`), "");
  for (const words of FOREIGN_LINES) text = text.replaceAll(words, "✖ (another program's words)");
  assert.equal(code, /^✖ |"severity":"error"/m.test(text) ? 1 : 0, text);
  return text;
}

/** Runs doctor and compares its output with the test's snapshots. */
async function shows(t: Deno.TestContext, world: DoctorWorld, ...options: string[]) {
  await assertPicture(t, await tell(world, ...options), import.meta.url);
}

let held: Disposable | undefined;

/** Creates an installation without faults. */
async function createHealthy(): Promise<DoctorWorld> {
  const world = await createDoctorWorld();
  await world.place.writeScript("healthy", SAY);
  return world;
}

for (const [name, { before, faults, after, options = {} }] of Object.entries(FAULTS)) {
  Deno.test(`doctor finds ${name}`, options, async (t) => {
    await using world = await createHealthy();
    await before?.(world);
    for (const plant of Object.values(faults)) await plant(world);
    await after?.(world);
    using _ = { [Symbol.dispose]: () => (held?.[Symbol.dispose](), held = undefined) };
    const found = await tell(world);
    assert.equal(found.match(/^[✖!] .*\n {4}\S/gm)?.length, Object.keys(faults).length, found);
    const pictures = [found];
    if (/"inkling doctor --fix" fixes/.test(found)) {
      pictures.push(await tell(world, "--fix"), await tell(world));
    }
    await assertPicture(t, pictures.join("\n---\n"), import.meta.url);
  });
}

Deno.test(
  "doctor finds no problems in a healthy installation and changes nothing",
  SQLITE,
  async () => {
    await using world = await createHealthy();
    const { place, put } = world;
    await put(ENV, `OPENAI_API_KEY=${OPENAI_KEY}\n`);
    await put(`${CONFIG}/mcp-servers.json`, JSON.stringify({ notes: programEntry() }));
    const tool = `export const search = {
    description: "Searches", parameters: { type: "object", properties: {} }, run: () => "found" };`;
    await put(`${CONFIG}/tools/search.ts`, tool);
    await put(
      `${CONFIG}/skills/haiku/SKILL.md`,
      "---\nname: haiku\ndescription: Writes\n---\nWrite.\n",
    );
    await place.writeScript("equipped", SAY, "tools: [search]\nskills: haiku\nmcp: [notes]");
    await place.writeAgent("paid", "---\nmodel: { provider: openai, name: gpt-5 }\n---\nThink.\n");
    const check = async () => {
      const { code, lines } = await world.doctor();
      // The other lines report that no unit starts the service of the agents with triggers.
      const [first = "", ...others] = lines;
      assert.equal(first.replace(/^\d+/, "N"), "N checks, no problems");
      assert.ok(others.every((line) => line.startsWith("Unattended: not ready")), lines.join("\n"));
      assert.equal(code, 0);
    };
    await live(world);
    const before = await treeOf(place.root);
    await check();
    assert.deepEqual(await treeOf(place.root), before);
    await place.writeScript("hourly", SAY, `${EVERY_HOUR}\nauto_approve: "*"`);
    await world.start();
    await check();
  },
);

/** Returns the paths, modes and sizes of a folder's files, without SQLite's temporary files. */
async function treeOf(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (/-(shm|wal)$/.test(name)) continue;
    const path = join(folder, name);
    const { mode, size } = await Deno.lstat(path);
    found.push(`${path} ${mode} ${size}`);
    if (isDirectory) found.push(...await treeOf(path));
  }
  return found.sort();
}

Deno.test("doctor reports a problem of several agents in one line", SQLITE, async (t) => {
  await using world = await createHealthy();
  for (const id of ["a", "b", "c", "d", "e"]) {
    await agent(id, "model: { provider: openai, name: gpt-5 }")(world);
  }
  await shows(t, world);
  const text = await tell(world, "--json");
  assert.ok(JSON.parse(text).checks > 10);
  await assertPicture(t, text.replace(/"checks":\d+/, '"checks":N'), import.meta.url);
});

Deno.test("doctor before the setup prints the next command and the keys that it found", async (t) => {
  await using world = await createDoctorWorld();
  const { place, machine } = world;
  await Deno.remove(place.configDir, { recursive: true });
  await Deno.remove(place.workspace, { recursive: true });
  place.shell["OPENAI_API_KEY"] = OPENAI_KEY;
  machine.findSandbox = () =>
    Promise.resolve({ problem: "bubblewrap is not installed", remedy: "install bubblewrap" });
  await shows(t, world);
});

Deno.test("doctor reports an invalid config.yaml and database, and skips their checks", async (t) => {
  await using world = await createHealthy();
  await live(world);
  await Deno.writeTextFile(state(world, "inkling.db"), "not a database, and long enough to be one");
  await world.put("config/config.yaml", "workspace: [\n");
  await shows(t, world);
});

Deno.test("doctor never shows the address of an invalid database setting", async (t) => {
  await using world = await createDoctorWorld();
  const { place } = world;
  const config = `workspace: ${place.workspace}\n`;
  await world.put(CONFIG_YAML, `${config}database: postgres://u:hunter2secret@db\n`);
  await shows(t, world);
  await world.put(CONFIG_YAML, config);
  place.shell["INKLING_DATABASE_URL"] = "postgres://u:hunter2secret@db";
  await shows(t, world);
});

Deno.test("doctor makes a config.yaml with the database's password private", async () => {
  await using world = await createDoctorWorld();
  const { place: { workspace } } = world;
  const config = (user: string) => `workspace: ${workspace}\ndatabase: postgres://${user}@db/x\n`;
  const path = await world.put("config/config.yaml", config("u"));
  await Deno.chmod(path, 0o644);
  const told = /Other users may open this file with a password: ~\/config\/config\.yaml/;
  assert.doesNotMatch((await world.doctor()).lines.join("\n"), told);
  await Deno.writeTextFile(path, config("u:abc"));
  assert.match((await world.doctor()).lines.join("\n"), told);
  await world.doctor("--fix");
  assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
});

Deno.test("doctor does not wait for a silent service, and reports how to stop it", async () => {
  await using cli = await createFakeCli();
  cli.beSilent();
  assert.equal(await cli.drive(cli.run("doctor")), 1);
  assert.match(
    cli.stdout.text,
    /^✖ service: The service does not answer on .*service\.sock\n {4}"inkling stop" stops it; its log is .*inkling\.log\n\d+ checks: 1 error, 0 warnings\n$/,
  );
});

Deno.test({
  name: "doctor reports the state of the shared database and the number of live nodes",
  // Ignored without PostgreSQL, and if INKLING_TEST_DATABASE already sets the workspace's database.
  ignore: !HAS_POSTGRES || IS_POSTGRES,
}, async () => {
  await using world = await createDoctorWorld();
  await using database = await createTestPostgres();
  const { place, cli } = world;
  const address = database.address.replace("inkling@", "inkling:s3cret@");
  const use = (address: string) =>
    world.put(CONFIG_YAML, `workspace: ${place.workspace}\ndatabase: ${address}\n`);
  await use(address);
  const healthy = await world.doctor();
  assert.equal(healthy.code, 0, healthy.lines.join("\n"));
  const text = healthy.lines.join("\n");
  assert.match(
    text,
    /^PostgreSQL \d+.* at postgres:\/\/inkling@127\.0\.0\.1:\d+\/\w+: no live node$/m,
  );
  assert.doesNotMatch(text, /s3cret/);
  // No server listens at this address.
  await use(address.replace(/:\d+\//, ":1/"));
  const ill = await world.doctor();
  assert.equal(ill.code, 1);
  const said = ill.lines.join("\n");
  assert.match(
    said,
    /^✖ database: Cannot use postgres:.*: nothing listens there\n {4}Start PostgreSQL/m,
  );
  assert.doesNotMatch(said, /s3cret/);
  // A running service reports the same error.
  const refusal = /Cannot use postgres:[^]*nothing listens there/.exec(said)?.[0] ?? "";
  cli.isRunning = true;
  cli.transport = (path) => {
    const detail = path === "/health" ? "" : `${refusal}. Start PostgreSQL.`;
    return Promise.resolve(
      detail === "" ? Response.json({ status: "ok" }) : Response.json({ detail }, { status: 503 }),
    );
  };
  const again = (await world.doctor()).lines.join("\n");
  assert.match(again, /^✖ database: /m);
  assert.doesNotMatch(again, /✖ service/);
});

Deno.test("doctor reports a service that answers with an error, and the path of its log", async (t) => {
  await using world = await createDoctorWorld();
  const { cli } = world;
  cli.isRunning = true;
  cli.transport = (path) =>
    Promise.resolve(
      path === "/health"
        ? Response.json({ status: "ok" })
        : Response.json({ detail: "The database is locked." }, { status: 503 }),
    );
  await shows(t, world);
});

Deno.test("doctor reports no missing service while another node runs one", async () => {
  await using world = await createDoctorWorld();
  const { place, cli } = world;
  await place.writeScript("daily", SAY, `${EVERY_HOUR}\nauto_approve: "*"`);
  const { openLocalService } = cli.app;
  for (const alive of [false, true]) {
    cli.app.openLocalService = async (options) => {
      const local = await openLocalService(options);
      const { client } = local;
      const info = client.info.bind(client);
      client.info = async (options) => ({
        ...await info(options),
        nodes: [{ name: "attic", alive } as NodeBody],
      });
      return local;
    };
    const { lines } = await world.doctor();
    assert.equal(/The service is not running/.test(lines.join("\n")), !alive, lines.join("\n"));
  }
});
