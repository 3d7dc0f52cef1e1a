// Checks a soak from outside the service: the invariants of the database, the log, the side effects, and that no accepted
// run or stored frame has disappeared.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { findViolations, readSnapshot } from "./invariants/invariants.ts";
import { LogScan } from "./log_scan.ts";
import { findWrongEffects } from "./load/side_effects.ts";
import { BEATS, NEVER_ASKING } from "./load/soak_agents.ts";
import type { SoakWorld } from "./soak_world.ts";

const DAY_MS = 86_400_000;
/** The maximum number of executions without a parent that one call of `age` moves beyond their retention. */
const AGED_AT_ONCE = 20;

/** The number of executions by their status. */
export interface StatusCounts {
  done: number;
  failed: number;
  waiting: number;
  running: number;
}

/** Checks the service of one soak and reports findings. */
export class Inspection {
  readonly #world: SoakWorld;
  readonly #log: LogScan;
  /** The agents of the runs that the service accepted, by execution id. All must be stored. */
  readonly #accepted: ReadonlyMap<number, string>;
  /** The ids of the executions that `age` moved beyond their retention. The next start of the service must remove them. */
  readonly #aged = new Set<number>();
  #since = 0;
  /** The highest frame id and the number of frames at the last check. */
  #frames = { highest: 0, count: 0 };
  looks = 0;
  removed = 0;

  constructor(world: SoakWorld, accepted: ReadonlyMap<number, string>) {
    this.#world = world;
    this.#accepted = accepted;
    this.#log = new LogScan(join(world.home.stateDir, "inkling.log"));
  }

  /** Runs all checks once. With `whole`, also checks the executions that had ended before the last check. */
  async look(
    service: "dead" | "live" | "quiet",
    { whole = false }: { whole?: boolean } = {},
  ): Promise<void> {
    const { findings, database, effects, model } = this.#world;
    const since = whole ? 0 : this.#since;
    findings.addAll(
      findViolations(database, { service, since, beats: BEATS, neverAsking: NEVER_ASKING }),
    );
    findings.addAll(await findWrongEffects(database, { effects, since }));
    this.#lookAtHistory();
    await this.lookAtLog();
    for (const overload of model.overloads.splice(0)) {
      findings.add("no more model calls are open than may be", { ...overload });
    }
    this.looks++;
  }

  async lookAtLog(): Promise<void> {
    for (const { rule, line } of await this.#log.look()) this.#world.findings.add(rule, { line });
  }

  /**
   * Moves the times of some ended executions 40 days back, beyond their retention. Must be called only while no service
   * runs.
   */
  age(): void {
    const db = new DatabaseSync(this.#world.database);
    try {
      const old = db.prepare(
        "WITH RECURSIVE roots (id) AS (SELECT id FROM executions e WHERE parent_execution_id IS NULL " +
          "AND trigger IN ('manual', 'chat') AND status NOT IN ('running', 'waiting') " +
          "ORDER BY id LIMIT ?1), tree (id) AS (SELECT id FROM roots UNION ALL " +
          "SELECT c.id FROM executions c JOIN tree ON c.parent_execution_id = tree.id) " +
          "UPDATE executions SET started_at = started_at - ?2, finished_at = finished_at - ?2 " +
          "WHERE id IN (SELECT id FROM tree) AND status NOT IN ('running', 'waiting') RETURNING id",
      ).all(AGED_AT_ONCE, 40 * DAY_MS) as { id: number }[];
      for (const { id } of old) this.#aged.add(id);
    } finally {
      db.close();
    }
  }

  counts(): StatusCounts {
    const rows = this.#query<{ status: string; n: number }>(
      "SELECT status, count(*) AS n FROM executions GROUP BY status",
    );
    const of = (...statuses: string[]) =>
      rows.reduce((sum, { status, n }) => sum + (statuses.includes(status) ? n : 0), 0);
    return {
      done: of("success"),
      failed: of("error", "aborted", "timeout", "orphaned"),
      waiting: of("waiting"),
      running: of("running"),
    };
  }

  /** Returns the number of executions in each status, and of frames, slots, requests and instances. */
  totals(): Record<string, number> {
    const rows = this.#query<{ name: string; n: number }>(
      "SELECT status AS name, count(*) AS n FROM executions GROUP BY status UNION ALL " +
        "SELECT 'frames', count(*) FROM frames UNION ALL SELECT 'slots', count(*) FROM slots UNION ALL " +
        "SELECT 'requests', count(*) FROM requests UNION ALL SELECT 'instances', count(*) FROM instances",
    );
    return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
  }

