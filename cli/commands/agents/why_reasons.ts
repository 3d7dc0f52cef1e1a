// What `why` says of one thing that happened or holds: one sentence why, and one what to do.
import { formatPlural } from "../../../base/text/plural.ts";
import { toRetryWords } from "../../../base/text/retry_words.ts";
import { toLabelWords } from "../../../base/text/label_words.ts";
import { firstLine } from "../../../present/visible_text.ts";
import type { AgentDetail } from "../../../api/schemas/agent_schemas.ts";
import type { AgentErrorBody } from "../../../api/schemas/diagnostic_schemas.ts";
import type { ListedExecution } from "../../../api/schemas/execution_schemas.ts";
import type { InfoBody } from "../../../api/schemas/info_schemas.ts";
import type { RecapBody } from "../../../api/schemas/report_schemas.ts";
import type { SlotBody } from "../../../api/schemas/scheduler_schemas.ts";
import { errorsOf } from "../../output/problems.ts";
import { formatMinute } from "../../output/time.ts";
import { describeHeld, describeSetBack, isAutomatic } from "../../output/trigger_text.ts";

/** Why, and what to do; null where there is nothing to do. */
export interface Reason {
  reason: string;
  remedy: string | null;
}

/** An execution that waits or waited for a person, and its question while that is open. */
export interface Waiting {
  execution: Pick<ListedExecution, "id" | "status">;
  question: string | null;
}

/** `execution 12, which waits for your answer: "Allow file_write?"`. */
function describeWaiting({ execution: { id, status }, question }: Waiting): string {
  return question === null
    ? `execution ${id} was waiting for an answer then, and has ended with ${status}`
    : `execution ${id} waits for your answer: "${question}"`;
}

/** That no living node may run an execution, and what to do; undefined where it waits for none. */
function explainLabels(
  { id, waits_for_labels: labels }: ListedExecution,
): Reason | undefined {
  if (labels === undefined) return undefined;
  return {
    reason: `execution ${id} waits for a node with ${toLabelWords(labels)}`,
    remedy: `Start a node with "node: {labels: [${labels.join(", ")}]}" in its config.yaml, ` +
      `or end it: inkling cancel ${id}`,
  };
}

