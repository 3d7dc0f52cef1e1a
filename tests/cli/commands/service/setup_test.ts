import assert from "node:assert/strict";
import { join } from "node:path";
import { resolveDirectories } from "../../../../runtime/config/resolve_directories.ts";
import { lockStateDir } from "../../../../runtime/storage/state_dir/instance_lock.ts";
import { parse } from "yaml";
import { OTHER_PROVIDER } from "../../../../cli/prompting/provider_questions.ts";
import { OpenAiServer } from "../../../support/models/openai_server.ts";
import { createStandInManagers } from "../../../support/machine/stand_in_managers.ts";
import { CTRL_C, ESC } from "../../fake_input.ts";
import { assertPicture } from "../../picture.ts";
import { createSetupWorld, type SetupWorld } from "../../setup_world.ts";

const KEY = "sk-0123456789abcdef";
const modeOf = (path: string) => (Deno.statSync(path).mode ?? 0) & 0o777;
const configOf = async (world: SetupWorld) => parse(await world.read(world.configFile));

/** Returns the answers of a setup with this model, without a test of the model, limits and a channel. */
const answering = (...model: string[]) => [
  ...["~/inkling", ...model, KEY, false, false, true, "later"],
];
/** The answers of a first setup. The model gpt-x is not in the price table. */
const FIRST = answering("openai", OTHER_PROVIDER, "gpt-x");
/** Compares config.yaml and the keys' file with the snapshot. */
async function hasWritten(t: Deno.TestContext, world: SetupWorld, envFile = world.envFile) {
  const files = await Promise.all([world.configFile, envFile].map(world.read));
  await assertPicture(t, files.join("---\n").replaceAll(world.home, "~"), import.meta.url);
}

Deno.test("setup asks questions and writes config.yaml, a key and a first agent", async (t) => {
  await using world = await createSetupWorld();
  const { cli } = world;
  cli.input.answers = [...FIRST];
  assert.equal(await cli.run("setup"), 0);
  assert.deepEqual(cli.input.answers, []);
  await hasWritten(t, world);
  assert.equal(modeOf(world.envFile), 0o600);
  for (const folder of ["tools", "skills"]) {
    assert.ok(Deno.statSync(join(world.agentsDir, "_config", folder)).isDirectory);
  }
  assert.deepEqual(world.files(), [
    ".config/inkling/config.schema.json",
    ".config/inkling/config.yaml",
    "inkling/agents/_config/.env",
    "inkling/agents/hello.md",
  ]);
  const shown = cli.stdout.text + cli.stderr.text;
  // The lines fit a terminal of 80 columns.
  const [limits = ""] = /Limits of a run:[^]*? tokens/.exec(shown) ?? [];
  await assertPicture(t, limits, import.meta.url);
  assert.doesNotMatch(await world.read(join(world.agentsDir, "hello.md")), /model:/);
  for (const line of limits.split("\n")) assert.ok(line.length <= 80, line);
  assert.match(shown, /config\.yaml created\n[^]*\nYour first agent: {6}inkling run hello\n/);
  assert.ok(!shown.includes(KEY));
  assert.equal(cli.input.asked.find(({ message }) => message.includes("key"))?.kind, "secret");
});

Deno.test("setup keeps unknown keys, comments, other variables and agents when it runs again", async (t) => {
  await using world = await createSetupWorld({
    config: "# ours\nworkspace: ~/inkling # here\nextra: {a: 1}\n" +
      "defaults:\n  provider: openai\n  model: gpt-x\n  timeout: 90 # patient\n  mine: yes\n",
  });
  const { cli } = world;
  await Deno.mkdir(join(world.agentsDir, "_config"), { recursive: true });
  const agent = join(world.agentsDir, "mine.md");
  await Deno.writeTextFile(agent, "Mine.\n");
  await Deno.writeTextFile(world.envFile, `# keys\nOPENAI_API_KEY=old # till May\nOTHER='a b'\n`);
  const before = await world.read(world.configFile);
  // Enter keeps every setting; only the mode of the keys' file changes.
  cli.input.answers = ["~/inkling", "openai", "gpt-x", "", false, false, true, "later"];
  assert.equal(await cli.run("setup"), 0);
  assert.equal(await world.read(world.configFile), before);
  assert.match(cli.stdout.text, /config\.yaml unchanged\n/);
  assert.equal(modeOf(world.envFile), 0o600);

  const limits = ["60", "2.5"];
  const other = ["anthropic", OTHER_PROVIDER, "claude-x", KEY];
  cli.input.answers = ["~/inkling", ...other, false, true, ...limits, true, "later"];
  assert.equal(await cli.run("setup"), 0);
  await hasWritten(t, world);
  assert.equal(await world.read(agent), "Mine.\n");
  assert.ok(!world.files().includes("inkling/agents/hello.md"));
});

