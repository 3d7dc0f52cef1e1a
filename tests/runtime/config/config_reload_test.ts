// Tests changes of config.yaml while a service runs: effective changes, changes that need a restart, and a file that is
// temporarily broken.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Runtime } from "../../../runtime/interface/runtime.ts";
import type { Config } from "../../../runtime/config/config.ts";
import type { ConfigFile } from "../../../runtime/config/config_file.ts";
import type { EnvironmentFiles } from "../../../runtime/config/files/environment_files.ts";
import { ConfigFollower } from "../../../runtime/wiring/config_follower.ts";
import { TestClock } from "../../support/test_clock.ts";
import {
  createTestWorkspace,
  payloadsOf,
  runToEnd,
  type TestWorkspace,
} from "../../support/test_workspace.ts";
import { until } from "../../support/until.ts";

/** Writes config.yaml atomically, with a time in the past, so that it counts as complete. */
async function configure(place: TestWorkspace, text: string): Promise<void> {
  const path = join(place.configDir, "config.yaml");
  await Deno.writeTextFile(`${path}.new`, text);
  const past = new Date(Date.now() - 1_000);
  await Deno.utime(`${path}.new`, past, past);
  await Deno.rename(`${path}.new`, path);
}

const warningsOf = (runtime: Runtime) => runtime.config.warnings.map(({ message }) => message);

Deno.test("a changed config.yaml is used by the next run, and its reload is logged once", async () => {
  await using place = await createTestWorkspace();
  await place.writeAgent("daily", '---\n---\n```demo\n[{ "say": "Done." }]\n```\n');
  await using runtime = await place.open();
  assert.equal((await runToEnd(runtime, "daily")).status, "error");
  const rest = `workspace: ${place.workspace}\ndefaults:\n  provider: demo\n  model: script\n`;
  await configure(place, `${rest}  history: high\n  checkpoint_retention_days: 3\n`);
  const ended = await runToEnd(runtime, "daily");
  assert.deepEqual([ended.status, ended.model], ["success", "demo/script"]);
  const { agent } = await runtime.getAgent("daily");
  assert.deepEqual([agent.history, runtime.config.checkpointRetentionDays], ["high", 3]);
  await runToEnd(runtime, "daily");
  const told = place.logged.filter(({ message }) => message === "config.yaml was read again");
  assert.equal(told.length, 1);
  assert.deepEqual(warningsOf(runtime), []);
});

Deno.test("a setting that needs a restart keeps its value, with a warning without passwords", async () => {
  await using place = await createTestWorkspace();
  await using runtime = await place.open();
  await configure(
    place,
    `workspace: ${place.root}/other\nagents_dir: bots\nhttp: { hosts: [a.example], deny: [private] }\n` +
      "service: { port: 8420 }\ndefaults: { max_concurrent_runs: 2 }\ndatabase_connections: 3\nnode: { labels: [gpu] }\n" +
      "database: postgres://u:hunter2secret@db/x\n",
  );
  await runtime.reloadAgents();
  const keys = [
    ...["workspace", "agents_dir", "database", "database_connections", "node"],
    ...["defaults.max_concurrent_runs", "service", "http.hosts"],
  ];
  const expected = keys.map((key) =>
    `${key} has changed: it takes effect when the service starts again`
  );
  assert.deepEqual(warningsOf(runtime), expected);
  assert.deepEqual(runtime.config.warnings.map(({ line }) => line), [1, 2, 8, 6, 7, 5, 4, 3]);
  assert.deepEqual(
    place.logged.flatMap(({ message }) => expected.filter((one) => message.endsWith(one))),
    expected,
  );
  const { workspace, agentsDir, maxConcurrentRuns, http, ...rest } = runtime.config;
  const wanted = [place.workspace, "agents", 16, [], ["private"]];
  assert.deepEqual([workspace, agentsDir, maxConcurrentRuns, http.hosts, http.deny], wanted);
  assert.deepEqual([rest.database, rest.databaseConnections, rest.node.labels], [null, 10, []]);
  assert.equal(rest.service.port, null);
  await configure(
    place,
    `workspace: ${place.workspace}\ndatabase: postgres://u:hunter2secret@db\n`,
  );
  await runtime.reloadAgents();
  assert.match(warningsOf(runtime).join(), /^database must be an address .* database is missing/);
  assert.ok(!JSON.stringify([place.logged, runtime.config]).includes("hunter2secret"));
  await configure(place, `workspace: ${place.workspace}\n`);
  await runtime.reloadAgents();
  assert.deepEqual(warningsOf(runtime), []);
});

