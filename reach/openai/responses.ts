// Serves /v1/responses: reads its requests, and writes a run's progress as a response or as its events.
import { z } from "zod";
import type { ExecutionDetail } from "../../api/schemas/execution_schemas.ts";
import { type AskedTurn, checkBody, isForm, readContent, refuseUnsupported } from "./asked_turn.ts";
import { type CompletionHead, contentPart, toTurn, usageOf } from "./chat_completions.ts";
import { toEvent } from "./event_body.ts";
import { OpenAiError } from "./openai_error.ts";
import type { TurnEvent } from "./run_events.ts";
import type { RunPlace } from "../run_events.ts";

const Item = z.looseObject({
  type: z.string().default("message"),
  role: z.enum(["system", "developer", "user", "assistant"]).optional(),
  content: z.union([z.string(), z.array(contentPart)]).nullish(),
});

const Body = z.looseObject({
  model: z.string(),
  input: z.union([z.string(), z.array(Item)]),
  instructions: z.string().nullish(),
  previous_response_id: z.string().nullish(),
  stream: z.boolean().nullish(),
  tools: z.array(z.unknown()).nullish(),
  text: z.looseObject({ format: z.looseObject({ type: z.string() }).nullish() }).nullish(),
  background: z.boolean().nullish(),
  conversation: z.unknown().optional(),
});

/** The items of a response that a client may send back. The run's conversation has their contents. */
const SHOWN_ITEMS = ["reasoning", "mcp_call"];

/** A request for a response. */
export interface ResponseRequest {
  turn: AskedTurn;
  isStreamed: boolean;
  instructions: string | null;
  previous: string | null;
}

/** The request of a response that is read later. */
export const UNKNOWN_REQUEST = { instructions: null, previous: null };

/** Reads the body of a request. Throws OpenAiError. */
export function readResponseRequest(value: unknown): ResponseRequest {
  const body = checkBody(Body, value);
  refuseUnsupported({
    tools: (body.tools ?? []).length > 0,
    background: body.background === true,
    conversation: body.conversation != null,
    "text.format": isForm(body.text?.format),
  });
  const { instructions = null, previous_response_id: previous = null } = body;
  const system = instructions === null ? [] : [instructions];
  const spoken: AskedTurn["history"] = [];
  const items = typeof body.input === "string"
    ? [{ type: "message", role: "user" as const, content: body.input }]
    : body.input;
  for (const [index, { type, role, content }] of items.entries()) {
    if (SHOWN_ITEMS.includes(type)) continue;
    if (type !== "message" || role === undefined) {
      throw new OpenAiError(`An item of the type "${type}" is not supported: send messages`, {
        param: `input[${index}]`,
        code: "unsupported_item",
      });
    }
    const read = readContent(content ?? "", `input[${index}].content`);
    if (role === "user" || role === "assistant") spoken.push({ role, ...read });
    else system.push(read.content);
  }
  const turn = toTurn({ model: body.model, system, spoken, param: "input" });
  const param = "previous_response_id";
  if (previous !== null && turn.history.length > 0) {
    throw new OpenAiError("With previous_response_id, send only the new user message", { param });
  }
  return {
    turn: previous === null ? turn : { ...turn, continues: readResponseId(previous, param).id },
    isStreamed: body.stream === true,
    instructions,
    previous,
  };
}

/** Returns the run of a response. `param` is the place of the id in the request. */
export function readResponseId(id: string, param: string | null = null): RunPlace {
  const [, execution, after] = /^resp_(\d{1,15})_(\d{1,15})$/.exec(id) ?? [];
  if (execution !== undefined) return { id: Number(execution), after: Number(after) };
  throw new OpenAiError(`There is no response '${id}'`, { status: 404, param, code: "not_found" });
}

/** An item of a response's output. */
type OutputItem = Record<string, unknown> & { id: string; type: string };

/** Writes the progress of a run as the events of a response. */
class ResponseWriter {
  readonly #head: CompletionHead;
  readonly #request: Pick<ResponseRequest, "instructions" | "previous">;
  readonly #output: OutputItem[] = [];
  #events = 0;
  /** The text of the open message item. Undefined if no message is open. */
  #text: string | undefined;

  constructor(head: CompletionHead, request: Pick<ResponseRequest, "instructions" | "previous">) {
    this.#head = head;
    this.#request = request;
  }

  /** Returns the response in a state. `execution` gives the usage. */
  response(
    status: string,
    { execution, error = null }: { execution?: ExecutionDetail; error?: object | null } = {},
  ): object {
    const { id, after, model, created } = this.#head;
    return {
      id: `resp_${id}_${after}`,
      object: "response",
      created_at: created,
      status,
      error,
      incomplete_details: status === "incomplete" ? { reason: "max_output_tokens" } : null,
      instructions: this.#request.instructions,
      metadata: {},
      model,
      output: this.#output,
      parallel_tool_calls: true,
      previous_response_id: this.#request.previous,
      temperature: null,
      tool_choice: "auto",
      tools: [],
      top_p: null,
      usage: execution === undefined ? null : toUsage(execution),
    };
  }

