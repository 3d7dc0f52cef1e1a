// Formats the sentences of `inkling why`: the reason for an event or a state, and what the user can do.
import { isAutomatic } from "../triggers.ts";
import { slotReasonOf } from "../../runtime/vocabulary/trigger_kinds.ts";
import { formatPlural } from "../../base/text/plural.ts";
import { toPauseWords } from "../../base/text/rest_words.ts";
import { toLabelWords } from "../../base/text/label_words.ts";
import { firstLine } from "../visible_text.ts";
import type { AgentDetail } from "../../api/schemas/agent_schemas.ts";
import type { AgentErrorBody } from "../../api/schemas/diagnostic_schemas.ts";
import type { ListedExecution } from "../../api/schemas/execution_schemas.ts";
import type { InfoBody } from "../../api/schemas/info_schemas.ts";
import type { RecapBody } from "../../api/schemas/report_schemas.ts";
import type { SlotBody } from "../../api/schemas/scheduler_schemas.ts";
import { errorsOf } from "../../base/diagnostics.ts";
import { formatMinute } from "../local_time.ts";
import { describeHeld, describeSetBack } from "../trigger_notes.ts";

/** A reason, and what the user can do; `remedy` is null if there is nothing to do. */
export interface Reason {
  reason: string;
  remedy: string | null;
}

/** An execution that waits or waited for an answer. `question` is null if it has been answered. */
export interface Waiting {
  execution: Pick<ListedExecution, "id" | "status">;
  question: string | null;
}

/** Returns a sentence about the waiting execution, such as `execution 12 waits for your answer: "Allow file_write?"`. */
function describeWaiting({ execution: { id, status }, question }: Waiting): string {
  return question === null
    ? `execution ${id} was waiting for an answer then, and has since ended with ${status}`
    : `execution ${id} waits for your answer: "${question}"`;
}

/** Returns the reason if the execution waits for a node with certain labels, otherwise undefined. */
function explainLabels(
  { id, waits_for_labels: labels }: ListedExecution,
): Reason | undefined {
  if (labels === undefined) return undefined;
  return {
    reason: `execution ${id} waits for a node with ${toLabelWords(labels)}`,
    remedy: `Start a node with "node: {labels: [${labels.join(", ")}]}" in its config.yaml, ` +
      `or cancel the execution: inkling cancel ${id}`,
  };
}

/** Explains an execution by its status. `question` is its open question, or null. */
export function explainExecution(execution: ListedExecution, question: string | null): Reason {
  const { id, agent_id: agent, status, error, started_at: at, trigger } = execution;
  const unserved = explainLabels(execution);
  if (unserved !== undefined) {
    const due = `${agent} was due at ${formatMinute(at)} (${trigger})`;
    return { ...unserved, reason: `${due}, but ${unserved.reason}` };
  }
  const ran = `${agent} ran at ${formatMinute(at)} (execution ${id}, ${trigger})`;
  switch (status) {
    case "success":
      return { reason: `${ran} and succeeded`, remedy: null };
    case "running": {
      const pause = toPauseWords(execution);
      return {
        reason: `${ran} and ${pause ?? "is still running"}`,
        remedy: pause === undefined
          ? `Follow it: inkling watch ${id}`
          : `Continue it now: inkling wake ${id}`,
      };
    }
    case "waiting":
      return {
        reason: `${ran} and waits for your answer` + (question === null ? "" : `: "${question}"`),
        remedy: `Answer: inkling respond ${id}`,
      };
    default:
      return explainFailure(`${ran} and ended with ${status}`, id, firstLine(error ?? ""));
  }
}

/** Explains a failed execution. If the error is about a key, its text already contains the remedy. */
function explainFailure(ended: string, id: number, error: string): Reason {
  const more = `See what happened: inkling logs -e ${id}`;
  const [why = "", remedy] = error.split(/; (?=add the line |correct it in )/);
  return {
    reason: `${ended}: ${why}`,
    remedy: remedy === undefined ? more : `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}`,
  };
}

