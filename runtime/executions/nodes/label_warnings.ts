// Warns in the service log about executions whose required labels no live node has.
import type { Agent } from "../../agents/agent.ts";
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import type { Context } from "../../config/context.ts";
import { toLabelWords } from "../../../base/text/label_words.ts";
import { HOUR_MS, SECOND_MS } from "../../../base/time_units.ts";
import type { SqlNodeReads } from "./node_reads.ts";
import { waitsForLabels } from "./node_waits.ts";

/** The interval between two checks. */
const LOOK_MS = 10 * SECOND_MS;
/** The minimum age of an execution before a warning. A restarted node is back within this time. */
const PATIENCE_MS = 10 * SECOND_MS;
const REPEAT_MS = HOUR_MS;

type Parts = Pick<Context, "clock" | "log"> & {
  nodes: Pick<SqlNodeReads, "listNodes" | "countUnclaimed">;
  listAgents: () => readonly Pick<Agent, "id" | "nodes">[];
};

/** Writes the label warnings of one service, at most one an hour for each agent and its labels. */
export class LabelWarnings implements AsyncDisposable {
  readonly #ports: Parts;
  readonly #over = new AbortController();
  /** The time of the last warning, by agent and labels. */
  readonly #said = new Map<string, number>();
  #looking: Promise<void> = Promise.resolve();

  constructor(ports: Parts) {
    this.#ports = ports;
  }

  /** Starts to check every ten seconds, until this object is disposed. */
  start(): void {
    this.#looking = this.#keepLooking();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await this.#looking;
  }

  /** Checks the unclaimed executions once and writes warnings. Rejects with StorageUnavailable. */
  async check(): Promise<void> {
    const { nodes, listAgents, clock, log } = this.#ports;
    const asking = listAgents().filter((agent) => agent.nodes.length > 0);
    if (asking.length === 0) return;
    const all = await nodes.listNodes();
    const waiting = new Map(
      asking.map((agent) => [agent.id, waitsForLabels(agent, all)] as const)
        .filter(([, labels]) => labels.length > 0),
    );
    if (waiting.size === 0) return;
    const now = clock.now();
    for (const [key, at] of this.#said) if (now - at >= REPEAT_MS) this.#said.delete(key);
    const options = { begunMsAgo: PATIENCE_MS };
    for (const { agentId, id, count } of await nodes.countUnclaimed([...waiting.keys()], options)) {
      const labels = waiting.get(agentId) ?? [];
      const key = JSON.stringify([agentId, labels.toSorted()]);
      if (this.#said.has(key)) continue;
      this.#said.set(key, now);
      const more = count === 1 ? "" : `, and ${count - 1} more of it`;
      log.write(
        "warn",
        `No node has ${toLabelWords(labels)}: execution ${id} of agent "${agentId}" waits${more}`,
        { hint: `start a node with "node: {labels: [${labels.join(", ")}]}" in its config.yaml` },
      );
    }
  }

  async #keepLooking(): Promise<void> {
    const { clock, log } = this.#ports;
    let isFailing = false;
    while (await sleepUnlessAborted(clock, LOOK_MS, this.#over.signal)) {
      try {
        await this.check();
        isFailing = false;
      } catch (error) {
        // An outage of the database is logged once, however long it lasts.
        if (!isFailing) {
          log.write("warn", "Cannot see whether executions wait for a node", { error });
        }
        isFailing = true;
      }
    }
  }
}
