// Checks the sources of change triggers, and starts runs for the changes. The scheduler decides when a check is due. What a
// source contained at the last check is stored, and changes only in the transaction that accepts the run about the change.
import type { Agent } from "../../agents/agent.ts";
import { backoffMs } from "../../../base/backoff.ts";
import { sleepUnlessAborted } from "../../../base/bounded_wait.ts";
import { lazyModule } from "../../../base/lazy_module.ts";
import { beginningOf } from "../../../base/text/cut_text.ts";
import { ToolFailure } from "../../tools/failures/tool_failure.ts";
import { SLOT_REASONS, slotReasonOf } from "../../vocabulary/trigger_kinds.ts";
import { isTriggeredBy, type TriggeredAgent } from "../firing/fire.ts";
import type { SlotExtras } from "../schedule/slot_store.ts";
import type { SqlSlotStore } from "../schedule/slots.ts";
import type { SqlSettingsStore } from "../settings_store.ts";
import { checkName } from "../firing/check_setting.ts";
import type { Compared, LastCheck } from "./compare_content.ts";
import type { SourcePorts } from "./read_source.ts";

const loadComparison = lazyModule(() => import("./compare_content.ts"));
const loadSource = lazyModule(() => import("./read_source.ts"));

/** The maximum number of simultaneous checks. */
const AT_ONCE = 8;
/** The maximum length of the stored reason of a failed check. */
const MAX_REASON = 300;
const RETRY = { firstMs: 5_000, longestMs: 300_000 };

type ChangeAgent = TriggeredAgent<"change">;

/** Returns the name of an agent's lease. Of the nodes that share a database, the holder checks the agent's source. */
function checkLease(agentId: string): string {
  return `check ${agentId}`;
}

/** The collaborators of `Checks`. */
export interface ChecksPorts extends SourcePorts {
  slots: SqlSlotStore;
  remembered: SqlSettingsStore;
}

/**
 * Runs the checks of all agents, a few at a time, and at most one of each agent. The code that reads and compares sources is
 * loaded with the first check.
 */
export class Checks implements AsyncDisposable {
  readonly #ports: ChecksPorts;
  readonly #over = new AbortController();
  readonly #waiting = new Map<string, { agent: ChangeAgent; scheduledFor: number }>();
  readonly #active = new Map<string, Promise<void>>();
  /** The ids of the agents of the last reconcile(), as JSON. */
  #wanted = "[]";

  constructor(ports: ChecksPorts) {
    this.#ports = ports;
  }

  /** Requests the right to check the sources of the agents with a change trigger. */
  async reconcile(agents: readonly Agent[]): Promise<void> {
    const ids = agents.filter((agent) => isTriggeredBy(agent, "change")).map(({ id }) => id);
    const wanted = JSON.stringify(ids);
    if (wanted === this.#wanted) return;
    this.#wanted = wanted;
    await this.#ports.requestLeases("checks", ids.map(checkLease));
  }

  /** Starts a check, or lets it wait for others. Does nothing while a check of the agent runs. */
  begin(agent: ChangeAgent, scheduledFor: number): void {
    const isOurs = this.#ports.holdsLease(checkLease(agent.id)) ?? true;
    if (this.#active.has(agent.id) || !isOurs) return;
    this.#waiting.set(agent.id, { agent, scheduledFor });
    this.#next();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await Promise.all(this.#active.values());
  }

  #next(): void {
    for (const [id, { agent, scheduledFor }] of this.#waiting) {
      if (this.#active.size >= AT_ONCE || this.#over.signal.aborted) return;
      this.#waiting.delete(id);
      const work = this.#checkInTime(agent, scheduledFor).finally(() => {
        this.#active.delete(id);
        this.#next();
      });
      this.#active.set(id, work);
    }
  }

