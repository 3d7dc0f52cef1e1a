// The operations on questions to people: read the question of a waiting execution, and answer it.
import type { JsonObject } from "../../base/json.ts";
import { RuntimeError } from "../../base/errors.ts";
import type { HumanAnswer } from "../../runtime/executions/human_request.ts";
import { findApprover } from "../../runtime/vocabulary/approval_rule.ts";
import { mayProgramAnswer } from "../../runtime/vocabulary/callers.ts";
import { RequestRefused } from "../errors.ts";
import { requireRight } from "../operations/required_right.ts";
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
  summary: "The question of a waiting execution",
  resource: EXECUTION,
  isPolled: true,
  response: PendingBody,
  async handle({ id }, { runtime, caller }) {
    const request = await runtime.pendingRequest(id);
    const { rule, approvedBy = [] } = request;
    const name = rule && findApprover(rule, caller, runtime.clock.now());
    const isOpen = mayProgramAnswer(request, runtime.config.expose);
    return {
      ...request,
      isGuard: request.isGuard === true,
      ...(rule && {
        approvals: approvedBy.length,
        needed: rule.approvals,
        approvedBy: [...approvedBy],
        approvers: [...rule.approvers ?? []],
        mayAnswer: name !== undefined && !approvedBy.includes(name),
      }),
      openToPrograms: isOpen ? true as const : undefined,
    };
  },
});

export const previewArguments = operation({
  summary: "Validate edited arguments of the call in question, and preview their effect",
  description: "Does not answer the question and changes nothing.",
  resource: EXECUTION,
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
  summary:
    "Answer the question; exactly one answer is accepted, or as many approvals as the agent needs",
  resource: EXECUTION,
  body: RespondBody,
  response: RespondAccepted,
  errors: [403, 409, 503],
  async handle({ id, body }, { runtime, caller }) {
    const isFixed = caller.via === "program" || caller.via === "chat";
    const by = isFixed ? caller : { ...caller, via: body.via ?? caller.via };
    if ("arguments" in body.response) requireRight({ caller }, "edit");
    try {
      const partial = await runtime.respond(id, {
        requestId: body.request_id,
        answer: toAnswer(body.response),
        by,
      });
      if (partial !== undefined) {
        const { approvals, needed } = partial;
        return { status: "waiting" as const, executionId: id, approvals, needed };
      }
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
    // The cast is safe, because the arguments were parsed from JSON.
    ...(args !== undefined && { arguments: args as JsonObject }),
  };
}

/**
 * Returns the place and the value of the field at fault in a refused answer: `arguments` if the answer has them, otherwise
 * its first field.
 */
function misfitPlace(response: RespondBody["response"]): { place: string[]; input: unknown } {
  const entries = Object.entries(response);
  const [key, input] = entries.find(([name]) => name === "arguments") ?? entries[0] ?? [];
  return { place: ["response", ...(key === undefined ? [] : [key])], input };
}

/**
 * Returns the error to throw: RequestRefused (422) with the place in the body if the answer does not match the question,
 * otherwise the error unchanged.
 */
function toMisfit(error: unknown, { place, input }: { place: string[]; input: unknown }): unknown {
  if (!(error instanceof RuntimeError) || error.code !== "invalid") return error;
  const loc = ["body", ...place];
  return new RequestRefused(422, [{ type: error.code, loc, msg: error.message, input }]);
}
