// A watcher over real files and a real store, with simulated runs and a clock that the test controls.
import assert from "node:assert/strict";
import { dirname, join, relative } from "node:path";
import type { Agent, Trigger } from "../../../../runtime/agents/agent.ts";
import { EventBus } from "../../../../runtime/events/bus.ts";
import { SqliteDatabase } from "../../../../runtime/storage/sqlite/sqlite_database.ts";
import { SqlTriggerStateStore } from "../../../../runtime/triggers/firing/trigger_state_store.ts";
import { StoppedTriggers } from "../../../../runtime/triggers/firing/stopped_triggers.ts";
import { dequeueChange, SqlWatchStore } from "../../../../runtime/triggers/watch/watch_store.ts";
import type { Fire, FireOutcome } from "../../../../runtime/triggers/firing/fire.ts";
import type { OpenFolderEvents } from "../../../../runtime/folders/system_watches.ts";
import { FolderWatches } from "../../../../runtime/folders/folder_watches.ts";
import { OwnWrites } from "../../../../runtime/triggers/watch/own_writes.ts";
import { Redactor } from "../../../../runtime/secrets/redactor.ts";
import { UNREAD } from "../../../../runtime/folders/folder_snapshot.ts";
import { Watcher } from "../../../../runtime/triggers/watch/watcher.ts";
import { LogLines } from "../../../support/log_lines.ts";
import { createTestAgent } from "../../../support/test_agent.ts";
import { TestClock } from "../../../support/test_clock.ts";
import { until } from "../../../support/until.ts";

/** A simulated run. */
export interface PlayedRun {
  id: number;
  agentId: string;
  event: string;
  /** The changed path, relative to the workspace. */
  path: string;
}

/** Returns an agent that watches `inbox`; `trigger` replaces the settings of its trigger. */
export function watches(
  id: string,
  trigger: Partial<Trigger<"watch">> = {},
  more: Partial<Agent> = {},
): Agent {
  return createTestAgent({
    id,
    trigger: {
      type: "watch",
      paths: ["inbox"],
      filters: { include: [], exclude: [] },
      debounceMs: 500,
      maxRuns: 100_000,
      catchUp: "none",
      ...trigger,
    },
    ...more,
  });
}

export class WatchWorld implements AsyncDisposable {
  readonly root: string;
  readonly workspace: string;
  readonly db = SqliteDatabase.open(":memory:");
  readonly store = new SqlWatchStore(this.db);
  readonly clock = new TestClock();
  readonly log = new LogLines();
  readonly events = new EventBus(this.log);
  ownWrites!: OwnWrites;
  readonly runs: PlayedRun[] = [];
  readonly running = new Map<number, PlayedRun>();
  readonly tripped: string[] = [];
  /** The ids of the agents whose stopped trigger was re-armed. */
  readonly restarted: string[] = [];
  mostAtOnce = 0;
  isPaused = false;
  /** Does the work of a run. The run ends when this resolves. A test may replace it. */
  play: (run: PlayedRun) => Promise<void> | void = () => {};
  /** Returns an outcome instead of starting a run, or undefined to start it. A test may replace it. */
  answer: (agent: Agent, cause: Fire["cause"]) => FireOutcome | undefined = () => undefined;
  openEvents: OpenFolderEvents | undefined;
  mostEntries: number | undefined;
  folders!: FolderWatches;
  stops!: StoppedTriggers;
  watcher!: Watcher;
  #lastId = 0;
  #sentinels = 0;

  private constructor(root: string) {
    this.root = root;
    this.workspace = join(root, "work");
  }

  static async create(
    options: { openEvents?: OpenFolderEvents; mostEntries?: number } = {},
  ): Promise<WatchWorld> {
    const world = new WatchWorld(await Deno.realPath(await Deno.makeTempDir()));
    for (const name of ["work/agents", "config", "state", "home"]) {
      await Deno.mkdir(join(world.root, name), { recursive: true });
    }
    world.openEvents = options.openEvents;
    world.mostEntries = options.mostEntries;
    world.events.subscribe((event) => {
      if (event.type !== "trigger_changed") return;
      if (event.status === "paused") world.tripped.push(`${event.agentId}: ${event.reason}`);
      else world.restarted.push(event.agentId);
    });
    world.open();
    return world;
  }

