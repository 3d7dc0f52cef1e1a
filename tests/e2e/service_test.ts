// Starting and stopping the real service.
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { programCommand } from "../support/program.ts";
import { IS_POSTGRES, SQLITE } from "../support/test_database.ts";
import {
  createRealHome,
  finish,
  isAlive,
  killService,
  type RealHome,
  untilFound,
  untilReady,
} from "./real_process.ts";

Deno.test("start -d returns when the service answers; a second start says so; stop ends it and cleans up", async () => {
  await using home = await createRealHome();
  await home.succeed("start", "--daemon");
  using client = home.client();
  const { pid } = await client.info();
  assert.equal(Deno.statSync(join(home.stateDir, "service.sock")).mode! & 0o777, 0o600);
  assert.equal(Deno.statSync(home.stateDir).mode! & 0o777, 0o700);
  const files = IS_POSTGRES ? [] : ["inkling.db"];
  for (const name of [...files, "inkling.log", "inkling.pid"]) {
    assert.equal(Deno.statSync(join(home.stateDir, name)).mode! & 0o077, 0, name);
  }

  for (const args of [["start", "--daemon"], ["start"]]) {
    const second = await home.inkling(...args);
    assert.equal(second.code, 1, args.join(" "));
    assert.match(second.stderr, /already running/);
  }
  assert.equal((await client.info()).pid, pid, "the first service was left alone");

  const status = await home.succeed("status");
  assert.match(status.stdout, new RegExp(`\\b${pid}\\b`));

  await home.succeed("stop");
  assert.equal(await isAlive(pid), false);
  assert.deepEqual(left(home), []);
  await home.succeed("status");
  await home.succeed("stop");
});

Deno.test("start replaces the socket of a killed service; in the foreground, SIGTERM ends it with exit code 0", async () => {
  await using home = await createRealHome();
  await home.succeed("start", "--daemon");
  await killService(home.stateDir);
  assert.deepEqual(left(home), ["inkling.pid", "service.sock"]);
  const service = await home.spawn(["start"]);
  using client = home.client();
  await untilReady(client);
  service.kill("SIGTERM");
  assert.equal((await finish(service)).code, 0);
  assert.deepEqual(left(home), []);
});

/** The files that a service has only while it runs. */
const left = ({ stateDir }: RealHome) =>
  [...Deno.readDirSync(stateDir)].map(({ name }) => name)
    .filter((name) => /^(service\.sock|inkling\.pid)$/.test(name)).sort();

Deno.test("SIGTERM before the service listens is an end in order, too", SQLITE, async () => {
  await using home = await createRealHome();
  await home.succeed("start", "--daemon");
  await home.succeed("stop");
  // Whoever writes to the database holds the start up, behind the lock and before the listeners.
  const db = new DatabaseSync(join(home.stateDir, "inkling.db"));
  let service: Deno.ChildProcess;
  try {
    db.exec("BEGIN IMMEDIATE");
    service = await home.spawn(["start"]);
    const pidFile = join(home.stateDir, "inkling.pid");
    await untilFound("the lock", () => Deno.stat(pidFile).catch(() => undefined));
    service.kill("SIGTERM");
  } finally {
    db.close();
  }
  const { code, stdout } = await finish(service);
  assert.equal(code, 0);
  assert.match(stdout, /Stopped\n$/);
  assert.deepEqual(left(home), []);
});

Deno.test("on Windows the service says in a sentence what it lacks there", async () => {
  await using home = await createRealHome();
  const [deno = "", run = "", ...rest] = programCommand();
  const windows =
    'Object.defineProperty(Deno, "build", { value: { ...Deno.build, os: "windows" } });';
  const preload = join(home.root, "windows.js");
  await Deno.writeTextFile(preload, windows);
  await using elsewhere = await createRealHome({
    shell: home.shell,
    command: [deno, run, "--preload", preload, ...rest],
  });
  const { code, stderr } = await elsewhere.inkling("start");
  assert.equal(code, 1);
  assert.match(stderr, /^Error: The service needs a Unix socket, and Deno has none on Windows/);
});

