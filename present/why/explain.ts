// Explains why an agent ran or did not run at a time, and says what the user can do.
import { describeTrigger, isAutomatic } from "../triggers.ts";
import { firstLine } from "../visible_text.ts";
import { DAY_MS, MINUTE_MS } from "../../base/time_units.ts";
import { ApiError, type Client, orMissing } from "../../api/client/client.ts";
import type { AgentDetail } from "../../api/schemas/agent_schemas.ts";
import type { AgentErrorBody } from "../../api/schemas/diagnostic_schemas.ts";
import type { ListedExecution } from "../../api/schemas/execution_schemas.ts";
import type { RecapBody } from "../../api/schemas/report_schemas.ts";
import type { SlotBody } from "../../api/schemas/scheduler_schemas.ts";
import { slotReasonOf } from "../../runtime/vocabulary/trigger_kinds.ts";
import { errorsOf } from "../../base/diagnostics.ts";
import { formatMinute } from "../local_time.ts";
import {
  explainBroken,
  explainDowntime,
  explainExecution,
  explainPassedMail,
  explainPassedOver,
  explainSlot,
  explainState,
  type Reason,
  type Waiting,
} from "./reasons.ts";

/** The maximum number of due times that are searched. */
const SLOTS = 500;
/** The maximum number of earlier executions in which the execution that blocked a run is searched. */
const EARLIER = 50;

/** The explanation of an event or a state: the reason, and what the user can do. */
export interface Explanation extends Reason {
  agent_id: string;
  /** The explained time as ISO 8601; null if the agent has never been due. */
  at: string | null;
  execution_id: number | null;
  /** The checks of the last day by a change trigger, newest first. A record with a count covers equal checks in a row. */
  checks?: SlotBody[];
}

/** Returns the explanation. Throws ApiError 404 if neither an agent nor an agent file has this id. */
export async function explain(
  client: Client,
  agentId: string,
  at: number | undefined,
  { isService }: { isService: boolean } = { isService: true },
): Promise<Explanation> {
  const { agent, broken } = await findAgent(client, agentId);
  const id = agent?.id ?? agentId;
  const found = findPassedOver(agent, at, await findEvent(client, id, at));
  const base = {
    agent_id: id,
    at: found?.at ?? (at === undefined ? null : new Date(at).toISOString()),
    execution_id: found !== undefined && "execution" in found ? found.execution.id : null,
    ...(agent?.trigger_type === "change" && at === undefined && {
      checks: await readChecks(client, agent),
    }),
  };
  const event = found && await explainEvent(client, id, found);
  // If a time is given, the event alone explains it. Otherwise the agent's current state is explained, too.
  if (event !== undefined && at !== undefined) return { ...base, ...event };
  if (agent === undefined) {
    return { ...base, ...combine(broken && explainBroken(broken, { isLive: false }), event) };
  }
  const state = await explainAgent(client, agent, {
    at,
    lastId: base.execution_id,
    isService,
    broken,
  });
  if (state !== undefined || event !== undefined) return { ...base, ...combine(state, event) };
  const when = at === undefined
    ? `${id} has never been due`
    : `${id} was not due at ${formatMinute(new Date(at).toISOString())}`;
  const next = agent.next_run === null ? "" : `, next ${formatMinute(agent.next_run)}`;
  return {
    ...base,
    reason: `${when}: its trigger is ${describeTrigger(agent, "terse")}${next}`,
    remedy: agent.trigger_type === "manual"
      ? `Run it: inkling run ${id}. To run it automatically, add a trigger to its file`
      : null,
  };
}

/** Returns the checks of the last day of an agent, up to its newest one. */
async function readChecks(client: Client, { id }: AgentDetail): Promise<SlotBody[]> {
  const checks = await client.slots(id, { limit: SLOTS });
  const newest = Date.parse(checks[0]?.scheduled_for ?? "");
  return checks.filter(({ scheduled_for: at }) => Date.parse(at) > newest - DAY_MS);
}

