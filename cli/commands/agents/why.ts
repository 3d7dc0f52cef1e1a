// why: says of an agent and a time why it ran or did not, and what to do about it.
import { performs } from "../../command_line/command.ts";
import type { why } from "../../declarations/agent_commands.ts";
import { describeTrigger } from "../../../present/triggers.ts";
import { firstLine } from "../../../present/visible_text.ts";
import { MINUTE_MS } from "../../../base/time_units.ts";
import { ApiError, type Client, orMissing } from "../../../api/client/client.ts";
import type { AgentDetail } from "../../../api/schemas/agent_schemas.ts";
import type { AgentErrorBody } from "../../../api/schemas/diagnostic_schemas.ts";
import type { ListedExecution } from "../../../api/schemas/execution_schemas.ts";
import type { RecapBody } from "../../../api/schemas/report_schemas.ts";
import type { SlotBody } from "../../../api/schemas/scheduler_schemas.ts";
import { readMomentOption } from "../../command_line/moment.ts";
import { errorsOf } from "../../output/problems.ts";
import { hasLivingNode } from "../../output/reports/nodes.ts";
import { toOneLine } from "../../output/sanitise.ts";
import { formatMinute } from "../../output/time.ts";
import { isAutomatic } from "../../output/trigger_text.ts";
import { openReader } from "../../service/connection.ts";
import { orUnknownAgent } from "../../unknown_agent.ts";
import {
  explainBroken,
  explainDowntime,
  explainExecution,
  explainPassedOver,
  explainSlot,
  explainState,
  type Reason,
  type Waiting,
} from "./why_reasons.ts";

/** Due times that are looked through. */
const SLOTS = 500;
/** Executions that are looked through for the one that kept another from running. */
const EARLIER = 50;

/** What became of an agent at a time, and what a person can do. */
export interface Explanation extends Reason {
  agent_id: string;
  /** ISO 8601; null where the agent has never been due. */
  at: string | null;
  execution_id: number | null;
}

/** Shows an explanation. Without a time it is about the last time that the agent ran or should have run, and about now. */
export const perform = performs<typeof why>(async (context, options, { agent: agentId, time }) => {
  const { app, output } = context;
  const at = readMomentOption("The time", time, app.clock.now());
  await using reader = await openReader(app, context.workspace);
  const { client } = reader;
  const asked = explain(client, agentId, at, reader);
  const explanation = await orUnknownAgent(asked, { app, client, agentId });
  if (options.json) output.json(explanation);
  else {
    output.sentence(toOneLine(explanation.reason));
    if (explanation.remedy !== null) output.sentence(toOneLine(explanation.remedy));
  }
});

/** Throws ApiError 404 for an agent that is not there, nor its file. */
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
  };
  const event = found && await explainEvent(client, id, found);
  // What was then is all that is asked; without a time, what holds now matters as much.
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
    ? `${id} has not been due yet`
    : `${id} was not due at ${formatMinute(new Date(at).toISOString())}`;
  const next = agent.next_run === null ? "" : `, next ${formatMinute(agent.next_run)}`;
  return {
    ...base,
    reason: `${when}: ${describeTrigger(agent, "terse")}${next}`,
    remedy: agent.trigger_type === "manual"
      ? `It runs when it is asked to: inkling run ${id}. A trigger in its file runs it by itself`
      : null,
  };
}

/** The agent, whose file is read for this if it has changed, and what is wrong with it; one is there. Throws ApiError 404. */
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

/** What holds now, in front of what happened last. */
function combine(state: Reason | undefined, event: Reason | undefined): Reason {
  if (state === undefined) return event ?? { reason: "", remedy: null };
  if (event === undefined) return state;
  return { reason: `${state.reason}. Before that, ${event.reason}`, remedy: state.remedy };
}

/** What keeps an agent from running, at a time without a trace of it, or now. */
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
  // One that is what happened last tells its question itself.
  const isHeld = waiting?.question != null && waiting.execution.id !== lastId;
  const state = explainState(agent, {
    isService: isService || hasLivingNode(info),
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

/** The newest execution that held others of the agent at this time, or holds them now: one that waits for a person. */
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

/** The newest execution that no living node may run. */
async function findUnserved(client: Client, agentId: string): Promise<ListedExecution | undefined> {
  const running = await client.executions({
    agent: agentId,
    status: ["running"],
    limit: EARLIER,
  });
  return running.find(({ waits_for_labels: labels }) => labels !== undefined);
}

/** Conversations and what other agents delegate hold only themselves. */
function holdsOthers({ trigger, session_id: session }: ListedExecution): boolean {
  return session === null && trigger !== "chat" && trigger !== "agent";
}

/** Null where it has been answered since. */
async function readQuestion(client: Client, { id }: ListedExecution): Promise<string | null> {
  try {
    return firstLine((await client.pending(id)).message);
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

type PassedOver = NonNullable<AgentDetail["passed_over"]>;
type Found =
  & { at: string }
  & ({ execution: ListedExecution } | { slot: SlotBody } | { passed: PassedOver });

/** A change that did not fire, where that is what was asked about or happened last; else what was found. */
function findPassedOver(
  agent: AgentDetail | undefined,
  at: number | undefined,
  found: Found | undefined,
): Found | undefined {
  const passed = agent?.passed_over ?? null;
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
  if ("passed" in found) return explainPassedOver(agentId, found.passed);
  const { slot } = found;
  const due = Date.parse(slot.scheduled_for);
  return explainSlot(agentId, slot, {
    waiting: /waiting for/.test(slot.reason ?? "")
      ? await findWaiting(client, agentId, due)
      : undefined,
    unserved: /still running/.test(slot.reason ?? "")
      ? await findUnserved(client, agentId)
      : undefined,
    downtime: slot.outcome === "missed" ? await findDowntime(client, due) : undefined,
    scheduler: (await client.info()).scheduler_status,
  });
}

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
  // None of an agent that has neither a file that parses nor a past.
  const all = await orMissing(client.slots(agentId, { limit: SLOTS })) ?? [];
  const slots = all.filter(({ outcome }) => outcome !== "run");
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