  /** Creates a workspace with the given files, and starts a watcher for the given agents. */
  static async watching(files: readonly string[], ...agents: Agent[]): Promise<WatchWorld> {
    const world = await WatchWorld.create();
    for (const file of files) world.write(file);
    await world.watch(...agents);
    return world;
  }

  /** Opens the watcher as a starting service does. */
  open(): void {
    const { store, clock, log, events, root, workspace } = this;
    const ownWrites = this.ownWrites = new OwnWrites();
    this.folders = new FolderWatches({
      clock,
      log,
      probeFolder: join(root, "state/watch"),
      ...(this.openEvents === undefined ? {} : { open: this.openEvents }),
    });
    const states = new SqlTriggerStateStore(this.db);
    const redactor = new Redactor(() => []);
    const stops = this.stops = new StoppedTriggers({ store: states, clock, log, events, redactor });
    this.watcher = new Watcher({
      store,
      stops,
      start: (agent, fire) => this.#start(agent, fire),
      isPaused: () => Promise.resolve(this.isPaused),
      clock,
      log,
      events,
      ownWrites,
      settings: {
        directories: {
          workspace,
          agentsDir: join(workspace, "agents"),
          configDir: join(root, "config"),
          stateDir: join(root, "state"),
        },
        home: join(root, "home"),
      },
      inactiveReason: () => undefined,
      requestLeases: () => Promise.resolve(),
      holdsLease: () => undefined,
      folders: this.folders,
      ...(this.mostEntries === undefined ? {} : { mostEntries: this.mostEntries }),
    });
  }

  async close(): Promise<void> {
    await this.watcher[Symbol.asyncDispose]();
    await this.stops[Symbol.asyncDispose]();
    await this.folders[Symbol.asyncDispose]();
  }

  /** Opens the watcher, and starts it for the given agents if there are any. */
  async start(...agents: Agent[]): Promise<void> {
    this.running.clear();
    this.open();
    if (agents.length > 0) await this.watch(...agents);
  }

  /** Closes the watcher and opens it again, with no file event in between. */
  async restart(...agents: Agent[]): Promise<void> {
    await this.close();
    await this.start(...agents);
  }

  /** Gives the watcher these agents, and starts firing. */
  async watch(...agents: Agent[]): Promise<void> {
    await this.stops.follow(agents, { isUnreadable: () => false });
    await this.watcher.reconcile(agents, { isUnreadable: () => false });
    this.watcher.start();
  }

  /** Re-arms all stopped triggers. Returns the number of dropped changes. */
  async resume(): Promise<number> {
    return await this.stops.resume(() => true);
  }

  path(name: string): string {
    return join(this.workspace, name);
  }

  /** Writes a file atomically. */
  write(name: string, content = `written ${crypto.randomUUID()}`): void {
    Deno.mkdirSync(dirname(this.path(name)), { recursive: true });
    Deno.writeTextFileSync(this.path(name), content);
  }

  /** Advances the clock in steps of `stepMs` until the condition is true. */
  async until(
    condition: () => boolean | Promise<boolean>,
    what: string,
    options: { stepMs?: number } = {},
  ): Promise<void> {
    try {
      await until(
        async () => {
          if (await condition()) return true;
          await this.clock.advance(options.stepMs ?? 100);
          return false;
        },
        what,
        "none",
      );
    } catch (error) {
      assert.ok(error instanceof Error);
      throw new Error(`${error.message}; fired so far: ${this.fired().join(", ") || "nothing"}`);
    }
  }

  /** Returns the runs so far, each as `agent event path`. */
  fired(agentId?: string): string[] {
    return this.runs.filter((run) => agentId === undefined || run.agentId === agentId)
      .map((run) => `${run.agentId} ${run.event} ${run.path}`);
  }

  async untilFired(...expected: string[]): Promise<void> {
    await this.until(() => expected.every((one) => this.fired().includes(one)), `${expected}`);
  }