/** The facts that explain a past due time without a run. */
export interface SlotSurroundings {
  waiting: Waiting | undefined;
  /** A running execution that waits for a node with certain labels. */
  unserved: ListedExecution | undefined;
  downtime: RecapBody["downtimes"][number] | undefined;
  scheduler: InfoBody["scheduler_status"];
}

/** Explains why a file change did not start the agent. */
export function explainPassedOver(
  agentId: string,
  { path, at, count }: NonNullable<AgentDetail["passed_over"]>,
): Reason {
  const others = count === 1 ? "" : ` (and ${formatPlural(count - 1, "more time")} before)`;
  return {
    reason: `${path} was written at ${formatMinute(at)} with the same content, ` +
      `so ${agentId} was not started${others}`,
    remedy: "To start it anyway, set same_content: true in its trigger",
  };
}

/** Returns true if the reason is the result of a check by a change trigger that started no run. */
export function isCheck(reason: string | null): boolean {
  const code = slotReasonOf(reason);
  return code === "check_failed" || code === "unchanged" || code === "baseline";
}

/** Explains why a mail did not start the agent. */
export function explainPassedMail(
  agentId: string,
  { from, subject, at, reason }: NonNullable<AgentDetail["passed_mail"]>,
): Reason {
  return {
    reason: `The mail ${JSON.stringify(subject)} from ${from}, read at ${formatMinute(at)}, ` +
      `did not start ${agentId}: ${reason}`,
    remedy: null,
  };
}

/** Explains why no run started at a due time. */
export function explainSlot(
  agentId: string,
  { scheduled_for: at, outcome, reason, count }: SlotBody,
  { waiting, unserved, downtime, scheduler }: SlotSurroundings,
): Reason {
  const times = count === 1 ? "" : ` (and ${formatPlural(count - 1, "more time")} after)`;
  const toReason = (why: string, remedy: string | null): Reason => ({
    reason: `${agentId} was due at ${formatMinute(at)} and was ${outcome}${times}: ${why}`,
    remedy,
  });
  const recorded = reason ?? "";
  const code = slotReasonOf(reason);
  if (isCheck(reason)) {
    const failed = `Try the address or the command yourself; ${agentId} runs at the next change`;
    return {
      reason: `${agentId} checked its source at ${formatMinute(at)}${times}: ${recorded}`,
      remedy: code === "check_failed" ? failed : null,
    };
  }
  if (code === "stopped") {
    return toReason(recorded, `Fix the cause, then resume it: inkling resume ${agentId}`);
  }
  if (code === "waiting") {
    if (waiting === undefined) {
      return toReason(recorded, `Answer the open question ("inkling pending"); ${PARALLEL}`);
    }
    const answer = waiting.question === null
      ? `Next time answer sooner ("inkling pending"); ${PARALLEL}`
      : `Answer: inkling respond ${waiting.execution.id}; ${PARALLEL}`;
    return toReason(`${recorded}: ${describeWaiting(waiting)}`, answer);
  }
  if (code === "running") {
    const unclaimed = unserved && explainLabels(unserved);
    if (unclaimed !== undefined) return toReason(unclaimed.reason, unclaimed.remedy);
    const remedy = "Increase the time between runs, or cancel the running one: inkling logs";
    return toReason(recorded, `${remedy} ${agentId}`);
  }
  if (code === "paused") {
    return toReason(
      "the scheduler was paused",
      scheduler === "paused" ? RESUME : "It has been resumed since; there is nothing to do",
    );
  }
  if (code === "down") {
    const span = downtime === undefined ? "" : ` ${describeDowntime(downtime)}`;
    const remedy =
      'Keep the service running ("inkling setup"), or set catch_up: once in its trigger';
    return toReason(`${recorded}${span}`, remedy);
  }
  if (code === "budget") {
    const remedy = `Raise it (inkling budget ${agentId} --raise 1.00), or wait until it resets`;
    return toReason(recorded, remedy);
  }
  return toReason(recorded, null);
}

