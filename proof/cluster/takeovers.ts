// Measures the time from the stop of a node until another node writes a frame of the node's runs.
import { sleep } from "../soak/sleep.ts";
import type { ClusterNode } from "./cluster_node.ts";
import type { ClusterWorld } from "./cluster_world.ts";
import { LABELLED } from "./cluster_agents.ts";

const LOOK_MS = 200;

/** A run whose node has stopped. */
interface AbandonedRun {
  /** The time at which the run's node stopped, in milliseconds of performance.now(). */
  since: number;
  /** The id of the run's last frame at that time. */
  frame: number;
}

/** Measures the takeovers of one proof. */
export class Takeovers {
  readonly #world: ClusterWorld;
  readonly #left = new Map<number, AbandonedRun>();
  readonly #leaving = new AbortController();
  /** The duration of each takeover in milliseconds. */
  readonly times: number[] = [];

  constructor(world: ClusterWorld) {
    this.#world = world;
  }

  /**
   * Records that a node has stopped, and starts the measurement for its runs. Runs that wait for delegated runs are not
   * measured. The labelled agent's runs are not measured if the node is only frozen, because no other node may run them.
   */
  async left(node: ClusterNode, { isDead }: { isDead: boolean }): Promise<void> {
    const since = performance.now();
    const rows = await this.#world.query<{ id: number; frame: number }>(
      "SELECT e.id, (SELECT max(id) FROM frames f WHERE f.execution_id = e.id) AS frame " +
        "FROM executions e JOIN instances i ON i.id = e.instance_id " +
        "WHERE e.status = 'running' AND i.name = ? AND e.agent_id <> ? AND NOT EXISTS (SELECT 1 " +
        "FROM executions c WHERE c.parent_execution_id = e.id AND c.status IN ('running', 'waiting'))",
      ...[node.name, isDead ? "" : LABELLED],
    );
    for (const { id, frame } of rows) this.#left.set(id, { since, frame });
  }

  /**
   * Restarts the measurement of the abandoned runs that the disturbed node had just taken over. Without `node`, every node
   * was disturbed.
   */
  async hindered(node?: ClusterNode): Promise<void> {
    if (this.#left.size === 0) return;
    const rows = await this.#world.query<{ id: number }>(
      "SELECT e.id FROM executions e JOIN instances i ON i.id = e.instance_id " +
        `WHERE e.id IN (${[...this.#left.keys()].join(", ")})${node ? " AND i.name = ?" : ""}`,
      ...node ? [node.name] : [],
    );
    const since = performance.now();
    for (const { id } of rows) {
      const left = this.#left.get(id);
      if (left !== undefined) left.since = since;
    }
  }

  /** Measures takeovers until end() is called, by polling the frames of abandoned runs. */
  async watch(): Promise<void> {
    const { signal } = this.#leaving;
    while (!signal.aborted) {
      await this.#look();
      await sleep(LOOK_MS, signal);
    }
  }

  end(): void {
    this.#leaving.abort();
  }

  /** The ids of the abandoned runs that no node has continued. */
  get open(): readonly number[] {
    return [...this.#left.keys()];
  }

  async #look(): Promise<void> {
    if (this.#left.size === 0) return;
    const rows = await this.#world.query<{ id: number; frame: number }>(
      "SELECT execution_id AS id, max(id) AS frame FROM frames " +
        `WHERE execution_id IN (${[...this.#left.keys()].join(", ")}) GROUP BY execution_id`,
    );
    for (const { id, frame } of rows) {
      const left = this.#left.get(id);
      if (left === undefined || frame <= left.frame) continue;
      this.#left.delete(id);
      this.times.push(performance.now() - left.since);
    }
  }
}
