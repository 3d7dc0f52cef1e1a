import assert from "node:assert/strict";
import type { PermissionOptions, TcpListen } from "../../../cli/context/app.ts";
import type { ServiceStartOptions } from "../../../cli/service/service_start.ts";
import { ensureService } from "../../../cli/service/daemon.ts";
import { CommandFailure } from "../../../cli/context/exit.ts";
import { takeLock } from "../../../base/files/lock_file.ts";
import { SERVICE_VARIABLES } from "../../../cli/service/service_environment.ts";
import { createFakeCli, type FakeCli, placesIn } from "../fake_cli.ts";

async function ensure(cli: FakeCli, options: ServiceStartOptions & { workspace?: string } = {}) {
  const { workspace, ...rest } = options;
  const places = await cli.app.places(workspace);
  return await cli.drive(ensureService(cli.app, places, rest));
}

function failsWith(text: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof CommandFailure);
    assert.equal(error.exitCode, 3);
    assert.match(error.message, text);
    return true;
  };
}

Deno.test("start -d passes the key in the environment, and the other options as arguments", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  const listener = ["--port", "8420", "--host", "::1"];
  const key = "secret-0123456789";
  // `start` keeps existing memory variables.
  cli.environment = { HOME: "/home/me", MALLOC_ARENA_MAX: "16" };
  const argv = ["start", "-d", "--keep-alive", ...listener, "--api-key", key, "-w", "notes"];
  assert.equal(await cli.drive(cli.run(...argv)), 0, cli.stderr.text);
  const passed = ["--keep-alive", ...listener, "--workspace", "/absolute/notes"];
  assert.deepEqual(cli.spawned, [["/usr/bin/inkling", "start", "--quiet", ...passed]]);
  const environment = { ...SERVICE_VARIABLES, ...cli.environment, INKLING_API_KEY: key };
  assert.deepEqual(cli.spawnedWith, [environment]);
});

Deno.test("start uses the address from config.yaml or from the options", async () => {
  const [listed, typed] = ["key-of-the-file-0123", "key-of-the-flag-0123"];
  const table: [flags: string[], tcp: TcpListen][] = [
    [[], { port: 8420, host: "::1", apiKey: listed }],
    [
      ["--port", "9", "--host", "localhost", "--api-key", typed],
      { port: 9, host: "localhost", apiKey: typed },
    ],
  ];
  for (const [flags, tcp] of table) {
    await using cli = await createFakeCli({ isRunning: false });
    cli.service = { port: 8420, host: "::1", keepAlive: true, key: listed };
    assert.equal(await cli.run("start", ...flags), 0, cli.stderr.text);
    assert.deepEqual([cli.served[0]?.tcp, cli.served[0]?.keepAlive], [tcp, true]);
    assert.equal(await cli.drive(cli.run("start", "-d", ...flags)), 0, cli.stderr.text);
    assert.ok(cli.spawned[0]?.join(" ").includes(`--port ${tcp.port} --host ${tcp.host}`));
    assert.equal(cli.spawnedWith[0]?.["INKLING_API_KEY"], tcp.apiKey);
  }
  await using cli = await createFakeCli({ isRunning: false });
  cli.service = { port: 8420 };
  for (const argv of [["start"], ["start", "-d"]]) {
    assert.equal(await cli.run(...argv), 2);
    assert.match(
      cli.stderr.text,
      /service\.port \(8420\) requires a key.*\.config\/inkling\/\.env/s,
    );
  }
  assert.deepEqual([cli.served, cli.spawned], [[], []]);
});

Deno.test("start -d of a confined program uses the flags for this workspace and host", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  cli.isConfined = true;
  const asked: PermissionOptions[] = [];
  cli.app.permissions = (options) => {
    asked.push(options);
    return Promise.resolve({ flags: [], remarks: [], command: ["/usr/bin/deno", "--narrow"] });
  };
  const listener = ["--port", "8420", "--host", "::1"];
  const argv = ["start", "-d", ...listener, "--api-key", "secret-0123456789", "-w", "notes"];
  assert.equal(await cli.drive(cli.run(...argv)), 0, cli.stderr.text);
  assert.deepEqual(asked, [{ workspace: "/absolute/notes", host: "::1" }]);
  const passed = [...listener, "--workspace", "/absolute/notes"];
  assert.deepEqual(cli.spawned, [["/usr/bin/deno", "--narrow", "start", "--quiet", ...passed]]);
});

