// A scripted Gemini endpoint on this machine; model_server.ts describes the script.
import type { JsonObject } from "../../../base/json.ts";
import { ModelServer, type ModelStep, type WireFormat } from "./model_server.ts";

/** A scripted Gemini endpoint. */
export class GoogleServer extends ModelServer {
  constructor(steps: ModelStep[] = []) {
    super(GENERATE_CONTENT, steps);
  }
}

const GENERATE_CONTENT: WireFormat = { contentType: "text/event-stream", write: eventsOf };

function eventsOf(step: ModelStep): string[] {
  const pieces = typeof step.text === "string" ? [step.text] : step.text ?? [];
  const chunks: unknown[] = pieces.map((text) => content([{ text }]));
  const calls = (step.toolCalls ?? []).map(({ id, name, arguments: args }) => ({
    functionCall: {
      ...(id === undefined ? {} : { id }),
      name,
      args: typeof args === "string" ? JSON.parse(args) : args,
    },
  }));
  if (calls.length > 0) chunks.push(content(calls));
  chunks.push(...step.chunks ?? []);
  const events = chunks.map(event);
  if (step.raw !== undefined) events.push(step.raw);
  if (step.then !== undefined) return events;
  const usageMetadata = step.usage === undefined
    ? { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 }
    : step.usage;
  const finishReason = step.finish === undefined ? "STOP" : step.finish;
  events.push(event({
    candidates: [{ index: 0, ...(finishReason === null ? {} : { finishReason }) }],
    ...(usageMetadata === null ? {} : { usageMetadata }),
  }));
  return events;
}

function content(parts: JsonObject[]): unknown {
  return { candidates: [{ index: 0, content: { role: "model", parts } }] };
}

function event(chunk: unknown): string {
  return `data: ${JSON.stringify(chunk)}\r\n\r\n`;
}
