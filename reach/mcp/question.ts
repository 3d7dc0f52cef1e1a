// Passes the question of a run on to the client of a tool, as a form, and reads the answer.
import {
  inputRequired,
  type InputRequiredResult,
  inputResponse,
} from "@modelcontextprotocol/server";
import type { PendingBody, RespondBody } from "../../api/schemas/request_schemas.ts";

type Answer = RespondBody["response"];
type Form = Parameters<typeof inputRequired.elicit>[0]["requestedSchema"];

const KEY = "answer";
/** The maximum length of a question in characters. A longer one is not cut, because a person must see what he approves. */
const MOST_CHARACTERS = 20_000;

/** Returns the question for the client, or undefined if a program must not answer it or it is too long for a form. */
export function askClient(question: PendingBody): InputRequiredResult | undefined {
  const message = describeQuestion(question);
  if (question.open_to_programs !== true || message.length > MOST_CHARACTERS) return undefined;
  const form = inputRequired.elicit({ message, requestedSchema: formOf(question) });
  return inputRequired({ inputRequests: { [KEY]: form } });
}

/** Returns the question with the call or the change that it is about. */
function describeQuestion(
  { message, is_guard, tool_args, preview, asked_by }: PendingBody,
): string {
  const change = preview?.diff
    ? `${preview.path}\n${preview.diff}`
    : JSON.stringify(tool_args, null, 2);
  return `${asked_by} asks: ${message}${is_guard ? `\n\n${change}` : ""}`;
}

function formOf({ kind, options, multi }: PendingBody): Form {
  const choices = options ?? [];
  const items = { type: "string" as const, enum: choices };
  switch (kind) {
    case "confirm":
      return {
        type: "object",
        properties: {
          approved: { type: "boolean", title: "Approve" },
          reason: { type: "string", title: "Reason" },
        },
        required: ["approved"],
      };
    case "input":
      return {
        type: "object",
        properties: { text: { type: "string", title: "Answer" } },
        required: ["text"],
      };
    case "choice":
      return {
        type: "object",
        properties: {
          selected: multi
            ? { type: "array", title: "Choice", minItems: 1, items }
            : { ...items, title: "Choice" },
        },
        required: ["selected"],
      };
  }
}

/** Returns the client's answer. Undefined if the person gave none; a declined approval is a denial. */
export function readResponse(
  { kind }: PendingBody,
  responses: Record<string, unknown> | undefined,
): Answer | undefined {
  const given = inputResponse(responses, KEY);
  if (given.kind !== "elicit") return undefined;
  if (given.action !== "accept") {
    return kind === "confirm" && given.action === "decline" ? { approved: false } : undefined;
  }
  const { approved, reason, text, selected } = given.content ?? {};
  if (kind === "confirm") {
    if (typeof approved !== "boolean") return undefined;
    return { approved, ...(typeof reason === "string" && reason !== "" && { reason }) };
  }
  if (kind === "input") return typeof text === "string" ? { text } : undefined;
  const list = Array.isArray(selected) ? selected : [selected];
  return list.every((one) => typeof one === "string") ? { selected: list } : undefined;
}

/** The answers by kind, as the arguments of the tool `respond`. */
const ARGUMENTS = {
  confirm: '"approved": true or false',
  input: '"text": the answer',
  choice: '"selected": the chosen options',
};

/** Returns a text about the waiting run, with the ways to answer. */
export function describeWaiting(question: PendingBody): string {
  const { execution_id: id, request_id: request, kind, options } = question;
  const choices = options === null ? "" : `\nOptions: ${options.join(", ")}`;
  const how = question.open_to_programs === true
    ? `To answer, call respond with {"execution_id": ${id}, "request_id": "${request}", ${
      ARGUMENTS[kind]
    }}, then get_execution.`
    : `Only a person can answer: with "inkling respond ${id}", or on the service's page. Then call get_execution.`;
  return `Execution ${id} waits for an answer. ${describeQuestion(question)}${choices}\n\n${how}`;
}
