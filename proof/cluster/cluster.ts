// Runs one proof with several nodes: load and disturbances in parallel, then a rest until all executions have ended, then
// the check of the database.
import { SLOT_REASONS } from "../../runtime/vocabulary/trigger_kinds.ts";
import { findViolations, INVARIANTS } from "../soak/invariants/invariants.ts";
import { People } from "../soak/load/people.ts";
import { findWrongEffects } from "../soak/load/side_effects.ts";
import { BEATS, NEVER_ASKING } from "../soak/load/soak_agents.ts";
import { WatchedFiles } from "../soak/load/watched_files.ts";
import { sleep } from "../soak/sleep.ts";
import type { Violation } from "../soak/invariants/invariants.ts";
import { Callers } from "./callers.ts";
import { STEADY } from "./cluster_agents.ts";
import { CLUSTER_INVARIANTS } from "./cluster_invariants.ts";
import { ClusterWorld } from "./cluster_world.ts";
import { copyDatabase } from "./copy_database.ts";
import { Disturbances } from "./disturbances.ts";
import { Followers } from "./followers.ts";
import { Takeovers } from "./takeovers.ts";

/** The time within which another node must continue a run that its node has abandoned. */
const TAKEN_OVER_MS = 45_000;
/** The time limit for all running and waiting executions to end, after the load and the triggers have stopped. */
const END_MS = 120_000;
const LOOK_MS = 250;
/**
 * Returns 1 until the pause has skipped a due time of tick_2. Until then a node that has not seen the pause may still start
 * a run.
 */
const UNPAUSED = "SELECT count(*) AS n FROM " +
  "(SELECT reason FROM slots WHERE agent_id = 'tick_2' ORDER BY scheduled_for DESC LIMIT 1) AS newest " +
  `WHERE reason IS DISTINCT FROM '${SLOT_REASONS.paused}'`;
/**
 * The allowed difference between two nodes' times. Nodes read the time from the database, which may take long on a busy
 * machine.
 */
const CLOCK_ERROR_MS = 1_000;
const SAMPLE_RUNS = 6;
const MOST_SAMPLE_RUNS = 24;
const SAMPLE_AGENTS = [STEADY, "tick_2", "worker_kept"];
const SAMPLE_THINKING_MS = 3_000;
/** The duration of a freeze in the sample, longer than a lease and the detection of its expiry. */
const SAMPLE_MS = 16_000;

/** The load, the measurements and the violations of one proof. */
export interface ClusterReport {
  seed: number;
  minutes: number;
  done: Record<string, number>;
  /** The number of executions for each trigger and status. */
  executions: { trigger: string; status: string; n: number }[];
  keys: number;
  followed: { visits: number; frames: number };
  /** The milliseconds from the death of a node to the first new frame of each of its runs. */
  takeovers: readonly number[];
  violations: (Violation & { count: number })[];
}

/** Disturbs a cluster until `kills` nodes were killed, and returns the report. Calls `report` every half minute. */
export async function runCluster(
  { kills, seed }: { kills: number; seed: number },
  report: (progress: string) => void,
): Promise<ClusterReport> {
  await using world = await ClusterWorld.open({ seed });
  const cluster = new Cluster(world);
  return await cluster.run(async (disturbances) => {
    const began = performance.now();
    const timer = setInterval(() => {
      const minutes = ((performance.now() - began) / 60_000).toFixed(1);
      report(`${minutes} min  ${disturbances.kills} of ${kills} kills`);
    }, 30_000);
    try {
      await disturbances.disturb(kills);
    } finally {
      clearInterval(timer);
    }
    await disturbances.restartInOrder();
  });
}

/**
 * Runs a sample with many runs and returns the report. Freezes one node, kills another, and silences the queue's database
 * connections of the third. Without these connections the third node cannot renew its leases, but it continues to work.
 */
export async function runClusterSample({ seed }: { seed: number }): Promise<ClusterReport> {
  await using world = await ClusterWorld.open({
    seed,
    thinkingMs: SAMPLE_THINKING_MS,
    agents: SAMPLE_AGENTS,
  });
  const [one, two, three] = world.nodes;
  const cluster = new Cluster(world);
  return await cluster.run(async (disturbances) => {
    await cluster.callers.rush(SAMPLE_RUNS);
    if (one === undefined || two === undefined || three === undefined) return;
    await cluster.everyNodeRuns();
    await Promise.all([
      disturbances.freeze(one, SAMPLE_MS),
      disturbances.kill(two, 0),
      disturbances.silenceQueue(three, SAMPLE_MS),
    ]);
  }, { callers: 0 });
}

class Cluster {
  readonly #world: ClusterWorld;
  readonly #files: WatchedFiles;
  readonly #people: People;
  readonly #followers: Followers;
  readonly callers: Callers;
  readonly #takeovers: Takeovers;

