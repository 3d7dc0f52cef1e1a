// Runs an agent for a call of a tool: starts the run, reports its progress, asks the client, and returns the end.
import type { CallToolResult, InputRequiredResult } from "@modelcontextprotocol/server";
import { z } from "zod";
import { ApiError, ServiceUnreachable, type StreamFrame } from "../../api/client/client.ts";
import type { ExecutionDetail } from "../../api/schemas/execution_schemas.ts";
import type { PendingBody } from "../../api/schemas/request_schemas.ts";
import type { Clock } from "../../base/clock.ts";
import { SECOND_MS } from "../../base/time_units.ts";
import { callsOf, parseObject, textOf } from "../../present/payload.ts";
import { firstLine } from "../../present/visible_text.ts";
import type { Exposed } from "../exposed.ts";
import { objectSchemaOf } from "./agent_tools.ts";
import { askClient, describeWaiting, readResponse } from "./question.ts";
import { checkInput, failed, succeeded } from "./results.ts";

/** The call of a tool, and the client that called. */
export interface Call {
  exposed: Exposed;
  signal: AbortSignal;
  clock: Clock;
  /** The number of executions above a run that this call starts, if another Inkling or this one is the client. */
  depth: number;
  outlivesService: boolean;
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
export type RunOutcome =
  | { execution: ExecutionDetail; question?: undefined }
  | { execution: ExecutionDetail; question: PendingBody };

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
  const question = await exposed.client.pending(id).catch(toClosed);
  // Another answer was accepted meanwhile.
  if (question?.request_id !== request) return undefined;
  const response = readResponse(question, responses);
  if (response === undefined) return { execution: await exposed.execution(id), question };
  try {
    await exposed.client.respond(id, { request_id: request, response, via: "program" });
  } catch (error) {
    // After a 422 the question is still open, so the run is found waiting and the client is asked again.
    if (!(error instanceof ApiError && (error.status === 409 || error.status === 422))) throw error;
  }
  return undefined;
}

async function follow(
  place: CallState,
  call: Call,
): Promise<RunOutcome | InputRequiredResult> {
  const { exposed: { client }, signal, clock } = call;
  const id = place.execution;
  let { after } = place;
  for (let attempt = 0;; attempt++) {
    try {
      for await (const frame of client.follow(id, { after, signal })) {
        attempt = 0;
        if (frame.id !== null) after = frame.id;
        if (frame.event === "complete") return { execution: await client.execution(id) };
        if (frame.event === "waiting") {
          const question = await client.pending(id).catch(toClosed);
          if (question === undefined) break;
          const asked = call.mayAsk ? askClient(question) : undefined;
          if (asked === undefined) return { execution: await client.execution(id), question };
          const state: CallState = { execution: id, request: question.request_id, after };
          return { ...asked, requestState: JSON.stringify(state) };
        }
        const step = describeStep(frame);
        if (step !== undefined) await call.report?.(step);
      }
      const { status } = await client.execution(id);
      if (status !== "running" && status !== "waiting") continue;
    } catch (error) {
      if (!(error instanceof ServiceUnreachable)) throw error;
    }
    if (!call.outlivesService || attempt >= RESTART_SECONDS) {
      throw new ServiceUnreachable(
        `The service stopped during execution ${id}. It goes on when the service starts again; ` +
          `get_execution with ${id} returns its end`,
      );
    }
    await clock.sleep(SECOND_MS, signal);
  }
}

/** The time in which a restarted service must answer again, so that a call goes on. */
const RESTART_SECONDS = 30;

/** Returns a line about a step of the run, or undefined for a frame that is not worth a report. */
function describeStep({ event, payload }: StreamFrame): string | undefined {
  if (event === "tool_call") return `Calls ${callsOf(payload).map(({ name }) => name).join(", ")}`;
  if (event === "tool_result") return `${textOf(payload, "tool_name")} returned`;
  if (event !== "ai" && event !== "meta") return undefined;
  return firstLine(textOf(payload, "content") || textOf(payload, "message")).slice(0, 200) ||
    undefined;
}

/** Returns undefined for the error of a question that was answered meanwhile. Throws other errors. */
function toClosed(error: unknown): undefined {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
}