Deno.test("setup writes nothing if the user leaves any question", async () => {
  const limits = ["60", "2.5"];
  const all = [...FIRST.slice(0, 6), true, ...limits, true];
  await using world = await createSetupWorld();
  const { cli } = world;
  for (let count = 0; count < all.length; count++) {
    cli.stderr.text = "";
    cli.input.answers = [...all.slice(0, count), count % 2 === 0 ? CTRL_C : ESC];
    assert.equal(await cli.run("setup"), 130, `at question ${count + 1}`);
    assert.deepEqual(world.files(), []);
    assert.equal(cli.stderr.text, "Nothing was written\n");
  }
});

Deno.test("setup rejects invalid answers and asks again", async (t) => {
  await using world = await createSetupWorld();
  const { cli } = world;
  await Deno.writeTextFile(join(world.home, "file"), "");
  const place = [OTHER_PROVIDER, "!", "elsewhere", "not an url", "https://m.example"];
  const limits = ["soon", "60", "0", "0.5"];
  const model = [...place, "", "m", "a key", KEY];
  cli.input.answers = [
    "~/file",
    "~/file/below",
    "~/inkling",
    ...model,
    false,
    true,
    ...limits,
    true,
    "later",
  ];
  assert.equal(await cli.run("setup"), 0);
  assert.deepEqual(cli.input.answers, []);
  const problems = cli.stderr.text.split("\n").filter((line) => line.startsWith("Error: "));
  assert.equal(problems.length, 8, problems.join("\n"));
  // The line is wrapped where the path of the temporary folder is long.
  const text = cli.stderr.text.replaceAll(/\s+/g, " ");
  assert.match(
    text,
    /file is a file: a workspace is a folder .*below is a file: a workspace is a /,
  );
  assert.match(problems[2] ?? "", /The name must contain a letter or a digit$/);
  assert.match(problems[3] ?? "", /defaults\.base_url must be an http or https address/);
  assert.match(problems[5] ?? "", /This is not a valid key/);
  await hasWritten(t, world);
});

Deno.test("setup does not ask for a key if none is needed", async () => {
  const answers = {
    ollama: ["~/inkling", "ollama", "qwen3", false, false, true],
    local: ["~/inkling", "local", "http://127.0.0.1:11434/v1", "tiny", false, false, true],
    demo: ["~/inkling", "demo", "report", false, true],
  };
  for (const [provider, given] of Object.entries(answers)) {
    await using world = await createSetupWorld();
    const { cli } = world;
    cli.input.answers = [...given, "later"];
    assert.equal(await cli.run("setup"), 0, provider);
    assert.deepEqual(cli.input.asked.filter(({ kind }) => kind === "secret"), []);
    assert.equal((await configOf(world)).defaults.provider, provider);
    assert.equal((await configOf(world)).defaults.base_url, undefined);
    assert.equal(modeOf(world.envFile), 0o600);
  }
});

Deno.test("setup offers the provider's models with their prices, and any other model", async () => {
  for (
    const [provider, some] of [
      ["openai", ["gpt-6-sol", "gpt-5", "gpt-5-mini"]],
      ["anthropic", ["claude-sonnet-5-5", "claude-sonnet-5"]],
      ["demo", ["report", "script", "echo"]],
    ] as const
  ) {
    await using world = await createSetupWorld();
    const { cli } = world;
    cli.input.answers = ["~/inkling", provider, CTRL_C];
    assert.equal(await cli.run("setup"), 130);
    const { kind, choices = [] } = cli.input.asked.at(-1) ?? {};
    assert.equal(kind, "select");
    assert.deepEqual(some.filter((name) => !choices.includes(name)), []);
    assert.equal(choices.at(-1), OTHER_PROVIDER);
    assert.deepEqual(choices.filter((name) => /image|audio|embed|davinci|realtime/.test(name)), []);
  }
});

