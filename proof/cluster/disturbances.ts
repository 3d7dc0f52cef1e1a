// Disturbs the nodes and the database of a cluster at random times. The disturbances of different nodes overlap.
import { sleep } from "../soak/sleep.ts";
import type { Chance } from "../soak/chance.ts";
import type { ClusterNode } from "./cluster_node.ts";
import type { ClusterWorld } from "./cluster_world.ts";
import type { Takeovers } from "./takeovers.ts";

/** The relative frequency of each disturbance of a node. */
const TROUBLES = {
  kill: 10,
  stop: 1,
  freeze: 1.2,
  silence: 0.7,
  silenceQueue: 0.7,
  cut: 1.5,
} as const;
const CALM_MS = { shortest: 1_500, mean: 6_000 };
const LONGEST_GAP_MS = 1_500;
/** The duration of a freeze, longer than a lease, which lasts ten seconds. */
const FREEZE_MS = { shortest: 15_000, longest: 40_000 };
const SILENCE_MS = { shortest: 3_000, longest: 25_000 };
/**
 * The application name of the queue's database connections. A node without them cannot renew its leases, but can store
 * results.
 */
const QUEUE = "inkling queue";
const DATABASE_MS = { between: 60_000, longestGap: 2_500 };

/** Disturbs the nodes and the database of one proof. */
export class Disturbances {
  readonly #world: ClusterWorld;
  readonly #takeovers: Takeovers;
  readonly #chance: Chance;
  readonly #leaving = new AbortController();
  kills = 0;

  constructor(world: ClusterWorld, takeovers: Takeovers) {
    this.#world = world;
    this.#takeovers = takeovers;
    this.#chance = world.chance("database");
  }

  /** Disturbs the cluster until `kills` nodes were killed. At the end, every node is running. */
  async disturb(kills: number): Promise<void> {
    const troubles = this.#world.nodes.map((node) => this.#troubleUntil(node, kills));
    const database = this.#restartDatabase();
    await Promise.all(troubles);
    this.#leaving.abort();
    await database;
  }

  /** Restarts the nodes gracefully, one after another, as an upgrade does. */
  async restartInOrder(): Promise<void> {
    for (const node of this.#world.nodes) {
      this.#world.count("nodes restarted in order");
      await node.restart("SIGTERM", 0);
    }
  }

  async kill(node: ClusterNode, gapMs: number): Promise<void> {
    this.kills++;
    this.#world.count("nodes killed");
    await this.#leave(
      node,
      { isDead: true },
      (onStopped) => node.restart("SIGKILL", gapMs, onStopped),
    );
  }

  async freeze(node: ClusterNode, ms: number): Promise<void> {
    this.#world.count("nodes frozen");
    await this.#leave(node, { isDead: false }, (onStopped) => node.freeze(ms, onStopped));
  }

  /** Disturbs a node with `act` and records the node's runs when `act` reports that the node has stopped. */
  async #leave(
    node: ClusterNode,
    how: { isDead: boolean },
    act: (onStopped: () => void) => Promise<void>,
  ): Promise<void> {
    let looking: Promise<void> | undefined;
    try {
      await act(() => looking = this.#takeovers.left(node, how));
    } finally {
      await looking;
    }
  }

  async silenceQueue(node: ClusterNode, ms: number): Promise<void> {
    this.#world.count("connections of the queue silenced");
    await this.#disconnect(node, ms, QUEUE);
  }

  async #disconnect(node: ClusterNode, ms: number, program?: string): Promise<void> {
    const cut = node.disconnect(ms, program);
    await Promise.all([cut, this.#takeovers.hindered(node)]);
  }

  async #troubleUntil(node: ClusterNode, kills: number): Promise<void> {
    const chance = this.#world.chance(`trouble of ${node.name}`);
    for (;;) {
      await sleep(CALM_MS.shortest + chance.wait(CALM_MS.mean));
      if (await node.service.hasDied()) await node.restart("SIGKILL", 0);
      if (this.kills >= kills) return;
      switch (chance.weighted(TROUBLES)) {
        case "kill":
          await this.kill(node, chance.between(0, LONGEST_GAP_MS));
          break;
        case "stop":
          this.#world.count("nodes stopped in order");
          await node.restart("SIGTERM", chance.between(0, LONGEST_GAP_MS));
          break;
        case "freeze":
          await this.freeze(node, chance.between(FREEZE_MS.shortest, FREEZE_MS.longest));
          break;
        case "silence":
          this.#world.count("connections silenced");
          await this.#disconnect(node, chance.between(SILENCE_MS.shortest, SILENCE_MS.longest));
          break;
        case "silenceQueue":
          await this.silenceQueue(node, chance.between(FREEZE_MS.shortest, FREEZE_MS.longest));
          break;
        case "cut":
          this.#world.count("connections cut");
          await this.#disconnect(node, 0);
      }
    }
  }

  async #restartDatabase(): Promise<void> {
    const { signal } = this.#leaving;
    for (;;) {
      await sleep(this.#chance.wait(DATABASE_MS.between), signal);
      if (signal.aborted) return;
      await this.restartDatabase(
        this.#chance.one(["SIGINT", "SIGQUIT"]),
        this.#chance.between(0, DATABASE_MS.longestGap),
      );
    }
  }

  /**
   * Restarts the database server. SIGINT is a fast shutdown: the server closes connections in order. SIGQUIT is an
   * immediate shutdown: the server recovers from its log at the next start.
   */
  async restartDatabase(signal: "SIGINT" | "SIGQUIT", gapMs: number): Promise<void> {
    const { nodes, postgres } = this.#world;
    this.#world.count(`database restarted, ${signal === "SIGINT" ? "fast" : "immediate"}`);
    const restart = async () => {
      await postgres.stop(signal);
      await sleep(gapMs);
      await postgres.start();
      await this.#takeovers.hindered();
    };
    // A restart of the database counts as a disturbance of every node.
    await nodes.reduce((act, node) => () => node.trouble(act), restart)();
  }
}