  constructor(world: ClusterWorld) {
    this.#world = world;
    // No file is removed: a removal must know the files that were seen, which cannot be queried while the database is
    // unavailable.
    this.#files = new WatchedFiles(world, { leftLying: Infinity });
    this.#people = new People(world);
    this.#followers = new Followers(world);
    this.callers = new Callers(world, this.#files, this.#followers);
    this.#takeovers = new Takeovers(world);
  }

  async run(
    disturb: (disturbances: Disturbances) => Promise<void>,
    { callers }: { callers?: number } = {},
  ): Promise<ClusterReport> {
    const began = performance.now();
    const parts = [this.#people.attend(), this.#takeovers.watch()];
    const calls = this.callers.call(callers);
    try {
      await disturb(new Disturbances(this.#world, this.#takeovers));
      this.callers.leave();
      await calls;
      await this.#settle();
      await this.#check();
    } finally {
      this.callers.leave();
      this.#people.leave();
      this.#takeovers.end();
      await Promise.all([...parts, calls]);
    }
    return await this.#report((performance.now() - began) / 60_000);
  }

  /** Stops the triggers and waits until no execution runs or waits, including the last scheduled runs. */
  async #settle(): Promise<void> {
    this.#people.isHurried = true;
    this.#world.model.thinkingMs = 0;
    const open = "SELECT count(*) AS n FROM executions WHERE status IN ('running', 'waiting')";
    await this.#none(`${open} AND trigger <> 'schedule'`);
    await this.#none("SELECT count(*) AS n FROM follow_ups");
    await this.#none(
      `SELECT ${this.#files.written} - count(DISTINCT request ->> '$.cause.path') AS n ` +
        "FROM executions WHERE trigger = 'watch'",
    );
    await this.#world.attempt("pause", { allowed: [], work: (client) => client.pauseScheduler() });
    await this.#none(UNPAUSED);
    await this.#none(open);
    await this.#none(
      "SELECT count(*) AS n FROM inkling_queue.job WHERE state IN ('created', 'retry', 'active')",
    );
    await this.#none("SELECT count(*) AS n FROM reservations");
    if (!await this.#followers.rest(END_MS)) {
      this.#world.findings.add("a follower comes to the end of what has ended", {});
    }
  }

  /** Starts long runs until each node has one. */
  async everyNodeRuns(): Promise<void> {
    const nodes =
      "SELECT count(DISTINCT instance_id) AS n FROM executions WHERE status = 'running'";
    for (let runs = 0; runs < MOST_SAMPLE_RUNS; runs++) {
      await this.callers.rush(1);
      const [row] = await this.#world.query<{ n: number }>(nodes);
      if (row?.n === this.#world.nodes.length) return;
    }
    this.#world.findings.add("each node runs something", { runs: MOST_SAMPLE_RUNS });
  }

  /** Waits until the counting query returns zero. Reports a finding after END_MS. */
  async #none(count: string): Promise<void> {
    for (const began = performance.now();;) {
      const [row] = await this.#world.query<{ n: number }>(count);
      if ((row?.n ?? 0) <= 0) return;
      if (performance.now() - began > END_MS) {
        this.#world.findings.add("everything comes to its end", { left: row?.n, of: count });
        return;
      }
      await sleep(LOOK_MS);
    }
  }

  async #check(): Promise<void> {
    const { findings, effects, database, nodes } = this.#world;
    await copyDatabase(this.#world);
    findings.addAll(
      findViolations(
        database,
        {
          service: "quiet",
          since: 0,
          beats: BEATS,
          neverAsking: NEVER_ASKING,
          clockErrorMs: CLOCK_ERROR_MS,
        },
        [...INVARIANTS, ...CLUSTER_INVARIANTS],
      ),
    );
    findings.addAll(await findWrongEffects(database, { effects, since: 0 }));
    this.#people.findLostAnswers();
    this.#files.check();
    await this.#followers.check();
    await this.#checkKeys();
    await this.#checkCancels();
    for (const ms of this.#takeovers.times.filter((ms) => ms > TAKEN_OVER_MS)) {
      findings.add("another node goes on with a run in time", { ms: Math.round(ms) });
    }
    for (const id of this.#takeovers.open) findings.add("another node goes on with a run", { id });
    for (const overload of this.#world.model.overloads) {
      findings.add("no more model calls are open than may be", { ...overload });
    }
    for (const { name, log } of nodes) {
      for (const { rule, line } of await log.look()) findings.add(rule, { node: name, line });
    }
  }

  /** Checks that all nodes returned the same execution for a key, and that the database contains this key. */
  async #checkKeys(): Promise<void> {
    const rows = await this.#world.query<{ key: string; id: number }>(
      "SELECT key, execution_id AS id FROM idempotency_keys",
    );
    const stored = new Map(rows.map(({ key, id }) => [key, id]));
    for (const [key, ids] of this.callers.accepted) {
      if ([...ids].every((id) => id === stored.get(key))) continue;
      this.#world.findings.add("what was accepted is stored, under its key and once", {
        key,
        answered: [...ids],
        stored: stored.get(key),
      });
    }
  }

  async #checkCancels(): Promise<void> {
    const ids = [...this.callers.cancelled];
    if (ids.length === 0) return;
    const rows = await this.#world.query<{ id: number; status: string }>(
      `SELECT id, status FROM executions WHERE status = 'success' AND id IN (${ids.join(", ")})`,
    );
    if (rows.length > 0) this.#world.findings.add("what is being cancelled ends by that", ...rows);
  }

  async #report(minutes: number): Promise<ClusterReport> {
    const { seed, done, findings } = this.#world;
    return {
      seed,
      minutes,
      done: Object.fromEntries([...done].sort(([a], [b]) => a < b ? -1 : 1)),
      executions: await this.#world.query(
        "SELECT trigger, status, count(*) AS n FROM executions GROUP BY trigger, status ORDER BY trigger, status",
      ),
      keys: this.callers.accepted.size,
      followed: { visits: this.#followers.visits, frames: this.#followers.frames },
      takeovers: this.#takeovers.times,
      violations: findings.list(),
    };
  }
}