/**
 * Returns the span of a downtime as text, such as `from 2026-01-01 04:10 to 2026-01-01 05:10` or `until 2026-01-01 05:10`.
 */
function describeDowntime({ from, to }: RecapBody["downtimes"][number]): string {
  return from === null
    ? `until ${formatMinute(to)}`
    : `from ${formatMinute(from)} to ${formatMinute(to)}`;
}

/** Explains a time at which a trigger could have fired, but no service was running. */
export function explainDowntime(downtime: RecapBody["downtimes"][number]): Reason {
  return {
    reason: `The service was not running ${describeDowntime(downtime)}`,
    remedy: 'Keep the service running ("inkling setup")',
  };
}

const RESUME = 'Resume it on the Schedule page of "inkling ui"';
const PARALLEL = "to let it run meanwhile, set on_pending: parallel in its file";

/** The facts that explain the current state of an agent. */
export interface AgentSurroundings {
  /** True if a service runs, on this or another machine. */
  isService: boolean;
  scheduler: InfoBody["scheduler_status"];
  /** The waiting execution of the agent that blocks its other runs; undefined if no execution blocks them. */
  waiting: Waiting | undefined;
}

/** Returns the reason why the agent's triggers do not fire now, or undefined if they fire. */
export function explainState(agent: AgentDetail, around: AgentSurroundings): Reason | undefined {
  const { id, enabled, trigger_paused: stopped } = agent;
  const { isService, scheduler, waiting } = around;
  if (!enabled) {
    const copy = agent.warnings.find(({ message }) => /^This is a copy of /.test(message));
    if (copy !== undefined) return { reason: `${id}: ${copy.message}`, remedy: copy.hint };
    return {
      reason: `${id} is disabled: enabled: false in its file`,
      remedy: "Remove that line",
    };
  }
  if (stopped !== null) {
    return {
      reason: `The trigger of ${id} is paused: ${stopped}`,
      remedy: `Fix the cause, then resume it: inkling resume ${id}`,
    };
  }
  if (!isAutomatic(agent)) return undefined;
  if (!isService) {
    return {
      reason: `The service is not running, so the trigger of ${id} does not fire`,
      remedy: '"inkling start -d" starts it; "inkling setup" offers to start it at boot',
    };
  }
  if (agent.trigger_held !== undefined) {
    return { reason: describeHeld([agent], agent.trigger_held), remedy: null };
  }
  if (scheduler === "paused") {
    return { reason: "The scheduler is paused, so no trigger fires", remedy: RESUME };
  }
  if (waiting === undefined) {
    if (agent.ran_until === undefined) return undefined;
    return { reason: describeSetBack(agent), remedy: null };
  }
  const effect = agent.trigger_type === "watch"
    ? "file changes are queued"
    : "its other runs are skipped";
  return {
    reason: `Until you answer, ${effect}: ${describeWaiting(waiting)}`,
    remedy: `Answer: inkling respond ${waiting.execution.id}; ${PARALLEL}`,
  };
}

/**
 * Explains an agent file with errors. If `isLive` is true, the agent runs with the last valid version of its file.
 * Otherwise no such agent exists.
 */
export function explainBroken(
  { id, path, diagnostics }: AgentErrorBody,
  { isLive }: { isLive: boolean },
): Reason {
  const [first] = errorsOf(diagnostics);
  const problem = first === undefined ? "it is invalid" : `line ${first.line}: ${first.message}`;
  const use = isLive ? ", so its last good definition is in use" : ", so it never runs";
  return {
    reason: `The file of ${id} does not parse${use}: ${problem}`,
    remedy: `Fix ${path}${first === undefined ? "" : `, line ${first.line}`}; ` +
      `"inkling validate ${id}" lists every error`,
  };
}
