// Runs an agent for a call of a tool: starts the run, reports its progress, asks the client, and returns the end.
import type { CallToolResult, InputRequiredResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import { orMissing } from "../../api/client/client.ts";
import type { ExecutionDetail } from "../../api/schemas/execution_schemas.ts";
import type { PendingBody } from "../../api/schemas/request_schemas.ts";
import type { Clock } from "../../base/clock.ts";
import { parseObject } from "../../present/payload.ts";
import { firstLine } from "../../present/visible_text.ts";
import type { Exposed } from "../exposed.ts";
import { giveAnswer } from "../question_words.ts";
import { followRun, type RunEvent } from "../run_events.ts";
import { objectSchemaOf } from "./agent_tools.ts";
import { askClient, describeWaiting, readResponse } from "./question.ts";
import { checkInput, failed, succeeded } from "./results.ts";

/** The call of a tool, and the client that called. */
export interface Call {
  exposed: Exposed;
  signal: AbortSignal;
  /** The clock of the wait for a service that restarts. Undefined if the server ends with the service. */
  restarts: Clock | undefined;
  /** The number of executions above a run that this call starts, if another Inkling or this one is the client. */
  depth: number;
  /** True if the client can ask a person with a form. */
  mayAsk: boolean;
  /** The state that the client returned with the answer to a question. It is as trustworthy as an argument. */
  state: unknown;
  responses: Record<string, unknown> | undefined;
  /** Returns true if the client has cancelled the call, and did not only disconnect. */
  isCancelled(): boolean;
  /** Reports progress. Absent if the client did not ask for it. */
  report?(message: string): Promise<void>;
}

/** The state of a call that asked its client a question: the execution, its question, and the last frame that was read. */
const callState = z.object({
  execution: z.int().min(1),
  request: z.string(),
  after: z.int().min(0),
});
type CallState = z.infer<typeof callState>;

/** The end of a run, or its question that the client cannot answer in this call. */
export interface RunOutcome {
  execution: ExecutionDetail;
  question?: PendingBody;
}

const agentInput = z.strictObject({ message: z.string() });

/** Runs an agent by its own tool. The result is the agent's answer. */
export async function callAgentTool(
  agentId: string,
  input: unknown,
  call: Call,
): Promise<CallToolResult | InputRequiredResult> {
  const checked = checkInput(agentInput, input);
  if ("isError" in checked) return checked;
  const outcome = await runAgent({ agentId, message: checked.value.message }, call);
  if ("resultType" in outcome) return outcome;
  const { execution, question } = outcome;
  const agent = await call.exposed.agent(agentId);
  const hasSchema = objectSchemaOf(agent) !== undefined;
  const _meta = { "inkling/execution_id": execution.id };
  if (question !== undefined) {
    const text = describeWaiting(question);
    // A client refuses a result without the content that the tool's schema promises, unless it is an error.
    return { ...(hasSchema ? failed(text) : succeeded(text)), _meta };
  }
  if (execution.status !== "success") {
    const reason = execution.error === null ? "" : `: ${execution.error}`;
    return {
      ...failed(`Execution ${execution.id} ended with ${execution.status}${reason}`),
      _meta,
    };
  }
  const output = execution.output_data ?? "";
  const value = agent.output_schema === null ? undefined : parseObject(output);
  if (hasSchema && value === undefined) return { ...failed(output), _meta };
  return { ...succeeded(output), ...(value && { structuredContent: value }), _meta };
}

/**
 * Starts a run, or continues the call that asked its client a question, and follows the run to its end or its next question.
 * Returns the question to the client if it can ask a person and a program may answer. Cancels the run if the client cancels
 * the call.
 */
export async function runAgent(
  { agentId, message }: { agentId: string; message: string },
  call: Call,
): Promise<RunOutcome | InputRequiredResult> {
  const { exposed, signal } = call;
  const state = callState.safeParse(typeof call.state === "string" ? parseObject(call.state) : {});
  let place: CallState;
  if (state.success) {
    place = state.data;
    await exposed.execution(place.execution);
    const outcome = await answer(place, call);
    if (outcome !== undefined) return outcome;
  } else {
    const { id } = await exposed.agent(agentId);
    // With a key, a request that is repeated after a broken connection starts no second run.
    const key = { idempotencyKey: `mcp:${crypto.randomUUID()}` };
    const started = await exposed.client.run(id, { message, depth: call.depth }, key);
    place = { execution: started.execution_id, request: "", after: 0 };
  }
  try {
    return await follow(place, call);
  } catch (error) {
    if (call.isCancelled()) await exposed.client.cancel(place.execution);
    signal.throwIfAborted();
    throw error;
  }
}

/** Gives the client's answer. Returns the question if the client gave none, and undefined if the run continues. */
async function answer(
  { execution: id, request }: CallState,
  { exposed, responses }: Call,
): Promise<RunOutcome | undefined> {
  const question = await orMissing(exposed.client.pending(id));
  // Another answer was accepted meanwhile.
  if (question?.request_id !== request) return undefined;
  const response = readResponse(question, responses);
  if (response === undefined) return { execution: await exposed.execution(id), question };
  await giveAnswer(exposed.client, question, { response, via: "program" });
  return undefined;
}

async function follow(
  place: CallState,
  call: Call,
): Promise<RunOutcome | InputRequiredResult> {
  const { exposed: { client }, signal, restarts } = call;
  const run = { id: place.execution, after: place.after };
  for await (const event of followRun(client, run, { restarts, signal })) {
    if (event.type === "end") return event;
    if (event.type === "waiting") {
      const { question, after } = event;
      const asked = call.mayAsk ? askClient(question) : undefined;
      if (asked === undefined) return { execution: await client.execution(run.id), question };
      const state: CallState = { execution: run.id, request: question.request_id, after };
      return { ...asked, requestState: JSON.stringify(state) };
    }
    const step = describeStep(event);
    if (step !== "") await call.report?.(step);
  }
  throw new TypeError("A run ends with an event");
}

/** Returns a line about a step of the run. */
function describeStep(event: Exclude<RunEvent, { type: "waiting" | "end" }>): string {
  if (event.type === "call") return `Calls ${event.call.name}`;
  if (event.type === "result") return `${event.name} returned`;
  return firstLine(event.text.trim()).slice(0, 200);
}
