// Executions: the list, one with its answer, its log, its stream, its cancellation.
import { z } from "zod";
import type { Runtime } from "../../runtime/runtime.ts";
import {
  CancelBody,
  ExecutionDetail,
  ListedExecution,
  LogRow,
} from "../schemas/execution_schemas.ts";
import { toExecutionDetail, toListedExecution, toLogRow } from "../schemas/execution_wire.ts";
import { ExecutionFrame } from "../schemas/event_schemas.ts";
import { EVENT_STREAM } from "../../base/text/event_stream.ts";
import { defineOperation, type Operation, type Services } from "../operations/operation.ts";
import {
  after,
  agents,
  executionId,
  integer,
  limit,
  moment,
  offset,
  searchText,
  session,
  statuses,
  trigger,
  yesOrNo,
} from "../operations/parameters.ts";
import { openExecutionStream } from "../streams/sse.ts";

const params = z.object({ id: executionId });

/** Throws ExecutionNotFound. */
const findExecution = ({ id }: z.output<typeof params>, { runtime }: Services) =>
  runtime.getExecution(id);

/** /executions, but for what concerns questions. */
export const executionOperations: readonly Operation[] = [
  defineOperation({
    operationId: "executions",
    summary: "Executions, newest first",
    description:
      "`q` is a text of at least 3 characters in the first 1,000 of the message, the answer or the error. " +
      "With `results=true` it is looked for in the tool results of this page's executions instead, and the " +
      "page has only those with the text. `since` is included, `until` is not.",
    query: z.object({
      status: statuses,
      agent: agents,
      parent: integer({ min: 1 }).optional(),
      follows: integer({ min: 1 }).optional(),
      trigger,
      session,
      since: moment,
      until: moment,
      q: searchText,
      results: yesOrNo,
      preview: yesOrNo,
      limit: limit(50),
      offset,
    }),
    isPolled: true,
    response: z.array(ListedExecution),
    errors: [],
    async handle({ query }, { runtime }) {
      const {
        status,
        agent,
        parent,
        follows,
        trigger,
        session,
        since,
        until,
        q,
        results,
        preview,
        ...page
      } = query;
      const executions = await runtime.listExecutions({
        ...(status !== undefined && { statuses: status }),
        ...(agent !== undefined && { agentId: agent }),
        ...(parent !== undefined && { parentId: parent }),
        ...(follows !== undefined && { followedId: follows }),
        ...(trigger !== undefined && { trigger }),
        ...(session !== undefined && { sessionId: session }),
        ...(since !== undefined && { since: Date.parse(since) }),
        ...(until !== undefined && { until: Date.parse(until) }),
        ...(q !== undefined && { text: q, ...(results === "true" && { isOfResults: true }) }),
        ...(preview === "true" && { preview: true }),
        ...page,
      });
      return executions.map(toListedExecution);
    },
  }),
  defineOperation({
    operationId: "execution",
    summary: "One execution, including its final answer",
    params,
    isPolled: true,
    response: ExecutionDetail,
    errors: [404],
    async handle({ params }, { runtime }) {
      return toExecutionDetail(await runtime.getExecution(params.id));
    },
  }),
  defineOperation({
    operationId: "messages",
    summary: "The message log of one execution, oldest first; complete unless limited",
    params,
    query: z.object({
      after,
      limit: integer({ min: 1, max: 500 }).optional(),
    }),
    response: z.array(LogRow),
    errors: [404],
    find: findExecution,
    async handle({ params, query }, { runtime }) {
      const { after = 0, limit } = query;
      const page = { after, ...(limit !== undefined && { limit }) };
      return (await runtime.readFrames(params.id, page)).map(toLogRow);
    },
  }),
  defineOperation({
    operationId: "follow",
    summary: "Stream of one execution: logged frames first, then live ones",
    description: "Server-sent events `meta`, `message`, `ai`, `tool_call`, `tool_result`, " +
      "`interrupt`, `final_answer` and `complete`, each with the id of its log row. A person's answer " +
      "is a `message` with the `request_id` of its `interrupt`. The stream ends with `complete`, or " +
      "with `waiting` or `shutdown`, which have no id. `Last-Event-ID` (or `after`) resumes after " +
      "that row; after `complete` there is nothing: 204. `deltas` adds the text of replies while it is generated (`restart`: it replaces " +
      "what was streamed of this reply so far). A comment after every 15 s of silence keeps the " +
      "connection alive.",
    params,
    query: z.object({ after, deltas: z.stringbool().default(false) }),
    headers: z.object({ "last-event-id": after }),
    response: EVENT_STREAM,
    events: ExecutionFrame,
    errors: [404],
    find: findExecution,
    async handle({ params, query, headers }, { runtime, lifecycle }) {
      // A reader that reconnects repeats its address: the header is the newer of the two.
      const after = headers["last-event-id"] ?? query.after ?? 0;
      if (await isEnd(after, { id: params.id, runtime })) return null;
      return await openExecutionStream(params.id, {
        after,
        deltas: query.deltas,
        runtime,
        lifecycle,
      });
    },
  }),
  defineOperation({
    operationId: "cancel",
    summary: "Cancel an execution",
    params,
    response: CancelBody,
    errors: [404],
    find: findExecution,
    async handle({ params }, { runtime }) {
      return { status: await runtime.cancel(params.id), execution_id: params.id };
    },
  }),
];

/** Whether a frame is the last that an execution ever has. */
async function isEnd(
  frameId: number,
  { id, runtime }: { id: number; runtime: Runtime },
): Promise<boolean> {
  if (frameId === 0) return false;
  const [frame] = await runtime.readFrames(id, { after: frameId - 1, limit: 1 });
  return frame?.id === frameId && frame.event === "complete";
}