Deno.test("ensureService() starts one service for concurrent callers", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  cli.onSpawn = () => {
    // The service answers after two seconds.
    void cli.clock.sleep(2_000).then(() => cli.isRunning = true);
    return { pid: 1, ended: undefined };
  };
  const places = await cli.app.places();
  const all = await cli.drive(Promise.all(
    Array.from({ length: 5 }, () => ensureService(cli.app, places)),
  ));
  assert.equal(cli.spawned.length, 1);
  assert.deepEqual(all.map(({ started }) => started).sort(), [false, false, false, false, true]);
});

Deno.test("ensureService() reports an unusable state folder with a remedy", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  const { stateDir } = cli;
  await Deno.writeTextFile(`${stateDir}/file`, "");
  await Deno.mkdir(`${stateDir}/start.lock`);
  // The first folder cannot be created, and the lock of the second one cannot be opened.
  for (const folder of [`${stateDir}/file/state`, stateDir]) {
    cli.app.places = () => Promise.resolve(placesIn(folder));
    await assert.rejects(
      ensure(cli),
      failsWith(/^Cannot use the state directory .* Set INKLING_STATE_DIR to a folder/),
    );
  }
});

Deno.test("ensureService() shows the last output of a service that died", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  const { logFile } = await cli.app.places();
  await Deno.writeTextFile(logFile, "an old line\n");
  cli.onSpawn = (path) => {
    Deno.writeTextFileSync(path, "Error: config.yaml:3:1: \u001b[31mit is broken\n", {
      append: true,
    });
    return { pid: 1, ended: { code: 1 } };
  };
  await assert.rejects(
    ensure(cli),
    failsWith(/^The service did not start:\nError: config\.yaml:3:1: it is broken$/),
  );
});

Deno.test("ensureService() uses a service that another process started faster", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  cli.onSpawn = () => {
    cli.isRunning = true;
    return { pid: 1, ended: { code: 1 } };
  };
  await ensure(cli);
});

Deno.test("ensureService() waits for a service that starts in the foreground", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  const { lockFile } = await cli.app.places();
  using _lock = takeLock(lockFile);
  void cli.clock.sleep(3_000).then(() => cli.isRunning = true);
  const { started } = await ensure(cli);
  assert.equal(started, false);
  assert.deepEqual(cli.spawned, []);
});

Deno.test("ensureService() waits for a service that was faster and is still starting", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  const { lockFile } = await cli.app.places();
  using locks = new DisposableStack();
  cli.onSpawn = () => {
    const lock = takeLock(lockFile);
    if (lock !== undefined) locks.use(lock);
    void cli.clock.sleep(3_000).then(() => cli.isRunning = true);
    return { pid: 1, ended: { code: 1 } };
  };
  await ensure(cli);
  assert.equal(cli.spawned.length, 1);
});

Deno.test("ensureService() fails if the service lives but does not answer", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  cli.onSpawn = () => ({ pid: 99, ended: undefined });
  await assert.rejects(ensure(cli), failsWith(/PID 99\) but does not answer after 30 s/));
});

Deno.test("ensureService() waits for the end of a stopping service", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  const { lockFile } = await cli.app.places();
  const held = await Deno.open(lockFile, { create: true, read: true, write: true });
  await held.lock(true);
  void cli.clock.sleep(3_000).then(() => held.close());
  const startedAt = cli.clock.now();
  await ensure(cli);
  assert.ok(cli.clock.now() - startedAt >= 3_000);
  assert.equal(cli.spawned.length, 1);
});

Deno.test("ensureService() reports a service that never releases its lock", async () => {
  await using cli = await createFakeCli({ isRunning: false });
  const { lockFile } = await cli.app.places();
  using held = await Deno.open(lockFile, { create: true, read: true, write: true });
  await held.lock(true);
  await assert.rejects(ensure(cli), failsWith(/inkling\.lock but does not answer/));
  assert.deepEqual(cli.spawned, []);
});

Deno.test("ensureService() reports a service that accepts connections and does not answer", async () => {
  await using cli = await createFakeCli();
  cli.beSilent();
  await assert.rejects(ensure(cli), failsWith(/does not answer on .*service\.sock/));
});