  /** Returns an event. */
  event(type: string, fields: object): string {
    return toEvent({ type, sequence_number: this.#events++, ...fields }, type);
  }

  /** Yields the events of one step of the run. */
  *write(event: TurnEvent): Generator<string, void, void> {
    if (event.type === "text") return yield* this.#addText(event.text);
    yield* this.closeMessage();
    if (event.type === "reasoning") {
      yield* this.#addItem({
        type: "reasoning",
        summary: [{ type: "summary_text", text: event.text }],
      });
    } else if (event.type === "call") {
      const { name, args, id } = event.call;
      const item = { type: "mcp_call", server_label: "inkling", name, arguments: args, call: id };
      yield this.#open({ ...item, output: null, error: null, status: "in_progress" });
    } else if (event.type === "result") {
      const item = this.#output.find((one) => one["call"] === event.id);
      if (item === undefined) return;
      const { content, isError } = event;
      const status = isError ? "failed" : "completed";
      Object.assign(item, isError ? { error: content, status } : { output: content, status });
      delete item["call"];
      yield this.#done(item);
    }
  }

  /** Yields the events that end the open message. */
  *closeMessage(): Generator<string, void, void> {
    const item = this.#output.at(-1);
    if (this.#text === undefined || item === undefined) return;
    const text = this.#text;
    this.#text = undefined;
    const place = { item_id: item.id, output_index: this.#output.length - 1, content_index: 0 };
    const part = { type: "output_text", text, annotations: [] };
    yield this.event("response.output_text.done", { ...place, text, logprobs: [] });
    yield this.event("response.content_part.done", { ...place, part });
    Object.assign(item, { content: [part], status: "completed" });
    yield this.#done(item);
  }

  *#addText(text: string): Generator<string, void, void> {
    let delta = text;
    if (this.#text === undefined) {
      delta = text.trimStart();
      this.#text = "";
      yield this.#open({ type: "message", role: "assistant", content: [], status: "in_progress" });
      yield this.event("response.content_part.added", {
        ...this.#place(),
        part: { type: "output_text", text: "", annotations: [] },
      });
    }
    this.#text += delta;
    yield this.event("response.output_text.delta", { ...this.#place(), delta, logprobs: [] });
  }

  *#addItem(item: Omit<OutputItem, "id">): Generator<string, void, void> {
    yield this.#open(item);
    const added = this.#output.at(-1);
    if (added !== undefined) yield this.#done(added);
  }

  #open(item: Record<string, unknown>): string {
    const prefix = item["type"] === "message" ? "msg" : item["type"] === "reasoning" ? "rs" : "mcp";
    const id = `${prefix}_${this.#head.id}_${this.#head.after}_${this.#output.length}`;
    const opened = { id, type: "", ...item };
    this.#output.push(opened);
    const { call: _call, ...shown } = opened as Record<string, unknown>;
    return this.event("response.output_item.added", {
      output_index: this.#output.length - 1,
      item: shown,
    });
  }

  #done(item: OutputItem): string {
    return this.event("response.output_item.done", {
      output_index: this.#output.indexOf(item),
      item,
    });
  }

  #place(): object {
    const index = this.#output.length - 1;
    return { item_id: this.#output[index]?.id, output_index: index, content_index: 0 };
  }
}

function toUsage(execution: ExecutionDetail): object {
  const { input, output, total, cost } = usageOf(execution);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: total,
    cost,
  };
}

/** Returns the whole response of a run. */
export async function toResponse(
  events: AsyncIterable<TurnEvent>,
  head: CompletionHead,
  request: Pick<ResponseRequest, "instructions" | "previous">,
): Promise<object> {
  const writer = new ResponseWriter(head, request);
  for await (const event of events) {
    if (event.type === "text") continue;
    const text = event.type === "end" ? { type: "text", text: event.answer } as const : event;
    for (const _ of writer.write(text)) { /* The events are only for streams. */ }
    if (event.type !== "end") continue;
    for (const _ of writer.closeMessage()) { /* As above. */ }
    return writer.response(event.isCut ? "incomplete" : "completed", event);
  }
  throw new TypeError("A run ends with an event");
}

/** Returns a response without its output. `error` is the error of its run. */
export function toState(head: CompletionHead, status: string, error?: OpenAiError): object {
  const writer = new ResponseWriter(head, UNKNOWN_REQUEST);
  return writer.response(status, { error: error === undefined ? null : toFailure(error) });
}

function toFailure({ message }: OpenAiError): object {
  return { code: "server_error", message };
}

/** Yields the events of a response. A run that fails ends with the event `response.failed`. */
export async function* toResponseEvents(
  events: AsyncIterable<TurnEvent>,
  head: CompletionHead,
  { toError, ...request }: ResponseRequest & { toError: (error: unknown) => OpenAiError },
): AsyncGenerator<string, void, void> {
  const writer = new ResponseWriter(head, request);
  yield writer.event("response.created", { response: writer.response("in_progress") });
  yield writer.event("response.in_progress", { response: writer.response("in_progress") });
  try {
    for await (const event of events) {
      yield* writer.write(event);
      if (event.type !== "end") continue;
      const status = event.isCut ? "incomplete" : "completed";
      yield writer.event(`response.${status}`, { response: writer.response(status, event) });
    }
  } catch (thrown) {
    const error = toFailure(toError(thrown));
    yield writer.event("response.failed", { response: writer.response("failed", { error }) });
  }
}
