// Questions of a running custom tool: what a person is asked, and what the tool gets for the answer.
import type { HumanAnswer, ToolQuestion } from "../tool.ts";
import type { ToolRequest } from "./host_messages.ts";

/** The requests that a person settles. */
export type PersonRequest = Exclude<ToolRequest, { kind: "path" }>;

/** What the tool learns: a value, or the sentence of an error that it may catch. */
export type Settled = { value: unknown } | { error: string };

/** Why a request cannot be put to a person; undefined when it can. */
export function refuseQuestion(request: PersonRequest): string | undefined {
  if (request.message.trim() === "") return "A question to a person needs a text";
  if (request.kind === "choose" && request.options.length === 0) {
    return "A choice needs at least one option";
  }
  return undefined;
}

/** The question as a person sees it. */
export function toQuestion(request: PersonRequest): ToolQuestion {
  const { kind, message } = request;
  return kind === "choose"
    ? { kind: "choice", message, options: request.options, multi: request.multi }
    : { kind: kind === "ask" ? "input" : "confirm", message, options: null, multi: false };
}

/** What an answer to this request means for the tool. */
export function settleRequest(request: PersonRequest, answer: HumanAnswer): Settled {
  if ("expired" in answer) {
    return request.kind === "confirm" ? { value: false } : { error: "Nobody answered in time" };
  }
  if (request.kind === "confirm" && "approved" in answer) return { value: answer.approved };
  if (request.kind === "ask" && "text" in answer) return { value: answer.text };
  if (request.kind === "choose" && "selected" in answer) return { value: answer.selected };
  throw new TypeError(`An answer to a question of another kind than ${request.kind} was stored`);
}