/**
 * Returns the agent, and the errors of its file. Throws ApiError 404 if there is neither an agent nor a file with this id.
 */
async function findAgent(
  client: Client,
  agentId: string,
): Promise<{ agent: AgentDetail | undefined; broken: AgentErrorBody | undefined }> {
  const asked = await client.agent(agentId).catch((error) => {
    if (error instanceof ApiError && error.status === 404) return error;
    throw error;
  });
  const { agent_errors: never, agent_warnings: since } = await client.info();
  const agent = asked instanceof ApiError ? undefined : asked;
  const broken = agent === undefined
    ? never.find(({ id }) => id === agentId)
    : since.find(({ id, diagnostics }) =>
      id === agent.id && errorsOf(diagnostics).some(({ path }) => path === agent.source_path)
    );
  if (asked instanceof ApiError && broken === undefined) throw asked;
  return { agent, broken };
}

/** Returns a reason that consists of the current state's reason, followed by the last event's reason. */
function combine(state: Reason | undefined, event: Reason | undefined): Reason {
  if (state === undefined) return event ?? { reason: "", remedy: null };
  if (event === undefined) return state;
  return { reason: `${state.reason}. Before that, ${event.reason}`, remedy: state.remedy };
}

/**
 * Returns the reason why an agent did not run at the time `at`, for which there is no record. If `at` is undefined, returns
 * the reason why the agent does not run now. Returns undefined if nothing prevents runs.
 */
async function explainAgent(
  client: Client,
  agent: AgentDetail,
  { at, lastId, isService, broken }: {
    at: number | undefined;
    lastId: number | null;
    isService: boolean;
    broken: AgentErrorBody | undefined;
  },
): Promise<Reason | undefined> {
  const { id, on_pending: onPending } = agent;
  if (at !== undefined && isAutomatic(agent) && agent.trigger_paused === null) {
    const downtime = await findDowntime(client, at);
    if (downtime !== undefined) return explainDowntime(downtime);
  }
  const info = await client.info();
  const waiting = onPending === "skip" ? await findWaiting(client, id, at) : undefined;
  // The explanation of the last event already contains the question of that execution.
  const isHeld = waiting?.question != null && waiting.execution.id !== lastId;
  const state = explainState(agent, {
    isService: isService || (info.nodes ?? []).some(({ alive }) => alive),
    scheduler: info.scheduler_status,
    waiting: isHeld ? waiting : undefined,
  });
  return state ?? (broken && explainBroken(broken, { isLive: true }));
}

async function findDowntime(
  client: Client,
  at: number,
): Promise<RecapBody["downtimes"][number] | undefined> {
  const { downtimes } = await client.recap({ since: new Date(at).toISOString() });
  return downtimes.find(({ from, to }) =>
    (from === null || Date.parse(from) <= at) && Date.parse(to) > at
  );
}

/**
 * Returns the newest execution that blocks the agent because it waits for an answer. With `at`, returns the execution that
 * blocked the agent at that time.
 */
async function findWaiting(
  client: Client,
  agentId: string,
  at: number | undefined,
): Promise<Waiting | undefined> {
  const filter = {
    agent: agentId,
    limit: EARLIER,
    ...(at !== undefined && { until: new Date(at + 1).toISOString() }),
  };
  const open = await client.executions({ ...filter, status: ["waiting"] });
  const waits = open.find(holdsOthers);
  if (waits !== undefined) return { execution: waits, question: await readQuestion(client, waits) };
  if (at === undefined) return undefined;
  const waited = (await client.executions(filter)).find((one) =>
    holdsOthers(one) && one.finished_at !== null && Date.parse(one.finished_at) > at
  );
  return waited && { execution: waited, question: null };
}

