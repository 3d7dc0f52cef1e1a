// The walls of a host process without those of the worker in it: what the process itself may reach during a call.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { AgentPath } from "../../../../runtime/agents/agent.ts";
import { SystemClock } from "../../../../base/clock.ts";
import { CustomTools } from "../../../../runtime/tools/custom/custom_tools.ts";
import { type HostProgram, ownProgram } from "../../../../runtime/tools/custom/host_program.ts";
import { HostedScripts } from "../../../../runtime/tools/custom/hosted_scripts.ts";
import { PathSandbox } from "../../../../runtime/tools/files/path_sandbox.ts";
import { denoDirectory } from "../../../support/repository.ts";
import { noSandbox } from "../../sandbox/system_sandbox.ts";
import { testContext } from "../files/sandbox_fixture.ts";
import { ToolWorld } from "./tool_world.ts";

/** Says of each permission that it is asked for whether its process has it. */
const PROBE = `console.log(JSON.stringify(JSON.parse(Deno.args[0]).map((descriptor) =>
  Deno.permissions.querySync(descriptor).state === "granted")));`;

/** Stands in for Deno as the program of hosts: it writes down with what it is started, and becomes Deno. */
class RecordedProgram implements AsyncDisposable {
  readonly program: HostProgram;
  readonly #directory: string;

  private constructor(directory: string) {
    this.#directory = directory;
    this.program = { ...ownProgram(), program: join(directory, "program") };
  }