/** How an execution came out. `question`: what it asks now. */
export function explainExecution(execution: ListedExecution, question: string | null): Reason {
  const { id, agent_id: agent, status, error, started_at: at, trigger, retry } = execution;
  const unserved = explainLabels(execution);
  if (unserved !== undefined) {
    const { reason, remedy } = unserved;
    return {
      reason: `${agent} was to run at ${formatMinute(at)} (${trigger}), and ${reason}`,
      remedy,
    };
  }
  const ran = `${agent} ran at ${formatMinute(at)} (execution ${id}, ${trigger})`;
  switch (status) {
    case "success":
      return { reason: `${ran} and succeeded`, remedy: null };
    case "running": {
      const state = retry === undefined ? "still runs" : toRetryWords(retry);
      return { reason: `${ran} and ${state}`, remedy: `Watch it: inkling watch ${id}` };
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

/** A missing or wrong key says itself what to do, and where. */
function explainFailure(ended: string, id: number, error: string): Reason {
  const more = `What happened: inkling logs -e ${id}`;
  const [why = "", remedy] = error.split(/; (?=add the line |correct it in )/);
  return {
    reason: `${ended}: ${why}`,
    remedy: remedy === undefined ? more : `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}`,
  };
}

/** What is known about a due time that passed, beside its record. */
export interface SlotSurroundings {
  waiting: Waiting | undefined;
  /** One that still runs, by what is stored, and that no living node may run. */
  unserved: ListedExecution | undefined;
  downtime: RecapBody["downtimes"][number] | undefined;
  scheduler: InfoBody["scheduler_status"];
}

/** Why a change of a file started nothing. */
export function explainPassedOver(
  agentId: string,
  { path, at, count }: NonNullable<AgentDetail["passed_over"]>,
): Reason {
  const others = count === 1 ? "" : `, as ${formatPlural(count - 1, "more time")} before it`;
  return {
    reason: `${path} was written at ${formatMinute(at)} with the same content, ` +
      `so that ${agentId} was not started${others}`,
    remedy: "same_content: true in its trigger starts it all the same",
  };
}

/** Why a due time passed without a run. */
export function explainSlot(
  agentId: string,
  { scheduled_for: at, outcome, reason, count }: SlotBody,
  { waiting, unserved, downtime, scheduler }: SlotSurroundings,
): Reason {
  const times = count === 1 ? "" : `, as ${formatPlural(count - 1, "more time")} after it`;
  const say = (why: string, remedy: string | null): Reason => ({
    reason: `${agentId} was due at ${formatMinute(at)} and ${outcome}${times}: ${why}`,
    remedy,
  });
  const recorded = reason ?? "";
  if (/^its trigger is stopped/.test(recorded)) {
    return say(recorded, `Fix the cause, then resume it: inkling resume ${agentId}`);
  }
  if (/waiting for an answer/.test(recorded)) {
    const parallel = "on_pending: parallel in its file lets it run meanwhile";
    if (waiting === undefined) {
      return say(recorded, `Answer what waits ("inkling pending"); ${parallel}`);
    }
    const answer = waiting.question === null
      ? `Next time answer sooner ("inkling pending"); ${parallel}`
      : `Answer: inkling respond ${waiting.execution.id}; ${parallel}`;
    return say(`${recorded}: ${describeWaiting(waiting)}`, answer);
  }
  if (/still running/.test(recorded)) {
    const unclaimed = unserved && explainLabels(unserved);
    if (unclaimed !== undefined) return say(unclaimed.reason, unclaimed.remedy);
    const remedy = "Give it more time between runs, or end the one that runs: inkling logs";
    return say(recorded, `${remedy} ${agentId}`);
  }
  if (/paused/.test(recorded)) {
    return say(
      "the scheduler was paused",
      scheduler === "paused" ? RESUME : "It has been resumed since; there is nothing to do",
    );
  }
  if (/not running/.test(recorded)) {
    const span = downtime === undefined ? "" : ` ${describeDowntime(downtime)}`;
    const remedy =
      "Keep the service running (inkling setup), or write catch_up: once in its trigger";
    return say(`${recorded}${span}`, remedy);
  }
  if (/budget .*used up/.test(recorded)) {
    const remedy = `Allow more (inkling budget ${agentId} --raise 1.00), or wait until it resets`;
    return say(recorded, remedy);
  }
  return say(recorded, null);
}

/** `from 2026-01-01 04:10 to 2026-01-01 05:10`. */
function describeDowntime({ from, to }: RecapBody["downtimes"][number]): string {
  return `from ${from === null ? "some time on" : formatMinute(from)} to ${formatMinute(to)}`;
}

/** That no service ran at a time at which the agent might have fired. */
export function explainDowntime(downtime: RecapBody["downtimes"][number]): Reason {
  return {
    reason: `The service was not running ${describeDowntime(downtime)}`,
    remedy: "Keep the service running: inkling setup offers it",
  };
}

const RESUME = 'Resume it on the page Schedule of "inkling ui"';

/** What is known about an agent as it is now. */
export interface AgentSurroundings {
  /** Whether a service runs. */
  isService: boolean;
  scheduler: InfoBody["scheduler_status"];
  /** What of it waits for a person, where it runs nothing else until then. */
  waiting: Waiting | undefined;
}

/** Why the agent does not run by itself now; undefined where nothing keeps it from that. */
export function explainState(agent: AgentDetail, around: AgentSurroundings): Reason | undefined {
  const { id, enabled, trigger_paused: stopped } = agent;
  const { isService, scheduler, waiting } = around;
  if (!enabled) {
    const copy = agent.warnings.find(({ message }) => /^This is a copy of /.test(message));
    if (copy !== undefined) return { reason: `${id}: ${copy.message}`, remedy: copy.hint };
    return {
      reason: `${id} is disabled: enabled: false in its file`,
      remedy: "Take that line out",
    };
  }
  if (stopped !== null) {
    return {
      reason: `${id} was stopped: ${stopped}`,
      remedy: `Fix the cause, then resume it: inkling resume ${id}`,
    };
  }
  if (!isAutomatic(agent)) return undefined;
  if (!isService) {
    return {
      reason: `No service runs, so that ${id} does not fire`,
      remedy: '"inkling start -d" starts it; "inkling setup" offers to start it with the machine',
    };
  }
  if (agent.trigger_held !== undefined) {
    return { reason: describeHeld([agent], agent.trigger_held), remedy: null };
  }
  if (scheduler === "paused") {
    return { reason: "The scheduler is paused: nothing runs by itself", remedy: RESUME };
  }
  if (waiting === undefined) {
    if (agent.ran_until === undefined) return undefined;
    return { reason: describeSetBack(agent), remedy: null };
  }
  const what = agent.trigger_type === "watch" ? "what changes meanwhile is held" : "it is skipped";
  return {
    reason: `${id} runs nothing else until then, and ${what}: ${describeWaiting(waiting)}`,
    remedy: `Answer: inkling respond ${waiting.execution.id}; ` +
      "on_pending: parallel in its file lets it run meanwhile",
  };
}

/** Why there is no agent of this id although there is a file, or why it runs otherwise than its file says now. */
export function explainBroken(
  { id, path, diagnostics }: AgentErrorBody,
  { isLive }: { isLive: boolean },
): Reason {
  const [first] = errorsOf(diagnostics);
  const problem = first === undefined ? "it is broken" : `line ${first.line}: ${first.message}`;
  const use = isLive ? ", and its last good definition is in use" : ", so that it never runs";
  return {
    reason: `The file of ${id} does not parse${use}: ${problem}`,
    remedy: `Mend ${path}${first === undefined ? "" : `, line ${first.line}`}; ` +
      `"inkling validate ${id}" shows all that is wrong`,
  };
}