Deno.test(
  "a damaged database stops the start with a sentence, and is left as it is",
  SQLITE,
  async () => {
    await using home = await createRealHome();
    await Deno.mkdir(home.stateDir, { mode: 0o700 });
    const path = join(home.stateDir, "inkling.db");
    await Deno.writeTextFile(path, "this is no database ".repeat(400));
    for (const [args, expected] of [[["start"], 1], [["start", "--daemon"], 3]] as const) {
      const { code, stderr } = await home.inkling(...args);
      assert.equal(code, expected, args.join(" "));
      assert.match(stderr, /inkling\.db: the database is damaged\. It was left as it is/);
      assert.doesNotMatch(stderr, /\bat .*\.ts:\d+/, "no stack trace");
    }
    assert.match(await Deno.readTextFile(path), /^this is no database/);
  },
);

Deno.test("a broken config.yaml stops the command with file, line and column", async () => {
  await using home = await createRealHome({ config: "defaults:\n  temperature: hot\n" });
  for (const [args, expected] of [[["start"], 1], [["run", "x"], 3], [["validate"], 1]] as const) {
    const { code, stderr } = await home.inkling(...args);
    assert.equal(code, expected, args.join(" "));
    assert.match(stderr, /config\.yaml:2:\d+: .*temperature/);
  }
});

Deno.test("an agent file that does not parse stops neither the service nor other agents", async () => {
  await using home = await createRealHome();
  await home.writeScript("good", [{ say: "fine" }]);
  await home.writeAgent("bad", "---\nsettings: { temperature: 7 }\n---\nx\n");
  const run = await home.inkling("run", "good", "-q");
  assert.deepEqual([run.code, run.stdout], [0, "fine\n"], run.stderr);
  const bad = await home.inkling("run", "bad");
  assert.equal(bad.code, 1);
  assert.match(bad.stderr, /"bad" does not parse: .*bad\.md:2:\d+: /);
  const list = await home.inkling("list");
  assert.match(list.stdout + list.stderr, /bad\.md:2:\d+: .*temperature/);
  const validate = await home.inkling("validate");
  assert.equal(validate.code, 1);
});

Deno.test("start --port without a key is refused; a key or host without a port only warns", async () => {
  await using home = await createRealHome();
  const refused = await home.inkling("start", "--port", "0");
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /--port needs a key: .*config\/\.env/s);
  const odd = await home.spawn(["start", "--api-key", "secret-0123456789"]);
  using client = home.client();
  await untilReady(client);
  assert.deepEqual((await client.info()).transports.map((one) => one.split(":")[0]), ["unix"]);
  odd.kill("SIGTERM");
  const { stderr } = await finish(odd);
  assert.match(stderr, /change nothing without --port/);
});

Deno.test("an idle service stops by itself and removes its socket file; --keep-alive keeps it running", async () => {
  const shell = { INKLING_IDLE_TIMEOUT: "1", INKLING_API_KEY: "secret-0123456789" };
  {
    const listener = ["--port", "0"];
    await using stays = await createRealHome({ shell });
    const kept = await stays.spawn(["start", "--keep-alive", ...listener]);
    using client = stays.client();
    await untilReady(client);
    assert.equal((await client.info()).transports.length, 1 + listener.length / 2);

    // It starts after the last request to the other one, which has been idle for longer when this one stops.
    await using goes = await createRealHome({ shell });
    const { stdout } = await goes.succeed("start", ...listener);
    assert.match(stdout, /\nStopped: there was nothing to do\./);
    assert.throws(() => Deno.lstatSync(join(goes.stateDir, "service.sock")));

    assert.equal((await client.health()).status, "ok");
    kept.kill("SIGTERM");
    const ended = await finish(kept);
    assert.equal(ended.code, 0);
    assert.match(ended.stdout, /\nStopped\n$/);
  }
});

Deno.test("without a home directory, or a usable state directory, a command says what to set", async () => {
  await using home = await createRealHome();
  const homeless = await finish(await home.spawn(["info"], { env: { HOME: "" } }));
  assert.deepEqual(homeless, {
    code: 1,
    stdout: "",
    stderr:
      "Error: Cannot find the home directory: HOME is not set; set it to the folder that ~ stands for\n",
  });
  const file = join(home.root, "file");
  await Deno.writeTextFile(file, "in the way");
  const env = { INKLING_STATE_DIR: join(file, "state") };
  for (const [args, expected] of [[["start"], 1], [["start", "-d"], 3]] as const) {
    const { code, stderr } = await finish(await home.spawn([...args], { env }));
    assert.equal(code, expected, stderr);
    assert.match(stderr, /Cannot use the state directory .*Set INKLING_STATE_DIR/);
  }
});