/** Returns the newest running execution that waits for a node, because no live node has the labels that it needs. */
async function findUnserved(client: Client, agentId: string): Promise<ListedExecution | undefined> {
  const running = await client.executions({
    agent: agentId,
    status: ["running"],
    limit: EARLIER,
  });
  return running.find(({ waits_for_labels: labels }) => labels !== undefined);
}

/** Returns whether a waiting execution blocks other runs of its agent. Executions of chats and delegations block none. */
function holdsOthers({ trigger, session_id: session }: ListedExecution): boolean {
  return session === null && trigger !== "chat" && trigger !== "agent";
}

/** Returns the first line of an execution's open question, or null if the question has been answered. */
async function readQuestion(client: Client, { id }: ListedExecution): Promise<string | null> {
  try {
    return firstLine((await client.pending(id)).message);
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

type PassedOver = NonNullable<AgentDetail["passed_over"] | AgentDetail["passed_mail"]>;
type Found =
  & { at: string }
  & ({ execution: ListedExecution } | { slot: SlotBody } | { passed: PassedOver });

/** Returns the ignored file change or mail in the named minute if it is newer than `found`, otherwise `found`. */
function findPassedOver(
  agent: AgentDetail | undefined,
  at: number | undefined,
  found: Found | undefined,
): Found | undefined {
  const passed = agent?.passed_mail ?? agent?.passed_over ?? null;
  if (passed === null) return found;
  const isAsked = at === undefined ||
    Math.floor(Date.parse(passed.at) / MINUTE_MS) === Math.floor(at / MINUTE_MS);
  const isNewest = found === undefined || Date.parse(found.at) < Date.parse(passed.at);
  return isAsked && isNewest ? { at: passed.at, passed } : found;
}

async function explainEvent(client: Client, agentId: string, found: Found): Promise<Reason> {
  if ("execution" in found) {
    const { execution } = found;
    const isOpen = execution.status === "waiting";
    return explainExecution(execution, isOpen ? await readQuestion(client, execution) : null);
  }
  if ("passed" in found) {
    return "path" in found.passed
      ? explainPassedOver(agentId, found.passed)
      : explainPassedMail(agentId, found.passed);
  }
  const { slot } = found;
  const due = Date.parse(slot.scheduled_for);
  return explainSlot(agentId, slot, {
    waiting: slotReasonOf(slot.reason) === "waiting"
      ? await findWaiting(client, agentId, due)
      : undefined,
    unserved: slotReasonOf(slot.reason) === "running"
      ? await findUnserved(client, agentId)
      : undefined,
    downtime: slot.outcome === "missed" ? await findDowntime(client, due) : undefined,
    scheduler: (await client.info()).scheduler_status,
  });
}

/** Returns the run or due time that is recorded for the minute of `at`. Without `at`, returns the last run or due time. */
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
  // The service answers 404 for an agent that has neither a valid file nor a history.
  const all = await orMissing(client.slots(agentId, { limit: SLOTS })) ?? [];
  const slots = all.filter(({ outcome }) => outcome !== "run");
  const slot = minute === undefined ? slots[0] : slots.find((one) => covers(one, minute, slots));
  const begun = execution === undefined ? -Infinity : Date.parse(execution.started_at);
  const due = slot === undefined ? -Infinity : Date.parse(slot.scheduled_for);
  if (slot !== undefined && due > begun) return { at: slot.scheduled_for, slot };
  return execution && { at: execution.started_at, execution };
}

/**
 * Returns whether a record of due times includes this minute. A record covers all consecutive due times that were skipped
 * for one reason, up to the next record.
 */
function covers(slot: SlotBody, minute: number, slots: readonly SlotBody[]): boolean {
  const from = Date.parse(slot.scheduled_for);
  if (from >= minute && from < minute + MINUTE_MS) return true;
  if (slot.count === 1 || from > minute) return false;
  const next = slots[slots.indexOf(slot) - 1];
  return next === undefined || Date.parse(next.scheduled_for) > minute;
}
