// Sets up one cluster proof: the PostgreSQL server, the nodes, the model, the counter of unsafe calls, and the findings.
import { join } from "node:path";
import { StorageUnavailable } from "../../runtime/database/database.ts";
import { all } from "../../runtime/database/operation.ts";
import { PostgresDatabase } from "../../runtime/storage/postgres/postgres_database.ts";
import { ApiError, type Client } from "../../api/client/client.ts";
import type { RealHome } from "../../tests/e2e/real_process.ts";
import { type PostgresServer, startPostgres } from "../../tests/support/postgres.ts";
import { createTestWorkspace, type TestWorkspace } from "../../tests/support/test_workspace.ts";
import { FlakyModel } from "../soak/load/flaky_model.ts";
import { SideEffects } from "../soak/load/side_effects.ts";
import { MODEL_CALLS, soakConfig } from "../soak/load/soak_agents.ts";
import { sleep } from "../soak/sleep.ts";
import { Chance } from "../soak/chance.ts";
import { Findings } from "../soak/soak_world.ts";
import { writeClusterAgents } from "./cluster_agents.ts";
import { ClusterNode } from "./cluster_node.ts";

/** The nodes with their labels and the seconds by which their clocks are ahead. */
const NODES = [
  { name: "one", labels: ["gpu"], ahead: 0 },
  { name: "two", labels: [], ahead: 120 },
  { name: "three", labels: [], ahead: -120 },
] as const;
const RUNS = 12;
/** The maximum time before a model reply, so long that runs last some seconds and each death of a node interrupts runs. */
const THINKING_MS = 1_500;
/** The time after which a request counts as unanswered. */
const ANSWER_MS = 20_000;
const DATABASE_MS = 60_000;

/** The nodes, database, model and findings of one cluster proof. */
export class ClusterWorld implements AsyncDisposable {
  readonly seed: number;
  readonly findings = new Findings();
  /** The number of times each action was done, by the action's name. */
  readonly done = new Map<string, number>();
  readonly nodes: readonly ClusterNode[];
  readonly postgres: PostgresServer;
  readonly model: FlakyModel;
  readonly effects: SideEffects;
  /** The workspace that all nodes share. Its state directory is the place of the database's final copy. */
  readonly place: TestWorkspace;
  readonly #nodeChance: Chance;
  readonly #open: AsyncDisposableStack;
  #database: PostgresDatabase | undefined;

  private constructor(
    parts: Pick<ClusterWorld, "seed" | "postgres" | "model" | "effects" | "place"> & {
      findings: Findings;
      nodes: readonly ClusterNode[];
      open: AsyncDisposableStack;
    },
  ) {
    this.seed = parts.seed;
    this.postgres = parts.postgres;
    this.model = parts.model;
    this.effects = parts.effects;
    this.place = parts.place;
    this.nodes = parts.nodes;
    this.findings = parts.findings;
    this.#open = parts.open;
    this.#nodeChance = this.chance("nodes");
  }

  /**
   * Starts the database, the model and all nodes. The nodes start in parallel, so that any of them may create the tables.
   */
  static async open(
    { seed, thinkingMs = THINKING_MS, agents: only }: {
      seed: number;
      thinkingMs?: number;
      /** The ids of the agents of a sample. All agents if absent. */
      agents?: readonly string[];
    },
  ): Promise<ClusterWorld> {
    await using open = new AsyncDisposableStack();
    const postgres = open.use(await startPostgres({ durable: true }));
    const place = open.use(await createTestWorkspace());
    const effects = open.use(await SideEffects.open(join(place.workspace, "ledger")));
    const model = open.use(
      new FlakyModel({
        chance: Chance.of(seed, "model"),
        effectsUrl: effects.url,
        limit: MODEL_CALLS * NODES.length,
        isFlaky: false,
        thinkingMs,
      }),
    );
    await writeClusterAgents(place, { modelUrl: model.url, only });
    const findings = new Findings();
    const nodes = await Promise.all(NODES.map((node) =>
      ClusterNode.open({
        ...node,
        runs: RUNS,
        config: soakConfig(place.workspace),
        port: postgres.port,
        database: "postgres",
        complain: (rule, row) => findings.add(rule, row),
      })
    ));
    for (const node of nodes) open.use(node);
    await Promise.all(nodes.map((node) => node.start()));
    const parts = { seed, postgres, model, effects, place, nodes, findings };
    return new ClusterWorld({ ...parts, open: open.move() });
  }

  /** The path of the SQLite copy of the database. */
  get database(): string {
    return join(this.place.root, "copy.db");
  }

  /** The home directory that contains the shared workspace. */
  get home(): Pick<RealHome, "workspace"> {
    return this.place;
  }

  chance(stream: string): Chance {
    return Chance.of(this.seed, stream);
  }

  count(what: string): void {
    this.done.set(what, (this.done.get(what) ?? 0) + 1);
  }

  /** Returns a random node that is not down or frozen, or undefined. */
  someNode(): (ClusterNode & { client: Client }) | undefined {
    const living = this.nodes.filter((node) => node.client !== undefined);
    return living.length === 0
      ? undefined
      : this.#nodeChance.one(living) as ClusterNode & { client: Client };
  }

  /**
   * Sends a request to a random node. Returns undefined if the node refuses with an allowed status or was disturbed
   * meanwhile. Reports any other failure as a finding.
   */
  async attempt<T>(
    what: string,
    { allowed, work }: { allowed: readonly number[]; work: (client: Client) => Promise<T> },
  ): Promise<T | undefined> {
    const node = this.someNode();
    if (node === undefined) return undefined;
    const began = performance.now();
    try {
      const result = await answered(work(node.client));
      this.count(what);
      return result;
    } catch (error) {
      if (error instanceof ApiError && allowed.includes(error.status)) {
        this.count(`${what}: ${error.status}`);
        return undefined;
      }
      if (!node.wasTroubledSince(began)) {
        const { cause } = error as Error;
        const row = { what, node: node.name, error: String(error), cause: String(cause) };
        this.findings.add("an undisturbed node answers correctly", row);
      }
      return undefined;
    }
  }

  /** Queries the database directly instead of through a node's proxy. Waits while the database is unavailable. */
  async query<Row>(sql: string, ...values: (string | number)[]): Promise<Row[]> {
    for (const began = performance.now();;) {
      try {
        this.#database ??= this.#open.use(
          await PostgresDatabase.open({ address: `${this.postgres.address}/postgres` }),
        );
        return await this.#database.read(() => all<Row>(sql, ...values));
      } catch (error) {
        const isAway = error instanceof StorageUnavailable || this.#database === undefined;
        if (!isAway || performance.now() - began > DATABASE_MS) throw error;
        await sleep(200);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#open[Symbol.asyncDispose]();
  }
}

async function answered<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${ANSWER_MS} ms`)), ANSWER_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
