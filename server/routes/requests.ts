// Questions to people: the one that an execution waits with, and the answer to it.
import { z } from "zod";
import { toTimestamp } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { RuntimeError } from "../../base/errors.ts";
import type { HumanAnswer } from "../../runtime/executions/human_request.ts";
import type { CallPreview, PendingRequest } from "../../runtime/runtime.ts";
import { RequestRefused } from "../errors.ts";
import { defineOperation, type Operation } from "../operations/operation.ts";
import { executionId } from "../operations/parameters.ts";
import {
  EditedCallBody,
  EditedCallPreview,
  PendingBody,
  type PreviewBody,
  RespondAccepted,
  RespondBody,
} from "../schemas/request_schemas.ts";
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
    operationId: "previewArguments",
    summary: "Check other arguments for the call that is asked about, and see what it would do",
    description: "Answers nothing and changes nothing.",
    params,
    body: EditedCallBody,
    response: EditedCallPreview,
    errors: [404, 409, 503],
    find: ({ id }, { runtime }) => runtime.getExecution(id),
    async handle({ params, body }, { runtime }) {
      const { request_id: requestId, arguments: args } = body;
      try {
        const edit = { requestId, args: args as JsonObject };
        return { preview: toPreview(await runtime.previewArguments(params.id, edit)) };
      } catch (error) {
        throw toMisfit(error, { place: ["arguments"], input: args });
      }
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
          ...(body.via != null && { via: body.via }),
        });
      } catch (error) {
        throw toMisfit(error, misfitPlace(body.response));
      }
      return { status: "resuming" as const, execution_id: params.id };
    },
  }),
];

function toPending(request: PendingRequest): PendingBody {
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
    asked_by: request.askedBy,
    is_guard: request.isGuard === true,
    preview: toPreview(request.preview),
  };
}

function toPreview(preview: CallPreview | null): PreviewBody | null {
  if (preview === null) return null;
  const { isNewFile, ...rest } = preview;
  return { ...rest, is_new_file: isNewFile };
}

function toAnswer(response: RespondBody["response"]): HumanAnswer {
  if (!("approved" in response)) return response;
  const { approved, reason, arguments: args } = response;
  return {
    approved,
    ...(reason != null && { reason }),
    // It came as JSON.
    ...(args !== undefined && { arguments: args as JsonObject }),
  };
}

/** Where in a response a misfit is: of an approval with arguments, they are what does not fit. */
function misfitPlace(response: RespondBody["response"]): { place: string[]; input: unknown } {
  const entries = Object.entries(response);
  const [key, input] = entries.find(([name]) => name === "arguments") ?? entries[0] ?? [];
  return { place: ["response", ...(key === undefined ? [] : [key])], input };
}

/** What does not fit the question, at its place in the body; any other error as it is. */
function toMisfit(error: unknown, { place, input }: { place: string[]; input: unknown }): unknown {
  if (!(error instanceof RuntimeError) || error.code !== "invalid") return error;
  const loc = ["body", ...place];
  return new RequestRefused(422, [{ type: error.code, loc, msg: error.message, input }]);
}
