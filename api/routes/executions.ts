// The operations on executions: list, details, message log, stream, cancel, and the early end of a rest.
import { z } from "zod";
import type { ListedExecution as Listed } from "../../runtime/interface/runtime.ts";
import {
  CancelBody,
  ExecutionDetail,
  ListedExecution,
  LogRow,
  toExecution,
  toExecutionDetail,
  toLogRow,
} from "../schemas/execution_schemas.ts";
import { ExecutionFrame } from "../schemas/event_schemas.ts";
import { RespondAccepted as Resuming } from "../schemas/request_schemas.ts";
import { EVENT_STREAM } from "../../base/text/event_stream.ts";
import { operation } from "../operations/operation.ts";
import { keptRows } from "../operations/polled_answers.ts";
import { fromWire } from "../schemas/wire.ts";
import {
  after,
  agents,
  EXECUTION,
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
import { openExecutionStream } from "../streams/execution_stream.ts";

const toListed = keptRows((one: Listed) => toExecution(one));

export const executions = operation({
  summary: "Executions, newest first",
  description:
    "`q` searches for a text of at least 3 characters in the first 1,000 characters of the message, the answer and " +
    "the error. With `results=true` it searches the tool results of this page's executions instead, and the page " +
    "contains only those that match. `since` is inclusive, `until` exclusive.",
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
  async handle({ query }, { runtime }) {
    const { limit, offset, since, until, q } = query;
    const executions = await runtime.listExecutions({
      ...{ limit, offset },
      ...fromWire({
        statuses: query.status,
        agentId: query.agent,
        parentId: query.parent,
        followedId: query.follows,
        trigger: query.trigger,
        sessionId: query.session,
        since: since === undefined ? null : Date.parse(since),
        until: until === undefined ? null : Date.parse(until),
        text: q,
        searchesResults: q !== undefined && query.results === "true" ? true : null,
        preview: query.preview === "true" ? true : null,
      }),
    });
    return toListed(executions);
  },
});

export const execution = operation({
  summary: "One execution, including its final answer",
  resource: EXECUTION,
  isPolled: true,
  response: ExecutionDetail,
  async handle({ id }, { runtime }) {
    return toExecutionDetail(await runtime.getExecution(id));
  },
});

export const messages = operation({
  summary: "The message log of one execution, oldest first; complete unless limited",
  resource: EXECUTION,
  query: z.object({
    after,
    limit: integer({ min: 1, max: 500 }).optional(),
  }),
  response: z.array(LogRow),
  async handle({ id, query }, { runtime }) {
    const { after = 0, limit } = query;
    const page = { after, ...(limit !== undefined && { limit }) };
    return (await runtime.readFrames(id, page)).map(toLogRow);
  },
});

export const follow = operation({
  summary: "Stream of one execution: logged frames first, then live ones",
  description: "Server-sent events `meta`, `message`, `ai`, `tool_call`, `tool_result`, " +
    "`interrupt`, `final_answer` and `complete`, each with the id of its log row. A person's answer " +
    "is a `message` with the `request_id` of its `interrupt`. The stream ends with `complete`, or " +
    "with `waiting` or `shutdown`, which have no id. `Last-Event-ID` (or `after`) resumes after " +
    "that row; after `complete` the response is 204. `deltas` adds the text of replies while it is generated; a delta " +
    "with `restart` replaces the reply's text so far. A comment after every 15 s of silence keeps the connection alive.",
  resource: EXECUTION,
  query: z.object({ after, deltas: z.stringbool().default(false) }),
  headers: z.object({ "last-event-id": after }),
  response: EVENT_STREAM,
  events: ExecutionFrame,
  async handle({ id, query, headers }, { runtime, lifecycle }) {
    // Prefer the header: a reader that reconnects repeats its URL, so `after` is outdated.
    const after = headers["last-event-id"] ?? query.after ?? 0;
    return await openExecutionStream(id, { after, deltas: query.deltas, runtime, lifecycle });
  },
});

export const cancel = operation({
  summary: "Cancel an execution",
  resource: EXECUTION,
  response: CancelBody,
  async handle({ id }, { runtime, caller }) {
    return { status: await runtime.cancel(id, caller), executionId: id };
  },
});

export const wake = operation({
  summary: "End the rest of an execution early",
  description: "An execution that rests for a descendant ends the descendant's rest.",
  resource: EXECUTION,
  response: Resuming,
  errors: [409, 503],
  async handle({ id }, { runtime, caller }) {
    await runtime.wake(id, caller);
    return { status: "resuming" as const, executionId: id };
  },
});
