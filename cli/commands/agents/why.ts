// why: says of an agent and a time why it ran or did not, and what to do about it.
import { MINUTE_MS } from "../../../base/time_units.ts";
import type { Client } from "../../../server/client.ts";
import type { AgentSummary } from "../../../server/schemas/agent_schemas.ts";
import type { ListedExecution } from "../../../server/schemas/execution_schemas.ts";
import type { SlotBody } from "../../../server/schemas/scheduler_schemas.ts";
import { readMomentOption } from "../../command_line/moment.ts";
import type { CommandContext } from "../../context.ts";
import { EXIT, type ExitCode } from "../../exit.ts";
import { toOneLine } from "../../output/sanitise.ts";
import { formatLocal } from "../../output/time.ts";
import { describeTrigger } from "../../output/trigger_text.ts";
import { openReader } from "../../service/connection.ts";
import { orUnknownAgent } from "../../unknown_agent.ts";

/** Due times that are looked through. */
const SLOTS = 500;

/** What became of an agent at a time, and what a person can do. */
export interface Explanation {
  agent_id: string;
  /** ISO 8601; null where the agent has never been due. */
  at: string | null;
  reason: string;
  /** Null where there is nothing to do. */
  remedy: string | null;
  execution_id: number | null;
}

/** Shows an explanation. Without a time it is about the last time that the agent ran or should have run. */
export async function why(
  context: CommandContext,
  agentId: string,
  time: string | undefined,
  options: { json?: true },
): Promise<ExitCode> {
  const { app, output } = context;
  const at = readMomentOption("The time", time, app.clock.now());
  await using reader = await openReader(app, context.workspace);
  const { client } = reader;
  const explanation = await orUnknownAgent(explain(client, agentId, at), { app, client, agentId });
  if (options.json) output.json(explanation);
  else {
    output.sentence(toOneLine(explanation.reason));
    if (explanation.remedy !== null) output.sentence(toOneLine(explanation.remedy));
  }
  return EXIT.ok;
}

/** Throws ApiError 404 for an agent that is not there. */
export async function explain(
  client: Client,
  agentId: string,
  at: number | undefined,
): Promise<Explanation> {
  const agent = await client.agent(agentId);
  const found = await findEvent(client, agent.id, at);
  const base = { agent_id: agent.id, at: found?.at ?? toText(at), execution_id: null };
  if (found !== undefined && "execution" in found) {
    const { execution } = found;
    return { ...base, execution_id: execution.id, ...describeExecution(execution) };
  }
  // What holds now explains a time without a trace, and the want of any time at all.
  const state = found === undefined ? await describeState(client, agent, at) : undefined;
  if (state !== undefined) return { ...base, ...state };
  if (found !== undefined) return { ...base, ...describeSlot(agent.id, found.slot) };
  return {
    ...base,
    reason: at === undefined
      ? `${agent.id} has not been due yet: ${describeTrigger(agent)}` + describeNext(agent)
      : `${agent.id} was not due at ${toMinute(at)}: ${describeTrigger(agent)}${
        describeNext(agent)
      }`,
    remedy: agent.trigger_type === "manual"
      ? `It runs when it is asked to: inkling run ${agent.id}. A trigger in its file runs it by itself`
      : null,
  };
}

type Found = { at: string } & ({ execution: ListedExecution } | { slot: SlotBody });

/** What is recorded of that minute; without a time, the last thing that is. */
async function findEvent(
  client: Client,
  agentId: string,
  at: number | undefined,
): Promise<Found | undefined> {
  const minute = at === undefined ? undefined : at - at % MINUTE_MS;
  const [execution] = await client.executions({
    agent: agentId,
    limit: 1,
    ...(minute !== undefined && {
      since: new Date(minute).toISOString(),
      until: new Date(minute + MINUTE_MS).toISOString(),
    }),
  });
  const slots = (await client.slots(agentId, { limit: SLOTS }))
    .filter(({ outcome }) => outcome !== "run");
  const slot = minute === undefined ? slots[0] : slots.find((one) => covers(one, minute, slots));
  const begun = execution === undefined ? -Infinity : Date.parse(execution.started_at);
  const due = slot === undefined ? -Infinity : Date.parse(slot.scheduled_for);
  if (slot !== undefined && due > begun) return { at: slot.scheduled_for, slot };
  return execution && { at: execution.started_at, execution };
}

