// A scripted Chat Completions endpoint on this machine; model_server.ts describes the script.
import type { JsonObject } from "../../../base/json.ts";
import { ModelServer, type ModelStep, type WireFormat } from "./model_server.ts";

/** The endpoint's answer to one request. */
export type OpenAiStep = ModelStep;

/** A scripted Chat Completions endpoint. */
export class OpenAiServer extends ModelServer {
  constructor(steps: OpenAiStep[] = [], judge?: (body: JsonObject) => OpenAiStep, port?: number) {
    super(CHAT_COMPLETIONS, steps, judge, port);
  }

  /** The base URL, including `/v1`. */
  get url(): string {
    return `${this.origin}/v1`;
  }
}

/** The Chat Completions format: a stream of server-sent events. */
export const CHAT_COMPLETIONS: WireFormat = { contentType: "text/event-stream", write: eventsOf };

function eventsOf(step: ModelStep): string[] {
  const pieces = typeof step.text === "string" ? [step.text] : step.text ?? [];
  const chunks: unknown[] = pieces.map((content) => delta({ content }));
  step.toolCalls?.forEach(({ id, name, arguments: args }, index) => {
    const text = typeof args === "string" ? args : JSON.stringify(args);
    const half = Math.ceil(text.length / 2);
    chunks.push(
      delta({
        tool_calls: [{
          index,
          id: id ?? `call_${index}`,
          type: "function",
          function: { name, arguments: text.slice(0, half) },
        }],
      }),
      delta({ tool_calls: [{ index, function: { arguments: text.slice(half) } }] }),
    );
  });
  chunks.push(...step.chunks ?? []);
  const events = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
  if (step.raw !== undefined) events.push(step.raw);
  if (step.then !== undefined) return events;
  const finish = step.finish === undefined
    ? (step.toolCalls === undefined ? "stop" : "tool_calls")
    : step.finish;
  if (finish !== null) {
    const last = { choices: [{ index: 0, delta: {}, finish_reason: finish }] };
    events.push(`data: ${JSON.stringify(last)}\n\n`);
  }
  if (step.usage !== null) {
    const usage = step.usage ?? { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    events.push(`data: ${JSON.stringify({ choices: [], usage })}\n\n`);
  }
  return [...events, "data: [DONE]\n\n"];
}

function delta(delta: JsonObject): unknown {
  return {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "test",
    choices: [{ index: 0, delta, finish_reason: null }],
  };
}