Deno.test("setup rejects a model that its provider does not have", async (t) => {
  await using world = await createSetupWorld();
  const { cli } = world;
  cli.input.answers = ["~/inkling", "demo", OTHER_PROVIDER, "zzz", "echo", false, true, "later"];
  assert.equal(await cli.run("setup"), 0);
  assert.match(cli.stderr.text, /^Error: Unknown model "zzz": demo has report, script, echo\n/);
  await hasWritten(t, world);
});

Deno.test("setup tests the model after a confirmation and shows the provider's error", async () => {
  await using server = new OpenAiServer([
    { status: 401, body: JSON.stringify({ error: { message: "No such key" } }) },
    { text: "ready" },
  ]);
  await using world = await createSetupWorld();
  const { cli } = world;
  const place = [OTHER_PROVIDER, "elsewhere", server.url, "tiny"];
  const first = ["~/inkling", ...place, "bad-key", true, "again"];
  cli.input.answers = [...first, ...place, KEY, true, false, true, "later"];
  assert.equal(await cli.run("setup"), 0);
  server.assertDone();
  assert.match(cli.stderr.text, /Error: elsewhere answered 401: No such key\n/);
  assert.match(cli.stdout.text, /The model answers\n/);
  assert.equal(server.request(1).headers.get("authorization"), `Bearer ${KEY}`);
  assert.match(await world.read(world.envFile), new RegExp(`ELSEWHERE_API_KEY=${KEY}\n`));
});

Deno.test("setup never uses a base_url for another provider", async () => {
  await using world = await createSetupWorld({
    config: "defaults: {provider: openai, model: m, base_url: 'https://proxy.example/v1'}\n",
  });
  const { cli } = world;
  cli.input.answers = answering("openai", OTHER_PROVIDER, "m2");
  assert.equal(await cli.run("setup"), 0);
  assert.equal((await configOf(world)).defaults.base_url, "https://proxy.example/v1");
  assert.match(cli.stderr.text, /Warning: OPENAI_API_KEY will be sent to proxy\.example/);
  cli.input.answers = answering("anthropic", OTHER_PROVIDER, "c");
  assert.equal(await cli.run("setup"), 0);
  assert.equal((await configOf(world)).defaults.base_url, null);
});

Deno.test("setup does not change an invalid configuration", async () => {
  await using world = await createSetupWorld({ config: "workspace: [\n" });
  assert.equal(await world.cli.run("setup"), 1);
  assert.match(
    world.cli.stderr.text,
    /^Error: Cannot use the configuration:\s+.*config\.yaml:2:1: Broken/,
  );
  assert.equal(await world.read(world.configFile), "workspace: [\n");
});

Deno.test("setup --yes reads everything from options and standard input", async (t) => {
  await using world = await createSetupWorld({ hasPerson: false });
  const { cli } = world;
  cli.input.lines = [`  ${KEY}`, "and more"];
  const flags = ["--provider", "anthropic", "--api-key-stdin", "--timeout", "60"];
  const limits = ["--max-cost-usd", "1.5", "--max-tool-calls", "none"];
  assert.equal(await cli.run("setup", "--yes", ...flags, ...limits, "-w", "work"), 0);
  await hasWritten(t, world, join(world.home, "work", "agents", "_config", ".env"));
  const before = await world.read(world.configFile);
  assert.equal(cli.stderr.text, "");
  // A second run of `setup` changes nothing.
  assert.equal(await cli.run("setup", "--yes"), 0);
  assert.equal(await world.read(world.configFile), before);
});

Deno.test("setup --yes takes the provider from --model provider/name", async () => {
  await using world = await createSetupWorld({ hasPerson: false });
  assert.equal(await world.cli.run("setup", "--yes", "--model", "demo/echo"), 0);
  assert.match(await world.read(world.configFile), /^ {2}provider: demo\n {2}model: echo$/m);
});

Deno.test("setup --yes uses a key of the environment without writing it", async () => {
  for (const hasKey of [true, false]) {
    await using world = await createSetupWorld({
      hasPerson: false,
      shell: hasKey ? { OPENAI_API_KEY: KEY } : {},
    });
    assert.equal(await world.cli.run("setup", "--yes", "--provider", "openai"), 0);
    assert.ok(!(await world.read(world.envFile)).includes("OPENAI"));
    assert.equal(
      world.cli.stderr.text,
      hasKey ? "" : "Warning: OPENAI_API_KEY is not set: every run will fail without it\n",
    );
  }
});

