// Questions to people: the one that an execution waits with, and the answer to it.
import type { JsonObject } from "../../base/json.ts";
import { RuntimeError } from "../../base/errors.ts";
import type { HumanAnswer } from "../../runtime/executions/human_request.ts";
import { RequestRefused } from "../errors.ts";
import { operation } from "../operations/operation.ts";
import { EXECUTION } from "../operations/parameters.ts";
import {
  EditedCallBody,
  EditedCallPreview,
  PendingBody,
  RespondAccepted,
  RespondBody,
} from "../schemas/request_schemas.ts";

export const pending = operation({
  summary: "The question that a waiting execution asks",
  of: EXECUTION,
  isPolled: true,
  response: PendingBody,
  async handle({ id }, { runtime }) {
    const request = await runtime.pendingRequest(id);
    return { ...request, isGuard: request.isGuard === true };
  },
});

export const previewArguments = operation({
  summary: "Check other arguments for the call that is asked about, and see what it would do",
  description: "Answers nothing and changes nothing.",
  of: EXECUTION,
  body: EditedCallBody,
  response: EditedCallPreview,
  errors: [409, 503],
  async handle({ id, body }, { runtime }) {
    const { request_id: requestId, arguments: args } = body;
    try {
      const edit = { requestId, args: args as JsonObject };
      return { preview: await runtime.previewArguments(id, edit) };
    } catch (error) {
      throw toMisfit(error, { place: ["arguments"], input: args });
    }
  },
});

export const respond = operation({
  summary: "Answer the question; of several answers exactly one is accepted",
  of: EXECUTION,
  body: RespondBody,
  response: RespondAccepted,
  errors: [409, 503],
  async handle({ id, body }, { runtime }) {
    try {
      await runtime.respond(id, {
        requestId: body.request_id,
        answer: toAnswer(body.response),
        ...(body.via != null && { via: body.via }),
      });
    } catch (error) {
      throw toMisfit(error, misfitPlace(body.response));
    }
    return { status: "resuming" as const, executionId: id };
  },
});

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