Deno.test("a broken or missing config.yaml keeps the settings, and the service logs it", async () => {
  const defaults = "defaults: { confirm_tools: [http_request] }";
  await using place = await createTestWorkspace();
  await configure(place, `workspace: ${place.workspace}\n${defaults}\n`);
  await using runtime = await place.open();
  await configure(place, "defaults: { confirm_tools: 7 }\n");
  await runtime.reloadAgents();
  assert.deepEqual(runtime.config.defaults.confirmTools, ["http_request"]);
  const text = warningsOf(runtime).join("\n");
  assert.match(text, /confirm_tools must be a list.*\n.*last valid settings apply/);
  await Deno.remove(join(place.configDir, "config.yaml"));
  await runtime.reloadAgents();
  assert.deepEqual(runtime.config.defaults.confirmTools, ["http_request"]);
  assert.match(warningsOf(runtime).join("\n"), /^The file is missing/);
  await configure(place, `workspace: ${place.workspace}\ndefaults: { confirm_tools: [] }\n`);
  await runtime.reloadAgents();
  assert.deepEqual([runtime.config.defaults.confirmTools, warningsOf(runtime)], [[], []]);
});

Deno.test("triggers use the defaults of a changed config.yaml without a request", async () => {
  await using place = await createTestWorkspace();
  await place.writeAgent("daily", "---\ntrigger: { type: schedule, every: 1d }\n---\nDo it.\n");
  await using runtime = await place.open();
  await configure(place, `workspace: ${place.workspace}\ndefaults: { history: high }\n`);
  const isDone = async () => (await runtime.getAgent("daily")).agent.history === "high";
  await until(isDone, "the new default");
});

Deno.test("a run waits until configuration files that are being written are complete", async () => {
  await using place = await createTestWorkspace();
  await place.writeAgent("daily", "---\n---\nSay ${GREETING}.\n");
  await using runtime = await place.open();
  await Deno.mkdir(join(place.agentsDir, "_config"));
  for (
    const [file, greeting] of [[place.configDir, "one"], [`${place.agentsDir}/_config`, "two"]]
  ) {
    const defaults = `defaults: { provider: demo, model: ${
      greeting === "one" ? "echo" : "report"
    } }`;
    await place.configure(`${defaults}\n`);
    await Deno.writeTextFile(`${file}/.env`, `GREETING=${greeting}\n`);
    const { id, status, model } = await runToEnd(runtime, "daily");
    assert.deepEqual([status, model], [
      "success",
      greeting === "one" ? "demo/echo" : "demo/report",
    ]);
    assert.ok(JSON.stringify(await payloadsOf(runtime, id)).includes(`Say ${greeting}.`));
  }
});

Deno.test("ConfigFollower waits at most five seconds for files that keep changing, and names them", async () => {
  let now = 0;
  const follower = new ConfigFollower({
    settings: {
      config: { path: "/config.yaml", warnings: [] } as unknown as Config,
      configFile: { refresh: () => Promise.resolve("unsettled") } as unknown as ConfigFile,
      environment: { changing: () => ["/.env"] } as unknown as EnvironmentFiles,
    },
    agentFiles: { reload: () => Promise.reject(new Error("nothing has changed")) },
    clock: new TestClock(),
    fileClock: { now: () => now, sleep: (ms) => Promise.resolve(void (now += ms)) },
    log: { write: () => {} },
  });
  assert.deepEqual(
    (await follower.refreshWhole()).map((notice) => notice.replace(/:.*/, "")),
    ["/config.yaml keeps changing", "/.env keeps changing"],
  );
  assert.equal(now, 5_000);
});
