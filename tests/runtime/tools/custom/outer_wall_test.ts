// Tests the permissions of a host process during a call, without those of its worker.
import assert from "node:assert/strict";
import { join } from "node:path";
import { type HostProgram, ownProgram } from "../../../../runtime/tools/custom/host_program.ts";
import { denoDirectory } from "../../../support/repository.ts";
import { type ScriptOptions, ScriptWorld } from "./script_world.ts";
import { ToolWorld } from "./tool_world.ts";

/** A program that prints, for each permission in its argument, true if the program has the permission. */
const PROBE = `console.log(JSON.stringify(JSON.parse(Deno.args[0]).map((descriptor) =>
  Deno.permissions.querySync(descriptor).state === "granted")));`;

/** A program that replaces Deno for host processes: it records its arguments and environment, then runs Deno. */
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

  /** Returns the environment variables of the last start in shell notation. */
  environment(): Promise<string> {
    return Deno.readTextFile(join(this.#directory, "environment"));
  }

  /**
   * Returns the given permissions that the process of the last start had. Starts another program with the same flags to
   * find out.
   */
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

/** Returns descriptors of the read and write permissions for each path. */
const both = (...paths: string[]) =>
  (["read", "write"] as const).flatMap((name) => paths.map((path) => ({ name, path }) as const));

Deno.test("a custom tool's process gets only agent paths and declared hosts and variables", async (t) => {
  await using recorded = await RecordedProgram.open();
  const variables = { GREETING: "good day", SECRET_TOKEN: "not for tools" };
  let isKey = false;
  await using world = await ToolWorld.open({
    program: recorded.program,
    variables,
    isProviderKey: (name) => isKey && name === "GREETING",
  });
  const { greeter } = await world.openModule("greeting", {
    greeter: [
      `return Deno.env.get("GREETING") ?? "not set";`,
      `permissions: { net: ["127.0.0.1:9"], env: ["GREETING"] },`,
    ],
  });
  const { fixture: { base, workspace, outside }, directories } = world;
  const notes = join(workspace, "notes");
  const inbox = join(workspace, "inbox");
  await Deno.mkdir(inbox);
  const agent = join(workspace, "agents/me.md");
  const closed = [
    directories.workspaceEnvFile,
    join(directories.configDir, "config.yaml"),
    join(directories.stateDir, "inkling.db"),
    // The link to the service's descriptors is closed, too.
    join(directories.stateDir, "fd"),
  ];
  const hosts = [
    { name: "net", host: "127.0.0.1:10" },
    { name: "net", host: "localhost:9" },
    { name: "env", variable: "SECRET_TOKEN" },
    { name: "run" },
    { name: "run", command: "/bin/sh" },
    { name: "ffi" },
    { name: "sys" },
    { name: "sys", kind: "hostname" },
  ] as const;
  const declared = [
    { name: "net", host: "127.0.0.1:9" },
    { name: "env", variable: "GREETING" },
  ] as const;

  await t.step(
    "a custom tool reads no closed path, even in its agent's folders",
    async () => {
      await world.run(greeter, {}, { paths: [{ alias: "all", path: base }] });
      assert.deepEqual(await recorded.allows(both(join(notes, "a.txt"), agent, ...closed)), [
        { name: "read", path: join(notes, "a.txt") },
        { name: "read", path: agent },
        { name: "write", path: join(notes, "a.txt") },
      ]);
    },
  );

  await t.step(
    "a custom tool reads and writes the same paths as its agent, and gets its declared variables",
    async () => {
      const greeting = await world.run(greeter, {}, {
        paths: [{ alias: "notes", path: notes }],
        readPaths: [inbox],
      });
      assert.equal(greeting, "good day");
      const asked = [...declared, ...hosts, ...both(notes, inbox, workspace, outside)];
      assert.deepEqual(await recorded.allows(asked), [
        ...declared,
        { name: "read", path: notes },
        { name: "read", path: inbox },
        { name: "write", path: notes },
      ]);
      const environment = await recorded.environment();
      assert.match(environment, /GREETING=.good day/);
      assert.doesNotMatch(environment, /SECRET_TOKEN|not for tools/);
    },
  );

  await t.step("a custom tool does not get a provider's key", async () => {
    isKey = true;
    assert.equal(await world.run(greeter), "not set");
    assert.doesNotMatch(await recorded.environment(), /good day|GREETING=/);
  });
});

Deno.test("a skill script's process gets only its agent's paths", async () => {
  await using recorded = await RecordedProgram.open();
  await using world = await ScriptWorld.open(recorded.program);
  const { base, workspace, outside } = world.fixture;
  const notes = join(workspace, "notes/a.txt");
  const agent = join(workspace, "agents/me.md");
  const closed = [join(base, "config/config.yaml"), join(base, "state/inkling.db")];
  const start = (options: ScriptOptions) => world.run(`console.log("hello");`, options);
  assert.equal((await start({ paths: [{ alias: "all", path: base }] })).stdout, "hello\n");
  assert.deepEqual(await recorded.allows(both(notes, agent, ...closed)), [
    { name: "read", path: notes },
    { name: "read", path: agent },
    { name: "write", path: notes },
  ]);
  await start({ paths: [{ alias: "notes", path: notes }], readPaths: [outside] });
  assert.deepEqual(await recorded.allows(both(notes, outside, workspace)), [
    { name: "read", path: notes },
    { name: "read", path: outside },
    { name: "write", path: notes },
  ]);
});