  static async open(): Promise<RecordedProgram> {
    const recorded = new RecordedProgram(await Deno.realPath(await Deno.makeTempDir()));
    const place = (name: string) => join(recorded.#directory, name);
    await Deno.writeTextFile(
      place("program"),
      `#!/bin/sh\nprintf '%s\\n' "$@" > '${place("arguments")}'\nexport -p > '${
        place("environment")
      }'\n` + `exec '${Deno.execPath()}' "$@"\n`,
    );
    await Deno.chmod(place("program"), 0o755);
    await Deno.writeTextFile(place("probe.js"), PROBE);
    return recorded;
  }

  /** The variables of the last start, as a shell writes them. */
  environment(): Promise<string> {
    return Deno.readTextFile(join(this.#directory, "environment"));
  }

  /** Which of these the process of the last start was allowed: what another program is allowed with its flags. */
  async allows(asked: readonly Deno.PermissionDescriptor[]): Promise<Deno.PermissionDescriptor[]> {
    const args = (await Deno.readTextFile(join(this.#directory, "arguments"))).split("\n");
    const flags = args.slice(0, args.indexOf(this.program.main ?? ""));
    assert.equal(flags[0], "run");
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [...flags, join(this.#directory, "probe.js"), JSON.stringify(asked)],
      cwd: this.#directory,
      env: { DENO_DIR: denoDirectory() },
      clearEnv: true,
    }).output();
    assert.equal(new TextDecoder().decode(stderr), "");
    const granted: boolean[] = JSON.parse(new TextDecoder().decode(stdout));
    return asked.filter((_, index) => granted[index]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.#directory, { recursive: true });
  }
}

interface CallPaths {
  paths?: AgentPath[];
  readPaths?: string[];
}

const BOTH = ["read", "write"] as const;

/** Has a tool called by an agent with these paths. */
async function callTool(world: ToolWorld, { paths, readPaths }: CallPaths): Promise<void> {
  const more = `permissions: { net: ["127.0.0.1:9"], env: ["GREETING"] },`;
  await world.writeTool("greeter", `return "hello";`, more);
  assert.equal(
    await world.call("greeter", {}, { ...(paths && { paths }), ...(readPaths && { readPaths }) }),
    "hello",
  );
}

/** Has a script of a skill run by an agent with these paths. */
async function runScript(
  world: ToolWorld,
  { paths, readPaths }: CallPaths,
  program: HostProgram,
): Promise<void> {
  const folder = join(world.directories.agentsDir, "_config/skills/one");
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(join(folder, "script.js"), `console.log("hello");`);
  const scripts = new HostedScripts({
    directories: world.directories,
    program,
    lookup: (name) => name === "DENO_DIR" ? denoDirectory() : undefined,
    sandbox: noSandbox(),
  });
  const end = await scripts.runScript({
    path: join(folder, "script.js"),
    folder: new PathSandbox({ ...world.fixture.options(), workspace: folder, agentsDir: null }),
    args: [],
    cwd: world.fixture.workspace,
    environment: { GREETING: "hello" },
    timeoutMs: 60_000,
    maxOutputBytes: 10_000,
  }, testContext(world.fixture.sandbox(paths, readPaths), { clock: new SystemClock() }));
  assert.match(JSON.stringify(end), /hello/);
}

const CASES = [["custom tool", callTool], ["script of a skill", runScript]] as const;
for (const [what, start] of CASES) {
  Deno.test(`the process of a ${what} reaches nothing that is closed, though a folder of the agent's holds it`, async () => {
    await using recorded = await RecordedProgram.open();
    await using world = await ToolWorld.open({ program: recorded.program });
    const { fixture: { base, workspace }, directories } = world;
    const notes = join(workspace, "notes/a.txt");
    const agent = join(workspace, "agents/me.md");
    const closed = [
      directories.workspaceEnvFile,
      join(directories.configDir, "config.yaml"),
      join(directories.stateDir, "inkling.db"),
      // The link to the descriptors of the service.
      join(directories.stateDir, "fd"),
    ];
    const asked = BOTH.flatMap((name) =>
      [notes, agent, ...closed].map((path) => ({ name, path }) as const)
    );
    await start(world, { paths: [{ alias: "all", path: base }] }, recorded.program);
    assert.deepEqual(await recorded.allows(asked), [
      { name: "read", path: notes },
      { name: "read", path: agent },
      { name: "write", path: notes },
    ]);
  });

  Deno.test(`the process of a ${what} writes where the agent writes, and reads where it reads`, async () => {
    await using recorded = await RecordedProgram.open();
    await using world = await ToolWorld.open({ program: recorded.program });
    const { workspace, outside } = world.fixture;
    const [notes, inbox] = [join(workspace, "notes"), join(workspace, "inbox")];
    await Deno.mkdir(inbox);
    const asked = BOTH.flatMap((name) =>
      [notes, inbox, workspace, outside].map((path) => ({ name, path }) as const)
    );
    const paths = [{ alias: "notes", path: notes }];
    await start(world, { paths, readPaths: [inbox] }, recorded.program);
    assert.deepEqual(await recorded.allows(asked), [
      { name: "read", path: notes },
      { name: "read", path: inbox },
      { name: "write", path: notes },
    ]);
  });
}

Deno.test("the process of a custom tool gets the hosts and variables that the tool declares, and nothing else", async () => {
  await using recorded = await RecordedProgram.open();
  const variables = { GREETING: "good day", SECRET_TOKEN: "not for tools" };
  await using world = await ToolWorld.open({ program: recorded.program, variables });
  await callTool(world, {});
  const declared = [
    { name: "net", host: "127.0.0.1:9" },
    { name: "env", variable: "GREETING" },
  ] as const;
  assert.deepEqual(
    await recorded.allows([
      ...declared,
      { name: "net", host: "127.0.0.1:10" },
      { name: "net", host: "localhost:9" },
      { name: "env", variable: "SECRET_TOKEN" },
      { name: "run" },
      { name: "run", command: "/bin/sh" },
      { name: "ffi" },
      { name: "sys" },
      { name: "sys", kind: "hostname" },
    ]),
    declared,
  );
  const environment = await recorded.environment();
  assert.match(environment, /GREETING=.good day/);
  assert.doesNotMatch(environment, /SECRET_TOKEN|not for tools/);
});

Deno.test("the process of a custom tool does not get a variable that has become a model provider's key since", async () => {
  await using recorded = await RecordedProgram.open();
  await using world = await ToolWorld.open();
  const variables: Record<string, string> = {
    DENO_DIR: denoDirectory(),
    HOUSE_MODEL_KEY: "sk-house",
  };
  let isKey = false;
  await using tools = new CustomTools({
    directories: world.directories,
    program: recorded.program,
    clock: new SystemClock(),
    lookup: (name) => variables[name],
    sandbox: noSandbox(),
    isProviderKey: (name) => isKey && name === "HOUSE_MODEL_KEY",
  });
  const body = `return Deno.env.get("HOUSE_MODEL_KEY") ?? "not set";`;
  await world.writeTool("reader", body, `permissions: { env: ["HOUSE_MODEL_KEY"] },`);
  const [reader] = await tools.openTools({ id: "me", customTools: ["reader"] });
  assert.ok(reader !== undefined);
  assert.equal(await world.run(reader), "sk-house");
  assert.match(await recorded.environment(), /sk-house/);
  isKey = true;
  assert.equal(await world.run(reader), "not set");
  assert.doesNotMatch(await recorded.environment(), /sk-house|HOUSE_MODEL_KEY/);
});
