// Creates the summary of a time span for a person who was away: its events, and the problems that are open now.
import type {
  Downtime,
  ExecutionReads,
  Span,
  SpanSummary,
} from "../executions/record/execution_reads.ts";
import { type HumanRequest, isSameSignIn } from "../executions/human_request.ts";
import type { Agent } from "../agents/agent.ts";
import type { AgentRegistry } from "../agents/registry.ts";
import type { Pause } from "../triggers/pause.ts";
import { SLOT_REASONS, TRIGGER_KINDS } from "../vocabulary/trigger_kinds.ts";
import type { Slot } from "../triggers/schedule/slot_store.ts";
import type { SqlSlotStore } from "../triggers/schedule/slots.ts";
import { DAY_MS } from "../../base/time_units.ts";

/** The number of due times in one read. */
const SLOT_PAGE = 100;
/** The number of days that the mean cost is computed from. */
const MEAN_DAYS = 7;

/** The summary of a time span. Times are in milliseconds since the epoch. */
export interface Recap extends SpanSummary {
  since: number;
  until: number;
  /** The cost in dollars of the same span one day earlier. Null if it is unknown. */
  costBeforeUsd: number | null;
  meanCostUsd: number | null;
  /** The questions that wait for a person now, oldest first. */
  waiting: WaitingRequest[];
  /** The due times without a run, grouped by agent and reason. */
  slots: SlotGroup[];
  downtimes: Downtime[];
  /** The agents whose triggers are stopped or whose files have errors, with the reason. */
  stopped: { agentId: string; reason: string }[];
  /** The next scheduled runs, the soonest first. */
  next: { agentId: string; at: number }[];
}

/** An open question with the id of the asking agent. */
export type WaitingRequest = HumanRequest & { agentId: string };

/** The due times of one agent that had no run for the same reason. */
export interface SlotGroup {
  agentId: string;
  outcome: "missed" | "skipped";
  reason: string;
  count: number;
  first: number;
  last: number;
}

/** The objects that a recap is created from. */
export interface RecapParts {
  listings: readonly { agent: Agent; nextRun: number | null; triggerPaused: string | null }[];
  registry: Pick<AgentRegistry, "broken">;
  executions: Pick<ExecutionReads, "readSpan" | "readSpanCost" | "readDowntimes">;
  slots: Pick<SqlSlotStore, "listSlots">;
  waiting: readonly WaitingRequest[];
  pause: Pick<Pause, "state">;
}

/** The reasons of checks that found nothing to report. */
const QUIET_REASONS: ReadonlySet<string> = new Set([SLOT_REASONS.unchanged, SLOT_REASONS.baseline]);

/** Returns the summary of a span of time. */
export async function makeRecap(
  { agentIds, ...time }: Span,
  parts: RecapParts,
): Promise<Recap> {
  const { executions } = parts;
  const ids = agentIds && new Set(agentIds);
  const isShown = (id: string) => ids?.has(id) ?? true;
  const listings = parts.listings.filter(({ agent }) => isShown(agent.id));
  const before = (days: number) =>
    executions.readSpanCost({
      since: time.since - days * DAY_MS,
      until: time.until - days * DAY_MS,
      agentIds,
    });
  const costs = await Promise.all(Array.from({ length: MEAN_DAYS }, (_, day) => before(day + 1)));
  const known = costs.filter((cost) => cost !== null);
  const groups: SlotGroup[] = [];
  for (const { agent } of listings) {
    groups.push(...groupSlots(agent.id, await readSlots(agent.id, time, parts.slots)));
  }
  return {
    ...time,
    ...await executions.readSpan({ ...time, agentIds }),
    costBeforeUsd: costs[0] ?? null,
    meanCostUsd: known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0) / MEAN_DAYS,
    // Runs that wait for the same sign-in have one question.
    waiting: parts.waiting.filter(({ agentId }) => isShown(agentId)).toSorted((a, b) =>
      a.createdAt - b.createdAt
    )
      .filter((one, at, all) => !all.slice(0, at).some((before) => isSameSignIn(before, one))),
    slots: groups.sort((a, b) => a.first - b.first),
    downtimes: ids === undefined ? await executions.readDowntimes(time) : [],
    stopped: findStopped({ ...parts, listings }, await parts.pause.state() === "paused")
      .filter(({ agentId }) => isShown(agentId)),
    next: listings.flatMap(({ agent, nextRun }) =>
      nextRun === null || !agent.enabled ? [] : [{ agentId: agent.id, at: nextRun }]
    ).sort((a, b) => a.at - b.at),
  };
}

/** Returns the due times of a span, newest first. A series of skipped times counts at its first time. */
async function readSlots(
  agentId: string,
  { since, until }: { since: number; until: number },
  store: Pick<SqlSlotStore, "listSlots">,
): Promise<Slot[]> {
  const found: Slot[] = [];
  for (let offset = 0;; offset += SLOT_PAGE) {
    const page = await store.listSlots(agentId, { limit: SLOT_PAGE, offset });
    found.push(...page.filter(({ scheduledFor: at }) => at >= since && at < until));
    const oldest = page.at(-1);
    if (oldest === undefined || page.length < SLOT_PAGE || oldest.scheduledFor < since) {
      return found;
    }
  }
}

function groupSlots(agentId: string, slots: readonly Slot[]): SlotGroup[] {
  const groups = new Map<string, SlotGroup>();
  for (const { outcome, reason, count, scheduledFor: at } of slots.toReversed()) {
    if (outcome === "run" || reason !== null && QUIET_REASONS.has(reason)) continue;
    const group = groups.getOrInsert(`${outcome} ${reason}`, {
      agentId,
      outcome,
      reason: reason ?? "",
      count: 0,
      first: at,
      last: at,
    });
    group.count += count;
    group.last = at;
  }
  return [...groups.values()];
}

function findStopped({ listings, registry }: RecapParts, isPaused: boolean): Recap["stopped"] {
  const automatic = listings.filter(({ agent: { trigger, after } }) =>
    TRIGGER_KINDS[trigger.type].isAutomatic || after.length > 0
  );
  return [
    ...registry.broken().map(({ id, diagnostics }) => ({
      agentId: id,
      reason: `its file has an error: ${diagnostics[0]?.message ?? ""}`,
    })),
    ...listings.flatMap(({ agent: { id: agentId, warnings } }) => {
      const error = warnings.find(({ severity }) => severity === "error");
      if (error === undefined) return [];
      const reason =
        `its file has an error, and its last good definition is in use: ${error.message}`;
      return [{ agentId, reason }];
    }),
    ...automatic.flatMap(({ agent: { id: agentId, enabled }, triggerPaused }) =>
      !enabled
        ? [{ agentId, reason: "enabled: false in its file" }]
        : triggerPaused !== null
        ? [{ agentId, reason: triggerPaused }]
        : isPaused
        ? [{ agentId, reason: "the scheduler is paused" }]
        : []
    ),
  ];
}
