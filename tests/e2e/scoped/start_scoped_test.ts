// Tests of `deno task start:scoped`, with the command in deno.json.
import assert from "node:assert/strict";
import { join } from "node:path";
import denoJson from "../../../deno.json" with { type: "json" };
import { REPOSITORY } from "../../support/repository.ts";
import {
  argumentsOf,
  createRealHome,
  isAlive,
  type RealHome,
  untilFound,
  untilReady,
} from "../real_process.ts";

const TASK = denoJson.tasks["start:scoped"].command.split(" ");

/** Creates a home whose `start` commands run the task. */
function createScopedHome(): Promise<RealHome> {
  const [deno, ...flags] = TASK.slice(0, -1);
  assert.equal(deno, "deno");
  const script = join(REPOSITORY, TASK.at(-1) ?? "");
  return createRealHome({ command: [Deno.execPath(), ...flags, script] });
}

Deno.test("start:scoped starts the service with derived flags, and stops with it", async () => {
  await using home = await createScopedHome();
  await home.writeScript("hello", [{ say: "hi" }]);
  const task = await home.spawn(["--keep-alive", "--port", "0"], {
    env: { INKLING_API_KEY: "sesame-0123456789" },
  });
  using client = home.client();
  await untilReady(client);
  const info = await client.info();
  assert.notEqual(info.pid, task.pid);
  assert.deepEqual(
    info.transports.map((one) => one.replace(/\d+$/, "PORT").replace(/unix:.*/, "unix")),
    ["unix", "tcp://127.0.0.1:PORT"],
  );
  const args = await argumentsOf(info.pid);
  assert.match(args, /--no-prompt --no-remote .*main\.ts start --keep-alive --port 0/);
  assert.doesNotMatch(args, /--allow-run|--allow-(read|write|net|env) /);
  if (Deno.build.os === "linux") {
    assert.equal(await Deno.readLink(join(home.stateDir, "fd")), "/proc/self/fd");
  }

  const { execution_id } = await client.run("hello");
  await untilFound(
    "the run",
    async () => (await client.execution(execution_id)).status === "success",
  );

  task.kill("SIGTERM");
  const { code, stderr } = await task.output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  assert.equal(await isAlive(info.pid), false);
});

Deno.test("start:scoped -d starts a background service that cannot start programs, and returns its exit code", async () => {
  await using home = await createScopedHome();
  const { stdout } = await home.succeed("-d");
  assert.match(stdout, /Inkling is running/);
  using client = home.client();
  const { pid } = await client.info();
  assert.doesNotMatch(await argumentsOf(pid), /--allow-run/);

  const missing = await home.inkling("-qdw", join(home.root, "missing"));
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /The workspace .*missing does not exist/);
  await Deno.writeTextFile(join(home.configDir, "config.yaml"), "defaults: {temperature: hot}\n");
  const broken = await home.inkling();
  assert.equal(broken.code, 1);
  assert.match(broken.stderr, /config\.yaml:1:\d+: .*temperature/);
  assert.doesNotMatch(broken.stderr, /\bat .*\.ts:\d+/);
});
