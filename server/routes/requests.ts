// Questions to people: the one that an execution waits with, and the answer to it.
import { z } from "zod";
import { toTimestamp } from "../../base/clock.ts";
import { RuntimeError } from "../../base/errors.ts";
import type { HumanAnswer, HumanRequest } from "../../runtime/executions/human_request.ts";
import { RequestRefused } from "../errors.ts";
import { defineOperation, type Operation } from "../operations/operation.ts";
import { executionId } from "../operations/parameters.ts";
import { PendingBody, RespondAccepted, RespondBody } from "../schemas/request_schemas.ts";
import { toTimestampOrNull } from "../schemas/wire_values.ts";

const params = z.object({ id: executionId });

/** What executions ask, and the answers. */
export const requestOperations: readonly Operation[] = [
  defineOperation({
    operationId: "pending",
    summary: "The question that a waiting execution asks",
    params,
    isPolled: true,
    response: PendingBody,
    errors: [404],
    async handle({ params }, { runtime }) {
      return toPending(await runtime.pendingRequest(params.id));
    },
  }),
  defineOperation({
    operationId: "respond",
    summary: "Answer the question; of several answers exactly one is accepted",
    params,
    body: RespondBody,
    response: RespondAccepted,
    errors: [404, 409, 503],
    find: ({ id }, { runtime }) => runtime.getExecution(id),
    async handle({ params, body }, { runtime }) {
      try {
        await runtime.respond(params.id, {
          requestId: body.request_id,
          answer: toAnswer(body.response),
        });
      } catch (error) {
        throw toMisfit(error, body.response);
      }
      return { status: "resuming" as const, execution_id: params.id };
    },
  }),
];

function toPending(request: HumanRequest): PendingBody {
  return {
    execution_id: request.executionId,
    request_id: request.requestId,
    kind: request.kind,
    message: request.message,
    tool_name: request.toolName,
    tool_args: request.toolArgs,
    options: request.options,
    multi: request.multi,
    created_at: toTimestamp(request.createdAt),
    expires_at: toTimestampOrNull(request.expiresAt),
  };
}

function toAnswer(response: RespondBody["response"]): HumanAnswer {
  if (!("approved" in response)) return response;
  const { approved, reason } = response;
  return { approved, ...(reason != null && { reason }) };
}

/** What does not fit the question, at its place in the body; any other error as it is. */
function toMisfit(error: unknown, response: RespondBody["response"]): unknown {
  if (!(error instanceof RuntimeError) || error.code !== "invalid") return error;
  const [[key, input] = []] = Object.entries(response);
  const loc = ["body", "response", ...(key === undefined ? [] : [key])];
  return new RequestRefused(422, [{ type: error.code, loc, msg: error.message, input }]);
}
