// Tests of the start and stop of the real service.
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

Deno.test("start -d waits until the service answers, and stop removes its files", async () => {
  await using home = await createRealHome();
  await home.succeed("start", "--daemon");
  assert.equal(Deno.statSync(join(home.stateDir, "service.sock")).mode! & 0o777, 0o600);
  assert.equal(Deno.statSync(home.stateDir).mode! & 0o777, 0o700);
  const files = IS_POSTGRES ? [] : ["inkling.db"];
  for (const name of [...files, "inkling.log", "inkling.pid"]) {
    assert.equal(Deno.statSync(join(home.stateDir, name)).mode! & 0o077, 0, name);
  }
  await killService(home.stateDir);
  assert.deepEqual(left(home), ["inkling.pid", "service.sock"]);

  const service = await home.spawn(["start"]);
  using client = home.client();
  await untilReady(client);
  const { pid } = await client.info();
  const second = await home.inkling("start");
  assert.equal(second.code, 1);
  assert.match(second.stderr, /already running/);
  assert.equal((await client.info()).pid, pid, "the first service was left alone");

  await home.succeed("stop");
  assert.equal(await isAlive(pid), false);
  assert.equal((await finish(service)).code, 0);
  assert.deepEqual(left(home), []);
});

/** Returns the files that exist only while a service runs. */
const left = ({ stateDir }: RealHome) =>
  [...Deno.readDirSync(stateDir)].map(({ name }) => name)
    .filter((name) => /^(service\.sock|inkling\.pid)$/.test(name)).sort();

Deno.test("commands reach the service whatever hosts NO_PROXY lists, and whatever proxy is set", async () => {
  const nowhere = "http://127.0.0.1:9";
  await using home = await createRealHome({
    shell: { NO_PROXY: "localhost,127.0.0.1,::1,*", HTTP_PROXY: nowhere, HTTPS_PROXY: nowhere },
  });
  await home.writeScript("greeter", [{ say: "Hello." }]);
  await home.startService();
  const { stdout } = await home.succeed("run", "greeter");
  assert.match(stdout, /Hello\./);
  await home.succeed("stop");
});

Deno.test("SIGTERM before the service listens ends it cleanly", SQLITE, async () => {
  await using home = await createRealHome();
  {
    await using _created = await home.open();
  }
  // A write transaction blocks the service after it takes the lock and before it listens.
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

Deno.test("on Windows the service reports in a sentence why it cannot run", async () => {
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
  assert.match(
    stderr,
    /^Error: The service needs a Unix socket, which Deno does not support on Windows/,
  );
});

Deno.test(
  "a damaged database stops the start and is not changed",
  SQLITE,
  async () => {
    await using home = await createRealHome();
    await Deno.mkdir(home.stateDir, { mode: 0o700 });
    const path = join(home.stateDir, "inkling.db");
    await Deno.writeTextFile(path, "this is no database ".repeat(400));
    const { code, stderr } = await home.inkling("start", "--daemon");
    assert.equal(code, 3);
    assert.match(stderr, /inkling\.db: the database is damaged\. Inkling did not change it/);
    assert.doesNotMatch(stderr, /\bat .*\.ts:\d+/, "no stack trace");
    assert.match(await Deno.readTextFile(path), /^this is no database/);
  },
);

Deno.test("an invalid config.yaml stops the command with file, line and column", async () => {
  await using home = await createRealHome({ config: "defaults:\n  temperature: hot\n" });
  const { code, stderr } = await home.inkling("run", "x");
  assert.equal(code, 3);
  assert.match(stderr, /config\.yaml:2:\d+: .*temperature/);
});

Deno.test("an idle service stops by itself unless --keep-alive is set", async () => {
  const shell = { INKLING_IDLE_TIMEOUT: "1", INKLING_API_KEY: "secret-0123456789" };
  await using stays = await createRealHome({ shell });
  // --host without --port has no effect and causes a warning.
  const kept = await stays.spawn(["start", "--keep-alive", "--host", "127.0.0.1"]);
  using client = stays.client();
  await untilReady(client);
  assert.deepEqual((await client.info()).transports.map((one) => one.split(":")[0]), ["unix"]);

  // `goes` starts after the last request to `stays`. So when `goes` has stopped for idleness, `stays` has been idle longer,
  // and runs only because of --keep-alive.
  await using goes = await createRealHome({ shell });
  const { stdout } = await goes.succeed("start", "--port", "0");
  assert.match(stdout, /127\.0\.0\.1:\d+[^]*\nStopped because it was idle\./);
  assert.throws(() => Deno.lstatSync(join(goes.stateDir, "service.sock")));

  assert.equal((await client.health()).status, "ok");
  kept.kill("SIGTERM");
  const ended = await finish(kept);
  assert.equal(ended.code, 0);
  assert.match(ended.stdout, /\nStopped\n$/);
  assert.match(ended.stderr, /have no effect without --port/);
});

Deno.test("a command without a home folder names the variable to set", async () => {
  await using home = await createRealHome();
  const homeless = await finish(await home.spawn(["info"], { env: { HOME: "" } }));
  assert.deepEqual(homeless, {
    code: 1,
    stdout: "",
    stderr:
      "Error: Cannot find the home directory: HOME is not set; set it to the folder that ~ stands for\n",
  });
});