/** Several due times in a row that were skipped for one reason stand as one, under the first; the next row ends it. */
function covers(slot: SlotBody, minute: number, slots: readonly SlotBody[]): boolean {
  const from = Date.parse(slot.scheduled_for);
  if (from >= minute && from < minute + MINUTE_MS) return true;
  if (slot.count === 1 || from > minute) return false;
  const next = slots[slots.indexOf(slot) - 1];
  return next === undefined || Date.parse(next.scheduled_for) > minute;
}

function describeExecution(
  execution: ListedExecution,
): Pick<Explanation, "reason" | "remedy"> {
  const { id, agent_id: agent, status, error, started_at: at, trigger } = execution;
  const ran = `${agent} ran at ${toMinute(Date.parse(at))} (execution ${id}, ${trigger})`;
  const text = error?.trim().split("\n", 1)[0];
  switch (status) {
    case "success":
      return { reason: `${ran} and succeeded`, remedy: null };
    case "running":
      return { reason: `${ran} and still runs`, remedy: `Watch it: inkling watch ${id}` };
    case "waiting":
      return {
        reason: `${ran} and waits for your answer`,
        remedy: `Answer: inkling respond ${id}`,
      };
    default:
      return {
        reason: `${ran} and ended with ${status}: ${text}`,
        remedy: `What happened: inkling logs -e ${id}`,
      };
  }
}

/** What to do about a time that passed without a run, by its reason. */
const REMEDIES: readonly [RegExp, (agentId: string) => string][] = [
  [
    /waiting for an answer/,
    () => 'Answer what waits ("inkling pending"), or write on_pending: parallel',
  ],
  [
    /still running/,
    (id) => `Give it more time between runs, or end the one that runs: inkling logs ${id}`,
  ],
  [/paused/, () => "The scheduler was paused; the page of inkling ui resumes it"],
  [
    /not running/,
    () => "Keep the service running (inkling setup), or write catch_up: once in its trigger",
  ],
];

function describeSlot(
  agentId: string,
  { scheduled_for: at, outcome, reason, count }: SlotBody,
): Pick<Explanation, "reason" | "remedy"> {
  const times = count === 1 ? "" : `, as ${count - 1} more times after it`;
  const text = `${agentId} was due at ${
    toMinute(Date.parse(at))
  } and ${outcome}${times}: ${reason}`;
  return {
    reason: text,
    remedy: REMEDIES.find(([known]) => known.test(reason ?? ""))?.[1](agentId) ?? null,
  };
}

/** Why the agent does not run by itself at all, or did not while no service ran. */
async function describeState(
  client: Client,
  agent: AgentSummary,
  at: number | undefined,
): Promise<Pick<Explanation, "reason" | "remedy"> | undefined> {
  const { id, enabled, trigger_type: trigger, trigger_paused: stopped } = agent;
  if (!enabled) {
    return {
      reason: `${id} is disabled: enabled: false in its file`,
      remedy: "Take that line out",
    };
  }
  if (stopped !== null) {
    return {
      reason: `${id} was stopped: ${stopped}`,
      remedy: "Mend the cause, then save its file",
    };
  }
  if (at !== undefined) {
    const { downtimes } = await client.recap({ since: new Date(at).toISOString() });
    const down = downtimes.find(({ from, to }) =>
      (from === null || Date.parse(from) <= at) && Date.parse(to) > at
    );
    if (down !== undefined && trigger !== "manual") {
      const from = down.from === null ? "some time" : toMinute(Date.parse(down.from));
      const reason = `The service was not running from ${from} to ${toMinute(Date.parse(down.to))}`;
      return { reason, remedy: "Keep the service running: inkling setup offers it" };
    }
  }
  const { scheduler_status: scheduler } = await client.info();
  if (scheduler === "paused" && trigger !== "manual") {
    return {
      reason: "The scheduler is paused: nothing runs by itself",
      remedy: "The page of inkling ui resumes it",
    };
  }
  return undefined;
}

function describeNext({ next_run: next }: AgentSummary): string {
  return next === null ? "" : `, next ${toMinute(Date.parse(next))}`;
}

function toText(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}

function toMinute(at: number): string {
  return formatLocal(new Date(at).toISOString()).slice(0, -3);
}