Deno.test("setup --yes --test writes nothing if the model does not answer", async () => {
  await using server = new OpenAiServer([
    { status: 401, body: JSON.stringify({ error: { message: `No such key: ${KEY}` } }) },
    { text: "ready" },
  ]);
  await using world = await createSetupWorld({ hasPerson: false, shell: { MINE_API_KEY: KEY } });
  const { cli } = world;
  const flags = ["--provider", "mine", "--base-url", server.url, "--model", "tiny"];
  assert.equal(await cli.run("setup", "--yes", "--test", ...flags), 1);
  assert.match(
    cli.stderr.text,
    /Error: Nothing was written: mine answered 401: No such key: \[key\]\n/,
  );
  assert.deepEqual(world.files(), []);
  assert.equal(await cli.run("setup", "--yes", "--test", ...flags), 0);
  server.assertDone();
});

Deno.test("setup rejects invalid options and writes nothing", async () => {
  const table: [string[], RegExp][] = [
    [["--yes"], /^Error: Choose a model provider with --provider: openai, anthropic/],
    [["--yes", "--provider", "local"], /^Error: Choose a model of local with --model/],
    [["--yes", "--provider", "mine", "--model", "m"], /defaults\.provider must be .*base_url/],
    [["--yes", "--provider", "openai", "--timeout", "0"], /defaults\.timeout must be .*got 0/],
    [["--yes", "--provider", "openai", "--timeout", "soon"], /defaults\.timeout must be a whole/],
    [["--yes", "--provider", "demo", "--api-key-stdin"], /demo needs no key/],
    [
      ["--yes", "--provider", "demo", "--model", "zzz"],
      /^Error: Unknown model "zzz": demo has report, script, echo\n$/,
    ],
    [["--yes", "--provider", "openai", "--api-key-stdin"], /This is not a valid key/],
    [["--api-key-stdin"], /--api-key-stdin and --test require --yes/],
    [["--yes", "--api-key", "x"], /Unknown option '--api-key'/],
  ];
  await using world = await createSetupWorld({ hasPerson: false });
  for (const [flags, message] of table) {
    world.cli.stderr.text = "";
    world.cli.input.lines = flags.includes("demo") ? [KEY] : ["a b"];
    assert.equal(await world.cli.run("setup", ...flags), 2, flags.join(" "));
    assert.match(world.cli.stderr.text, message);
    assert.deepEqual(world.files(), []);
  }
});

Deno.test("setup reports the former workspace's history and running service", async (t) => {
  await using world = await createSetupWorld({
    hasPerson: false,
    config: "workspace: ~/old\ndefaults: {provider: demo, model: echo}\n",
  });
  const { cli } = world;
  await Deno.mkdir(join(world.home, ".local", "state", "inkling"), { recursive: true });
  await Deno.writeTextFile(join(world.home, ".local", "state", "inkling", "inkling.db"), "");
  cli.isRunning = true;
  assert.equal(await cli.run("setup", "--yes", "-w", "~/new"), 0);
  await assertPicture(t, cli.stderr.text.replaceAll(world.home, "~"), import.meta.url);
});

/** Creates a home whose service runs with the current setup. */
async function createBesideService(options: { hasPerson: boolean }): Promise<SetupWorld> {
  const world = await createSetupWorld({
    ...options,
    config: "workspace: ~/inkling\ndefaults: {provider: demo, model: echo}\n",
  });
  world.cli.isRunning = true;
  return world;
}

Deno.test("setup notes that the running service uses a changed key", async () => {
  await using world = await createBesideService({ hasPerson: false });
  const { cli } = world;
  cli.input.lines = [KEY];
  const setup = ["setup", "--yes", "--provider", "openai", "--model", "gpt-x"];
  assert.equal(await cli.run(...setup), 0);
  await Deno.remove(world.envFile);
  cli.stderr.text = "";
  assert.equal(await cli.run(...setup), 0);
  assert.match(cli.stdout.text, /\.env created\n[^]*config\.yaml unchanged\n/);
  assert.match(cli.stderr.text, /The running service uses these settings from the next run on/);
  cli.stderr.text = "";
  assert.equal(await cli.run(...setup), 0);
  assert.doesNotMatch(cli.stderr.text, /next run/);
});