  /** Checks a source. If the database fails, tries again until the service stops. */
  async #checkInTime(agent: ChangeAgent, scheduledFor: number): Promise<void> {
    const { clock, log } = this.#ports;
    for (let failures = 1;; failures++) {
      try {
        return await this.#check(agent, scheduledFor);
      } catch (error) {
        if (this.#over.signal.aborted) return;
        log.write("error", "A check failed; tried again soon", { agent: agent.id, error });
        const ms = backoffMs(failures, RETRY);
        if (!await sleepUnlessAborted(clock, ms, this.#over.signal)) return;
      }
    }
  }

  async #check(agent: ChangeAgent, scheduledFor: number): Promise<void> {
    const { id, trigger } = agent;
    const [{ compareContent, sourceDigest }, { readSource }] = await Promise.all([
      loadComparison(),
      loadSource(),
    ]);
    const stored = await this.#ports.remembered.readSetting(checkName(id));
    const source = sourceDigest(trigger);
    const parsed: LastCheck | undefined = stored === undefined ? undefined : JSON.parse(stored);
    const last = parsed?.source === source ? parsed : undefined;
    const { signal } = this.#over;
    let compared: Compared;
    try {
      const { content, ...validators } = await readSource(agent, this.#ports, {
        known: last ?? {},
        signal,
      });
      if (content === undefined) {
        return await this.#record(agent, scheduledFor, SLOT_REASONS.unchanged);
      }
      compared = await compareContent(trigger, content, {
        last,
        base: { source, ...validators },
      });
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ToolFailure)) throw error;
      return await this.#recordFailure(agent, scheduledFor, error.message);
    }
    const after = JSON.stringify(compared.after);
    if (compared.isFirst) {
      return await this.#record(agent, scheduledFor, SLOT_REASONS.baseline, { check: after });
    }
    if (compared.found.length === 0) {
      const check = after === stored ? {} : { check: after };
      return await this.#record(agent, scheduledFor, SLOT_REASONS.unchanged, check);
    }
    await this.#startRuns(agent, scheduledFor, { before: stored ?? "", found: compared.found });
  }

  async #startRuns(
    agent: ChangeAgent,
    scheduledFor: number,
    { before, found }: { before: string; found: Compared["found"] },
  ): Promise<void> {
    const { maxRuns, each = false } = agent.trigger;
    for (const [index, { event, after }] of found.entries()) {
      if (!this.#ports.stops.admitsRun(agent, { kind: "change", maxRuns, cause: "changes" })) {
        return await this.#record(agent, scheduledFor, SLOT_REASONS.stopped);
      }
      const check = { before, after: JSON.stringify(after) };
      const isLast = index === found.length - 1;
      const fired = await this.#ports.start(agent, {
        cause: event,
        claim: { type: "check", scheduledFor, isLast, isAlone: !each, check },
      });
      // A refused run is stored as a skipped check. The next check finds the same change.
      if (fired.outcome !== "started") return;
      before = check.after;
    }
  }

  async #recordFailure(agent: ChangeAgent, scheduledFor: number, why: string): Promise<void> {
    const { id: agentId, maxFailures } = agent;
    const shown = beginningOf(
      this.#ports.redactor.redact(why.replaceAll(/\s+/g, " ")),
      MAX_REASON,
    );
    const reason = `${SLOT_REASONS.check_failed}: ${shown}`;
    let failures = { count: 1, since: scheduledFor };
    const limit = 2 * (maxFailures ?? 0);
    for (const slot of await this.#ports.slots.listSlots(agentId, { limit, offset: 0 })) {
      // The service was down, which interrupts no series of failures.
      if (slot.outcome === "missed") continue;
      if (slotReasonOf(slot.reason) !== "check_failed") break;
      failures = { count: failures.count + slot.count, since: slot.scheduledFor };
    }
    const isReported = failures.count === maxFailures;
    if (isReported) {
      const fields = { agent: agentId, checks: maxFailures, reason: why };
      this.#ports.log.write("warn", "The checks of an agent's source fail", fields);
    }
    await this.#record(agent, scheduledFor, reason, isReported ? { reported: failures } : {});
  }

  async #record(
    { id: agentId }: Agent,
    scheduledFor: number,
    reason: string,
    more: Omit<SlotExtras, "lastSlot"> = {},
  ): Promise<void> {
    const row = { agentId, scheduledFor, outcome: "skipped", reason, executionId: null } as const;
    await this.#ports.slots.recordSlots([{ ...row, count: 1, lastSlot: scheduledFor, ...more }]);
  }
}
