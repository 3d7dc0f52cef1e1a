// Connects a service to the other nodes on its database: exchanges events, and recovers the executions of dead nodes.
import { NO_LONGER_NEEDED, SystemClock } from "../../../base/clock.ts";
import type { ServiceEvent } from "../../events/bus.ts";
import { LabelWarnings } from "../../executions/nodes/label_warnings.ts";
import type { SqlNodeReads } from "../../executions/nodes/node_reads.ts";
import type { OpenedParts } from "../open_parts.ts";
import type { Node } from "../../storage/postgres/node.ts";
import type { Triggers } from "../../triggers/triggers.ts";
import type { SharedWrite } from "../../triggers/watch/own_writes.ts";

/** The interval in milliseconds between checks for executions that dead nodes left. */
export const UPKEEP_MS = 30_000;
/**
 * The maximum length in characters of a question in an event for other nodes. They read the whole text from the database.
 */
const TOLD_CHARACTERS = 1_000;

/** The objects of a runtime that shares its database with other nodes. */
export type NodeParts = OpenedParts & {
  node: Node;
  nodes: SqlNodeReads;
  /** Returns the triggers, or undefined before they are created. */
  triggers: () => Triggers | undefined;
};

/** Connects the service to the other nodes. Disposing the result ends the exchange of events. */
export async function joinNodes(options: NodeParts): Promise<AsyncDisposable> {
  const { node, nodes, registry, events, executionLog, log } = options;
  const hear = (text: string) => {
    const event = JSON.parse(text) as ServiceEvent;
    events.publish(event, "elsewhere");
    if (event.type === "scheduler_changed" && event.status === "running") {
      void options.triggers()?.resume().catch((error) => {
        log.write("error", "Triggers could not be resumed", { error });
      });
    }
  };
  const unsubscribe = events.subscribe((event, origin) => {
    // `agents_changed` is not sent to other nodes, because each node reads the agents' files itself.
    if (origin === "elsewhere" || event.type === "agents_changed") return;
    node.notify("event", JSON.stringify(shortened(event)));
  });
  const poll = () => executionLog.recheck((id) => !node.executions.has(id));
  await node.start({
    changed: (id) => executionLog.notify(id),
    poll,
    connected() {
      poll();
      options.triggers()?.resync();
    },
    leasesChanged: () => options.triggers()?.reloadShares(),
    notified(topic, text) {
      try {
        if (topic === "event") hear(text);
        if (topic === "wrote") void hearWrite(text, options);
      } catch (error) {
        log.write("warn", "A message of another machine could not be read", { topic, error });
      }
    },
  });
  const over = new AbortController();
  const upkeep = keepUp(options, over.signal);
  // The checks use the system clock, as the node's heartbeats do. Stored times use another clock, which does not matter
  // here.
  const clock = new SystemClock();
  const warnings = new LabelWarnings({ nodes, listAgents: () => registry.list(), clock, log });
  warnings.start();
  return {
    async [Symbol.asyncDispose]() {
      unsubscribe();
      over.abort(NO_LONGER_NEEDED);
      await Promise.all([upkeep, warnings[Symbol.asyncDispose]()]);
    },
  };
}

async function keepUp(
  { node, runner, budgets, notifications, triggers, log }: NodeParts,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await node.clock.sleep(UPKEEP_MS, signal).catch(() => {});
    if (signal.aborted) return;
    triggers()?.resync();
    try {
      await budgets.settleAbandoned(node.clock.now());
      await runner.settleLeft();
      if (await notifications.hasOpen()) notifications.sender.wake();
    } catch (error) {
      log.write("warn", "The work of dead machines could not be recovered; retrying soon", {
        error,
      });
    }
  }
}

function shortened(event: ServiceEvent): ServiceEvent {
  if (event.type === "execution_waiting") {
    return { ...event, message: event.message.slice(0, TOLD_CHARACTERS) };
  }
  return event.type === "execution_resting"
    ? { ...event, reason: event.reason.slice(0, TOLD_CHARACTERS) }
    : event;
}

async function hearWrite(text: string, { openOwnWrites }: NodeParts): Promise<void> {
  (await openOwnWrites()).recordRemote(JSON.parse(text) as SharedWrite);
}
