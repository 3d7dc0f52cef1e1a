// Tests that each workspace keeps its history when config.yaml names another workspace. Runs with SQLite only.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { ExecutionDetail, Runtime } from "../../../../runtime/interface/runtime.ts";
import { loadSettings } from "../../../../runtime/config/settings.ts";
import { SqliteDatabase } from "../../../../runtime/storage/sqlite/sqlite_database.ts";
import { AlreadyRunning } from "../../../../runtime/storage/state_dir/instance_lock.ts";
import { onSqlite, SQLITE } from "../../../support/test_database.ts";
import type { TestWorkspace } from "../../../support/test_workspace.ts";
import { createTestWorkspace, runToEnd } from "../../../support/test_workspace.ts";

const AGENT = "---\nmodel: { provider: demo, name: echo }\n---\nRepeat\n";

interface World extends AsyncDisposable {
  place: TestWorkspace;
  /** Runs the agent of a workspace with a message, in a service that ends afterwards. */
  say(message: string, name?: string): Promise<void>;
  /** Sets the workspace in config.yaml to the folder `work` or `other`. */
  configure(name: string): Promise<void>;
  /** Opens a workspace by the name of its folder; without a name the workspace of config.yaml. */
  open(name?: string, mode?: "service" | "read-only"): Promise<Runtime>;
  /** Returns the messages of a workspace's runs, newest first, without starting a service. */
  history(name?: string): Promise<(string | null)[]>;
  /** Returns the names of the workspaces with a database file in the state folder. `base` is the base directory. */
  databases(): Promise<string[]>;
}

