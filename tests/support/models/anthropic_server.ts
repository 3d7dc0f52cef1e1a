// A scripted Messages endpoint on this machine; model_server.ts describes the script.
import type { JsonObject } from "../../../base/json.ts";
import { ModelServer, type ModelStep, type WireFormat } from "./model_server.ts";

/** A scripted Messages endpoint. */
export class AnthropicServer extends ModelServer {
  constructor(steps: ModelStep[] = []) {
    super(MESSAGES, steps);
  }
}

const MESSAGES: WireFormat = { contentType: "text/event-stream", write: eventsOf };

function eventsOf(step: ModelStep): string[] {
  const usage = step.usage === undefined ? { input_tokens: 10, output_tokens: 5 } : step.usage;
  const events = [event("message_start", {
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "test",
      content: [],
      ...(usage === null ? {} : { usage: { ...usage, output_tokens: 1 } }),
    },
  })];
  let index = 0;
  const block = (start: JsonObject, deltas: JsonObject[]) => {
    events.push(event("content_block_start", { index, content_block: start }));
    for (const delta of deltas) events.push(event("content_block_delta", { index, delta }));
    events.push(event("content_block_stop", { index }));
    index++;
  };
  const pieces = typeof step.text === "string" ? [step.text] : step.text;
  if (pieces !== undefined) {
    block({ type: "text", text: "" }, pieces.map((text) => ({ type: "text_delta", text })));
  }
  step.toolCalls?.forEach(({ id, name, arguments: args }, number) => {
    const text = typeof args === "string" ? args : JSON.stringify(args);
    const half = Math.ceil(text.length / 2);
    block({ type: "tool_use", id: id ?? `toolu_${number}`, name, input: {} }, [
      { type: "input_json_delta", partial_json: text.slice(0, half) },
      { type: "input_json_delta", partial_json: text.slice(half) },
    ]);
  });
  for (const chunk of step.chunks ?? []) events.push(event(typeOf(chunk), chunk));
  if (step.raw !== undefined) events.push(step.raw);
  if (step.then !== undefined) return events;
  const reason = step.finish === undefined
    ? (step.toolCalls === undefined ? "end_turn" : "tool_use")
    : step.finish;
  if (reason !== null) {
    events.push(event("message_delta", {
      delta: { stop_reason: reason, stop_sequence: null },
      ...(usage === null ? {} : { usage: { output_tokens: usage.output_tokens ?? 5 } }),
    }));
  }
  return [...events, event("message_stop", {})];
}

function event(type: string, data: unknown): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...Object(data) })}\n\n`;
}

function typeOf(chunk: unknown): string {
  const { type } = Object(chunk);
  return typeof type === "string" ? type : "unknown";
}
