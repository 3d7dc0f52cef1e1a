// Serves /v1/chat/completions: reads its requests, and writes a run's progress as a completion or as its chunks.
import { z } from "zod";
import type { ExecutionDetail } from "../../api/schemas/execution_schemas.ts";
import { type AskedTurn, checkBody, isForm, readContent, refuseUnsupported } from "./asked_turn.ts";
import { toEvent } from "./event_body.ts";
import { OpenAiError } from "./openai_error.ts";
import type { TurnEvent } from "./run_events.ts";
import type { RunPlace } from "../run_events.ts";

/** A part of a message's content. */
export const contentPart = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  refusal: z.string().optional(),
  image_url: z.union([z.string(), z.looseObject({ url: z.string() })]).optional(),
});

const Message = z.looseObject({
  role: z.enum(["system", "developer", "user", "assistant", "tool", "function"]),
  content: z.union([z.string(), z.array(contentPart)]).nullish(),
});

const Body = z.looseObject({
  model: z.string(),
  messages: z.array(Message).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  tools: z.array(z.unknown()).nullish(),
  functions: z.array(z.unknown()).nullish(),
  n: z.number().nullish(),
  response_format: z.looseObject({ type: z.string() }).nullish(),
});

/** A request for a completion. */
export interface ChatRequest {
  turn: AskedTurn;
  isStreamed: boolean;
  includesUsage: boolean;
}

/** Reads the body of a request. Throws OpenAiError. */
export function readChatRequest(value: unknown): ChatRequest {
  const body = checkBody(Body, value);
  refuseUnsupported({
    tools: (body.tools ?? []).length > 0,
    functions: (body.functions ?? []).length > 0,
    n: (body.n ?? 1) > 1,
    response_format: isForm(body.response_format),
  });
  const system: string[] = [];
  const spoken: AskedTurn["history"] = [];
  for (const [index, { role, content }] of body.messages.entries()) {
    const read = readContent(content ?? "", `messages[${index}].content`);
    if (role === "system" || role === "developer") system.push(read.content);
    else if (role === "user" || role === "assistant") spoken.push({ role, ...read });
    else {
      throw new OpenAiError("An agent takes no results of tools that the client has called", {
        param: `messages[${index}].role`,
        code: "unsupported_role",
      });
    }
  }
  return {
    turn: toTurn({ model: body.model, system, spoken, param: "messages" }),
    isStreamed: body.stream === true,
    includesUsage: body.stream_options?.include_usage === true,
  };
}

/** Returns the turn of spoken messages, of which the last must be a user's. `param` is their place in the request. */
export function toTurn(
  { model, system, spoken, param }: {
    model: string;
    system: readonly string[];
    spoken: AskedTurn["history"];
    param: string;
  },
): AskedTurn {
  const last = spoken.at(-1);
  if (last?.role !== "user" || last.content.trim() === "" && last.pictures.length === 0) {
    throw new OpenAiError("The last message must be a user's message with a text", {
      param,
      code: "invalid_value",
    });
  }
  return {
    model,
    message: last.content.trim() === "" ? "(The message has no text.)" : last.content,
    pictures: last.pictures,
    context: system.join("\n\n"),
    history: spoken.slice(0, -1),
  };
}

/** The usage of a run and the executions that it called. `cost` is in dollars. */
export function usageOf(
  { input_tokens, output_tokens, children, total_cost_usd: cost }: ExecutionDetail,
): {
  input: number;
  output: number;
  total: number;
  cost: number | null;
} {
  const input = input_tokens + children.input_tokens;
  const output = output_tokens + children.output_tokens;
  return { input, output, total: input + output, cost };
}

function toUsage(execution: ExecutionDetail): object {
  const { input, output, total, cost } = usageOf(execution);
  return { prompt_tokens: input, completion_tokens: output, total_tokens: total, cost };
}

/** The identity of a completion. `created` is in seconds. */
export interface CompletionHead extends RunPlace {
  model: string;
  created: number;
}

/** Returns the reasoning text of a progress that is no part of the answer; undefined for other progress. */
function toReasoning(event: TurnEvent): string | undefined {
  if (event.type === "reasoning") return `${event.text}\n\n`;
  if (event.type === "call") return `→ ${event.call.name} ${event.call.args}\n\n`;
  if (event.type === "result" && event.isError) return `${event.name}: ${event.content}\n\n`;
  return undefined;
}

/** Returns the whole completion of a run. */
export async function toCompletion(
  events: AsyncIterable<TurnEvent>,
  { id, after: _after, ...head }: CompletionHead,
): Promise<object> {
  let reasoning = "";
  for await (const event of events) {
    reasoning += toReasoning(event) ?? "";
    if (event.type !== "end") continue;
    const { answer, execution, isCut } = event;
    return {
      id: `chatcmpl-${id}`,
      object: "chat.completion",
      ...head,
      choices: [{
        index: 0,
        message: {
          role: "assistant",
          content: answer,
          refusal: null,
          ...(reasoning !== "" && { reasoning_content: reasoning.trimEnd() }),
        },
        logprobs: null,
        finish_reason: isCut ? "length" : "stop",
      }],
      usage: toUsage(execution),
    };
  }
  throw new TypeError("A run ends with an event");
}

/** Yields the chunks of a completion as server-sent events. A run that fails ends with an event with the error. */
export async function* toChunks(
  events: AsyncIterable<TurnEvent>,
  { id, after: _after, ...head }: CompletionHead,
  { includesUsage, toError }: { includesUsage: boolean; toError: (error: unknown) => OpenAiError },
): AsyncGenerator<string, void, void> {
  const chunk = (choices: object[], more?: object) =>
    toEvent({ id: `chatcmpl-${id}`, object: "chat.completion.chunk", ...head, choices, ...more });
  const delta = (delta: object, finish_reason: string | null = null) =>
    chunk([{ index: 0, delta, logprobs: null, finish_reason }]);
  yield delta({ role: "assistant", content: "" });
  try {
    for await (const event of events) {
      const reasoning = toReasoning(event);
      if (reasoning !== undefined) yield delta({ reasoning_content: reasoning });
      if (event.type === "text") yield delta({ content: event.text });
      if (event.type !== "end") continue;
      yield delta({}, event.isCut ? "length" : "stop");
      if (includesUsage) yield chunk([], { usage: toUsage(event.execution) });
    }
    yield "data: [DONE]\n\n";
  } catch (error) {
    yield toEvent({ error: toError(error).shape });
  }
}