async function createWorld(): Promise<World> {
  const place = await createTestWorkspace();
  for (const name of ["work", "other"]) {
    await Deno.mkdir(join(place.root, name, "agents"), { recursive: true });
    await Deno.writeTextFile(join(place.root, name, "agents", "echo.md"), AGENT);
  }
  const open = async (name?: string, mode: "service" | "read-only" = "service") => {
    const { shell, root } = place;
    const workspace = name === undefined ? {} : { workspace: join(root, name) };
    return await place.open({
      settings: await loadSettings({ shell, home: root, ...workspace }),
      mode,
    });
  };
  return {
    place,
    open,
    async say(message, name) {
      await using runtime = await open(name);
      await say(runtime, message);
    },
    configure: (name) =>
      Deno.writeTextFile(
        join(place.configDir, "config.yaml"),
        `workspace: ${join(place.root, name)}\n`,
      ),
    async history(name) {
      await using runtime = await open(name, "read-only");
      const executions = await runtime.listExecutions({ limit: 50, offset: 0 });
      const whole = executions.map(({ id }) => runtime.getExecution(id));
      return (await Promise.all(whole)).map(({ outputData }) => outputData);
    },
    async databases() {
      const found: string[] = [];
      const walk = async (dir: string, label: string) => {
        for await (const { name, isDirectory } of Deno.readDir(dir)) {
          if (isDirectory) {
            await walk(join(dir, name), label === "base" ? name : `${label}/${name}`);
          } else if (name.startsWith("inkling.db")) {
            found.push(`${label.replace(/-\w{8}$/, "")}/${name}`);
          }
        }
      };
      await walk(place.stateDir, "base");
      return found.sort();
    },
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

function test(name: string, body: (world: World) => Promise<void>): void {
  onSqlite.test(name, async () => {
    await using world = await createWorld();
    await body(world);
  });
}

async function say(runtime: Runtime, message: string): Promise<ExecutionDetail> {
  return await runToEnd(runtime, "echo", { message });
}

test("a workspace gets its history back after config.yaml named another workspace", async (world) => {
  await world.say("in work");
  await world.configure("other");
  assert.deepEqual(await world.history(), []);
  assert.deepEqual(await world.history("work"), ["in work"]);
  {
    await using other = await world.open();
    assert.deepEqual(await other.listExecutions({ limit: 50, offset: 0 }), []);
    await say(other, "in other");
  }
  assert.deepEqual(await world.history("work"), ["in work"]);
  await world.say("work again", "work");
  await world.configure("work");
  assert.deepEqual(await world.history(), ["work again", "in work"]);
  assert.deepEqual(await world.history("other"), ["in other"]);
  await world.say("work at last");
  assert.deepEqual(await world.history(), ["work at last", "work again", "in work"]);
  assert.deepEqual(await world.history("other"), ["in other"]);
});

Deno.test("a workspace has one service, even after changes of config.yaml", async () => {
  await using world = await createWorld();
  const refusal = (name: string) => (error: unknown) => {
    assert.ok(error instanceof AlreadyRunning);
    assert.match(
      error.message,
      new RegExp(
        `\\(PID ${Deno.pid}, .*workspaces/${name}-\\w{8}\\)\\. Stop it with "inkling stop", `,
      ),
    );
    return true;
  };
  {
    await using _other = await world.open("other");
    await world.configure("other");
    await assert.rejects(world.open(), refusal("other"));
    await using _work = await world.open("work");
  }
  await using _other = await world.open();
  await world.configure("work");
  await assert.rejects(world.open("other"), refusal("other"));
});

test("a history is moved with the write-ahead log of a killed service", async (world) => {
  const { stateDir } = world.place;
  {
    await using work = await world.open();
    await say(work, "in the log");
    for (const suffix of ["", "-wal"]) {
      await Deno.copyFile(`${stateDir}/inkling.db${suffix}`, `${stateDir}/killed${suffix}`);
    }
  }
  for (const suffix of ["", "-wal"]) {
    await Deno.rename(`${stateDir}/killed${suffix}`, `${stateDir}/inkling.db${suffix}`);
  }
  await world.configure("other");
  await (await world.open())[Symbol.asyncDispose]();
  assert.deepEqual(await world.history("work"), ["in the log"]);
  assert.deepEqual(await world.databases(), ["base/inkling.db", "workspaces/work/inkling.db"]);
});

test("a history that another program has open is not moved, and nothing changes", async (world) => {
  const { stateDir } = world.place;
  await world.say("kept");
  await world.configure("other");
  {
    using reader = SqliteDatabase.open(join(stateDir, "inkling.db"), { readOnly: true });
    reader.all("SELECT id FROM executions");
    const message = /^Cannot move .*inkling\.db: another program has it open\. Stop/;
    await assert.rejects(world.open(), { name: "DatabaseUnusable", message });
  }
  await (await world.open())[Symbol.asyncDispose]();
  assert.deepEqual(await world.history("work"), ["kept"]);
});

test("each history is found after a crash between two steps of a move", async (world) => {
  for (const name of ["other", "work"]) {
    await world.configure(name);
    await using runtime = await world.open();
    await say(runtime, `in ${name}`);
  }
  // Simulates a crash: the history of `work` has left the base directory, which the owner file assigns to `work`, and the
  // history of `other` has not arrived.
  const { stateDir } = world.place;
  const aside = (await world.databases()).find((path) => path.startsWith("workspaces/"));
  assert.equal(aside, "workspaces/other/inkling.db");
  const { directories } = await world.place.settings();
  await Deno.rename(join(stateDir, "inkling.db"), join(directories.ownStateDir, "inkling.db"));
  for (const name of ["other", "work"]) {
    await world.configure(name);
    assert.deepEqual(await world.history(), [`in ${name}`]);
    await (await world.open())[Symbol.asyncDispose]();
    assert.deepEqual(await world.history(), [`in ${name}`]);
  }
});

Deno.test({
  name: "a workspace that its user moves keeps its history",
  // Without a birth time, a folder is identified only by its path.
  ignore: SQLITE.ignore || Deno.statSync(".").birthtime === null,
  fn: movedWorkspace,
});

async function movedWorkspace(): Promise<void> {
  await using world = await createWorld();
  const { root } = world.place;
  await world.say("before");
  await Deno.rename(join(root, "work"), join(root, "moved"));
  // A service must have run before the change of config.yaml, to store the owner.
  await (await world.open())[Symbol.asyncDispose]();
  await Deno.mkdir(join(root, "work", "agents"), { recursive: true });
  await world.configure("moved");
  assert.deepEqual(await world.history(), ["before"]);
  await world.say("after");
  assert.deepEqual(await world.history(), ["after", "before"]);
  assert.deepEqual(await world.history("work"), []);
}

test("an existing file in the place of a history is renamed and kept", async (world) => {
  const { stateDir } = world.place;
  const { directories } = await world.place.settings();
  {
    await using work = await world.open();
    await say(work, "restored");
    await Deno.copyFile(join(stateDir, "inkling.db"), join(stateDir, "copy"));
  }
  await Deno.rename(join(stateDir, "copy"), join(directories.ownStateDir, "inkling.db"));
  await world.configure("other");
  await (await world.open())[Symbol.asyncDispose]();
  assert.deepEqual(await world.history("work"), ["restored"]);
  assert.deepEqual(await world.databases(), [
    "base/inkling.db",
    "workspaces/work/inkling.db",
    "workspaces/work/inkling.db.1",
  ]);
});