  /**
   * Waits until all changes so far have been noticed: until new files in the given folders have started runs. These runs
   * are not counted.
   */
  async settled(...folders: string[]): Promise<void> {
    const before = this.watcher;
    for (const folder of folders) {
      const name = join(folder, `sentinel-${++this.#sentinels}.md`);
      this.write(name);
      await this.until(() => this.runs.some(({ path }) => path === name), `a run for ${name}`);
      assert.equal(this.watcher, before);
    }
    await this.until(() => this.running.size === 0, "all runs ended");
    for (let i = this.runs.length - 1; i >= 0; i--) {
      if (this.runs[i]?.path.includes("sentinel-")) this.runs.splice(i, 1);
    }
  }

  /** Waits until all changes have been noticed. Expects exactly the given runs since the last check, in any order. */
  async expectFired(folders: readonly string[], ...expected: string[]): Promise<void> {
    // One agent may notice the new files of settled() before another agent has noticed the expected changes.
    await this.untilFired(...expected);
    await this.settled(...folders);
    assert.deepEqual(this.fired().sort(), expected.sort());
  }

  /** Waits until all changes have been noticed. Expects this number of runs since the last check. */
  async expectRuns(count: number, ...folders: string[]): Promise<void> {
    await this.settled(...folders);
    assert.equal(this.runs.length, count, this.fired().join());
  }

  /** Writes a file. Waits until it has started the expected runs, each given as agent and event: `a created`. */
  async untilNoticed(name: string, ...events: string[]): Promise<void> {
    this.write(name);
    await this.untilFired(...events.map((event) => `${event} ${name}`));
  }

  /** Waits until the store contains this number of queued changes. */
  async untilQueued(count: number): Promise<void> {
    await this.until(async () => (await this.queue()).length === count, `${count} changes wait`);
  }

  /** Waits until the files that an agent with `catch_up` could not read at its start have been read. */
  async untilRead(agentId: string): Promise<void> {
    await this.until(async () => {
      const seen = await this.store.readSeen(agentId);
      return seen !== undefined && ![...seen.values()].includes(UNREAD);
    }, `all that ${agentId} watches is read`);
  }

  /** Returns the queued changes of the store. */
  async queue(): Promise<string[]> {
    const agents = await this.store.listAgents();
    const queues = await Promise.all(
      agents.map(async (id) =>
        (await this.store.readQueue(id)).map(({ event, path }) =>
          `${id} ${event} ${relative(this.workspace, path)}`
        )
      ),
    );
    return queues.flat();
  }

  publish(
    type: "execution_completed" | "execution_waiting" | "execution_resumed",
    run: PlayedRun,
  ): void {
    const who = { executionId: run.id, agentId: run.agentId, displayName: run.agentId };
    if (type === "execution_completed") {
      this.running.delete(run.id);
      this.events.publish({ type, ...who, status: "success", durationMs: 1, ageMs: 1 });
    } else if (type === "execution_waiting") {
      this.events.publish({ type, ...who, requestId: "r", kind: "input", message: "?" });
    } else {
      this.events.publish({ type, ...who });
    }
  }

  async #start(agent: Agent, { cause, claim }: Fire): Promise<FireOutcome> {
    assert.ok(cause.type === "watch" && claim?.type === "change");
    await Promise.resolve();
    const answer = this.answer(agent, cause);
    if (answer !== undefined) return answer;
    const taken = await this.db.change("power", () => dequeueChange(agent.id, claim.path));
    if (!taken) return { outcome: "claimed" };
    const run: PlayedRun = {
      id: ++this.#lastId,
      agentId: agent.id,
      event: cause.event,
      path: relative(this.workspace, cause.path),
    };
    const twin = [...this.running.values()].find(({ agentId, path }) =>
      agentId === run.agentId && path === run.path
    );
    assert.equal(twin, undefined, "two runs of one agent for one path at once");
    this.runs.push(run);
    this.running.set(run.id, run);
    const mine = [...this.running.values()].filter(({ agentId }) => agentId === agent.id);
    this.mostAtOnce = Math.max(this.mostAtOnce, mine.length);
    await this.stops.started(agent.id, run.id, "watch");
    void (async () => {
      await this.play(run);
      this.publish("execution_completed", run);
    })();
    return { outcome: "started", executionId: run.id };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    this.db[Symbol.dispose]();
    await Deno.remove(this.root, { recursive: true });
  }
}