Deno.test("setup without questions prints the command that restarts a service of another version", async () => {
  await using world = await createBesideService({ hasPerson: false });
  const { cli } = world;
  Object.assign(cli.app, { version: "1.3.0" });
  assert.equal(await cli.run("setup", "--yes"), 0);
  assert.match(
    cli.stderr.text,
    /The running service is Inkling 1\.2\.3, but this is 1\.3\.0\n/,
  );
  assert.match(cli.stderr.text, /"inkling stop && inkling start --daemon"\n/);
  assert.equal(cli.spawned.length, 0);
});

Deno.test("setup lets the service read the new settings before it names those that need a restart", async () => {
  await using world = await createBesideService({ hasPerson: false });
  const { cli } = world;
  const message = "workspace has changed: it takes effect when the service starts again";
  const position = { path: world.configFile, line: 1, column: 1 };
  cli.runtime.listAgents = () => {
    cli.runtime.configWarnings = [{ ...position, severity: "warning", message }];
    return Promise.resolve([]);
  };
  const setup = ["setup", "--yes", "--provider", "demo", "--model", "report"];
  assert.equal(await cli.run(...setup), 0);
  assert.match(cli.stderr.text, /config\.yaml: workspace has changed.*\nRestart the service/);
  assert.doesNotMatch(cli.stderr.text, /next run/);
});

Deno.test("setup offers to restart a service that cannot apply a setting while it runs", async () => {
  for (const isWanted of [true, false]) {
    await using world = await createBesideService({ hasPerson: true });
    const { cli } = world;
    const setting = { path: world.configFile, line: 1, column: 1, severity: "warning" as const };
    cli.runtime.configWarnings = [
      {
        ...setting,
        message: "http.hosts has changed: it takes effect when the service starts again",
      },
    ];
    const process = cli.addProcess(["request"], { onEnd: () => cli.isRunning = false });
    cli.input.answers = ["~/inkling", "demo", "echo", false, true, isWanted, "later"];
    assert.equal(await cli.drive(cli.run("setup")), 0, cli.stderr.text);
    assert.deepEqual(cli.input.answers, []);
    assert.equal(cli.input.asked.at(-2)?.message, "Restart the service now?");
    assert.match(cli.stderr.text, /config\.yaml: http\.hosts has changed: it takes effect/);
    assert.equal(process.isAlive, !isWanted);
    assert.equal(cli.spawned.length, isWanted ? 1 : 0);
    assert.equal(/start --daemon"/.test(cli.stderr.text), !isWanted);
  }
});

Deno.test("setup restarts a service through the manager that started it", async () => {
  for (const isWanted of [true, false]) {
    await using world = await createBesideService({ hasPerson: true });
    const { cli, home } = world;
    const managers = createStandInManagers(home);
    cli.environment = { HOME: home, USER: "me", PATH: `${managers.bin}:/usr/bin:/bin` };
    Object.assign(cli.lifecycle, { manager: "systemd" });
    Object.assign(cli.app, { version: "1.3.0" });
    cli.unit = { file: "inkling.service", isEnabled: true, isLingering: true };
    cli.input.answers = ["~/inkling", "demo", "echo", false, true, isWanted, "later"];
    assert.equal(await cli.drive(cli.run("setup")), 0, cli.stderr.text);
    assert.equal(managers.isActive(), isWanted);
    assert.equal(/Restart the service with systemd/.test(cli.stderr.text), !isWanted);
    assert.deepEqual(cli.spawned, []);
  }
});

Deno.test("setup rejects a workspace whose running service the commands could no longer reach", async () => {
  await using world = await createSetupWorld({ hasPerson: false });
  const workspace = join(world.home, "notes");
  await Deno.mkdir(workspace);
  const { ownStateDir } = await resolveDirectories({
    env: () => undefined,
    home: world.home,
    config: { path: "", workspace, agentsDir: "agents" },
  });
  await Deno.mkdir(ownStateDir, { recursive: true });
  const setup = ["setup", "--yes", "--provider", "demo", "--model", "echo", "-w", workspace];
  {
    using _service = lockStateDir(ownStateDir);
    assert.equal(await world.cli.run(...setup), 2);
    assert.match(
      world.cli.stderr.text,
      /A service runs for .*\/notes: stop it first \("inkling stop/,
    );
  }
  assert.ok(!world.files().some((path) => path.endsWith("config.yaml")));
  assert.equal(await world.cli.run(...setup), 0);
});