  /** Reports files that a graceful stop has left in the state directory and the workspace. */
  async findLeftovers(): Promise<void> {
    const { home, findings } = this.#world;
    // `fd`: the link to the service's descriptors. `staging`: the folder of files being written. `watch`: the folder in
    // which the service tests whether watching works. `mcp`: the folder of MCP servers' programs. `mcp-tools.json`: the
    // tools of MCP servers. `workspaces`: the workspace's lock, independent of config.yaml, and its link.
    const known =
      /^(inkling\.(db|lock|log(\.\d)?)|fd|staging|watch|workspace|mcp|mcp-tools\.json|workspaces|workspaces\/[^/]+(\/(inkling\.lock|fd))?)$/;
    for (const name of await namesBelow(home.stateDir)) {
      if (!name.startsWith("mcp/") && !known.test(name)) {
        findings.add("the state directory holds nothing left over", { name });
      }
    }
    await Promise.all([home.agentsDir, join(home.workspace, "out")].map(async (folder) => {
      for await (const { name } of Deno.readDir(folder)) {
        if (!/\.tmp$/.test(name)) continue;
        // Each start removes the half-written files of a killed service. A `.tmp` file with another name may remain after a
        // kill.
        if (/^\.inkling-[0-9a-f-]{36}-/.test(name)) {
          findings.add("no half-written file is left over", { folder, name });
        }
        this.#world.count("temporary files that kills left in the workspace");
        if (this.#world.service.kills === 0) {
          findings.add("no temporary file is left over", { folder, name });
        }
      }
    }));
  }

  /** Checks that no frame or accepted execution has disappeared since the last check, and that no frame got a lower id. */
  #lookAtHistory(): void {
    const { findings } = this.#world;
    const [frames] = this.#query<{ highest: number; below: number; count: number }>(
      "SELECT coalesce(max(id), 0) AS highest, count(*) AS count, coalesce(sum(id <= ?1), 0) AS below FROM frames",
      this.#frames.highest,
    );
    const ids = new Set(
      this.#query<{ id: number }>("SELECT id FROM executions").map(({ id }) => id),
    );
    const hasRemoved = [...this.#aged].some((id) => !ids.has(id));
    if (frames !== undefined) {
      const { count } = this.#frames;
      if (frames.below > count) {
        findings.add("ids of frames only rise", { before: this.#frames, now: frames });
      }
      if (frames.below < count && !hasRemoved) {
        findings.add("no frame is lost", { before: this.#frames, now: frames });
      }
      this.#frames = frames;
    }
    for (const id of this.#aged) {
      if (ids.has(id)) continue;
      this.#aged.delete(id);
      this.#removed.add(id);
      this.removed++;
    }
    for (const [id, agent] of this.#accepted) {
      if (!ids.has(id) && !this.#removed.has(id)) {
        findings.add("what was accepted is stored", { id, agent });
      }
    }
    const [next] = this.#query<{ id: number }>(
      "SELECT coalesce((SELECT min(id) FROM executions WHERE status IN ('running', 'waiting')), " +
        "(SELECT max(id) + 1 FROM executions), 0) AS id",
    );
    this.#since = next?.id ?? 0;
  }

  readonly #removed = new Set<number>();

  /** Checks that the last start removed the executions that `age` had made too old. */
  checkRetention(): void {
    for (const id of this.#aged) {
      this.#world.findings.add("what is too old is removed at the start", { id });
    }
  }

  #query<Row>(sql: string, ...values: number[]): Row[] {
    return readSnapshot(this.#world.database, (db) => db.prepare(sql).all(...values)) as Row[];
  }
}

/** Returns the paths of all files and folders below a folder, relative to this folder. */
async function namesBelow(folder: string): Promise<string[]> {
  const names: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    names.push(name);
    if (!isDirectory) continue;
    names.push(...(await namesBelow(join(folder, name))).map((inner) => `${name}/${inner}`));
  }
  return names;
}
