import assert from "node:assert/strict";
import { join } from "node:path";
import { loadSettings } from "../../../runtime/mod.ts";
import { TriggerLease } from "../../../runtime/triggers/trigger_lease.ts";
import { LogLines } from "../../support/log_lines.ts";
import { TestClock } from "../../support/test_clock.ts";
import { SQLITE } from "../../support/test_database.ts";
import { until } from "../../support/until.ts";
import { LiveTriggers } from "./live_triggers.ts";

const MINUTE_MS = 60_000;

class Services implements AsyncDisposable {
  readonly clock = new TestClock();
  readonly log = new LogLines();
  readonly folder = Deno.makeTempDirSync();
  file = join(this.folder, "_config", "triggers.lease");
  readonly changes: string[] = [];
  readonly #open: TriggerLease[] = [];

  async start(host: string, id = host): Promise<TriggerLease> {
    const { clock, log, file } = this;
    const changed = (change: string) =>
      Promise.resolve(void this.changes.push(`${host} ${change}`));
    const readId = () => Promise.resolve(id);
    const lease = new TriggerLease({ file, host, readId, clock, log, changed });
    this.#open.push(lease);
    await lease.want(true);
    return lease;
  }

  /** Advances the clock, and waits until each service has read and written the lease file. */
  async pass(ms: number): Promise<void> {
    const { clock } = this;
    const waiting = clock.sleeping;
    for (let left = ms; left > 0; left -= 10_000) {
      await clock.advance(Math.min(left, 10_000));
      await until(() => clock.sleeping === waiting, "all wait for their next beat");
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const lease of this.#open) await lease[Symbol.asyncDispose]();
    Deno.removeSync(this.folder, { recursive: true });
  }
}

Deno.test("TriggerLease activates one service, and another service after the first has stopped", async () => {
  await using services = new Services();
  const studio = await services.start("studio");
  const laptop = await services.start("laptop");
  assert.equal(studio.inactiveReason, undefined);
  assert.match(laptop.inactiveReason ?? "", /^the service on studio runs the triggers/);
  await services.pass(10 * MINUTE_MS);
  assert.match(await laptop.findHoldReason() ?? "", /^the service on studio/);
  await studio[Symbol.asyncDispose]();
  await services.pass(MINUTE_MS);
  assert.equal(laptop.inactiveReason, undefined);
  assert.deepEqual(services.changes, ["laptop left", "laptop taken"]);
  await laptop.want(false);
  assert.deepEqual([...Deno.readDirSync(join(services.folder, "_config"))], []);
});

Deno.test("TriggerLease of a killed service is free after two minutes, or at its restart", async () => {
  await using services = new Services();
  await services.start("studio");
  const killed = Deno.readTextFileSync(services.file);
  await using others = new Services();
  others.file = services.file;
  const laptop = await others.start("laptop");
  const again = await others.start("studio", "studio");
  assert.equal(again.inactiveReason, undefined);
  await again[Symbol.asyncDispose]();
  Deno.writeTextFileSync(services.file, killed);
  await others.pass(1.5 * MINUTE_MS);
  assert.notEqual(laptop.inactiveReason, undefined);
  await others.pass(MINUTE_MS);
  assert.equal(laptop.inactiveReason, undefined);
  // The service that was frozen checks the lease before it fires.
  services.clock.jump(10 * MINUTE_MS);
  const [studio] = [await services.start("studio")];
  assert.match(await studio.findHoldReason() ?? "", /^the service on laptop/);
});

Deno.test("TriggerLease has one holder soon after two services took the lease at the same time", async () => {
  await using services = new Services();
  const studio = await services.start("studio");
  Deno.removeSync(services.file);
  const laptop = await services.start("laptop");
  assert.deepEqual([studio.inactiveReason, laptop.inactiveReason], [undefined, undefined]);
  await services.pass(2_000);
  assert.match(studio.inactiveReason ?? "", /^the service on laptop/);
  assert.equal(laptop.inactiveReason, undefined);
});

Deno.test("TriggerLease activates a service that cannot write the lease file, with one warning", async () => {
  await using services = new Services();
  Deno.writeTextFileSync(join(services.folder, "_config"), "");
  const studio = await services.start("studio");
  await services.pass(2 * MINUTE_MS);
  assert.equal(studio.inactiveReason, undefined);
  assert.deepEqual(services.log.lines.map(({ level }) => level), ["warn"]);
});

const AGENTS = {
  often: "trigger: { type: schedule, every: 1s }",
  hooked: "trigger: { type: webhook, scheme: token, secret: HOOK }",
  next: "after: asked",
  files: "trigger: { type: watch, paths: [inbox], debounce: 20ms }",
};

Deno.test({
  ...SQLITE,
  name: "only one of two services on one workspace fires its triggers",
  async fn() {
    await using live = await LiveTriggers.create("inbox/a.md");
    const { place } = live;
    const lease = join(place.agentsDir, "_config", "triggers.lease");
    await place.writeScript("asked", [{ say: "done" }]);
    Object.assign(place.shell, { HOOK: "secret" });
    await using first = await place.open();
    await assert.rejects(Deno.stat(lease), Deno.errors.NotFound);
    const shell = { ...place.shell, INKLING_STATE_DIR: join(place.root, "other") };
    const settings = await loadSettings({ shell, home: place.root });
    for (const [id, lines] of Object.entries(AGENTS)) {
      await place.writeScript(id, [{ say: "done" }], lines);
    }
    const pinned = "trigger: { type: schedule, every: 1s }\nonly_on: " + Deno.hostname();
    await place.writeScript("pinned", [{ say: "done" }], pinned);
    await place.writeScript("far", [{ say: "done" }], "after: asked\nonly_on: [far-away]");
    await first.reloadAgents();
    await Deno.stat(lease);
    await using second = await place.open({ settings });
    const held = async (id: string) => (await second.getAgent(id)).inactiveReason ?? "";
    for (const id of Object.keys(AGENTS)) assert.match(await held(id), /runs the triggers of this/);
    assert.match((await second.scheduler()).inactiveReason ?? "", /runs the triggers/);
    assert.match(await held("far"), /^only_on names far-away, and this host is /);
    assert.equal(await held("pinned"), "");
    const delivery = {
      headers: new Headers({ authorization: "Bearer secret" }),
      body: new Uint8Array(),
    };
    const outcome = await second.webhooks?.receive("hooked", { ...delivery });
    assert.match(outcome?.outcome === "later" ? outcome.reason : "", /^Not here: the service on/);
    await second.run("asked", { args: [] });
    const logged = (text: RegExp) => place.logged.some(({ message }) => text.test(message));
    await until(() => logged(/does not follow: the service on/), "the end is not followed");
    live.write("inbox/b.md");
    const ran = async (runtime: typeof first, agentId: string) =>
      (await runtime.listExecutions({ agentId, limit: 9, offset: 0 })).length;
    await until(async () => await ran(first, "files") === 1, "the holder sees the change");
    await until(async () => await ran(second, "pinned") > 0, "what is pinned to this host fires");
    await until(
      async () => (await second.listSlots("often", { limit: 9, offset: 0 })).length > 0,
      "a time passes",
    );
    const [slot] = await second.listSlots("often", { limit: 9, offset: 0 });
    assert.match(slot?.reason ?? "", /^the service on/);
    for (const id of Object.keys(AGENTS)) assert.equal(await ran(second, id), 0, id);
  },
});
