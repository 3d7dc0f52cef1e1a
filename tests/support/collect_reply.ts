// Runs one model call to its end and keeps what it yielded.
import type { Model, ModelDelta, ModelReply, ModelRequest } from "../../runtime/models/model.ts";

/** A whole call: every delta in order, their text joined, and the reply. */
export interface CollectedReply {
  deltas: ModelDelta[];
  text: string;
  reply: ModelReply;
}

/** A request with one user turn and no tools, changed by `overrides`. */
export function modelRequest(
  overrides: Partial<ModelRequest> = {},
): ModelRequest {
  return {
    messages: [{ role: "user", content: "Hello" }],
    tools: [],
    temperature: 0.7,
    maxTokens: 4096,
    ...overrides,
  };
}

/** Calls a model and reads it to the end; `onDelta` sees each delta as it comes. */
export async function collectReply(
  model: Model,
  request: ModelRequest = modelRequest(),
  options: { signal?: AbortSignal; onDelta?: (delta: ModelDelta) => void } = {},
): Promise<CollectedReply> {
  const stream = model.generate(request, {
    signal: options.signal ?? new AbortController().signal,
  });
  const deltas: ModelDelta[] = [];
  for (;;) {
    const next = await stream.next();
    if (next.done) {
      const text = deltas.map((delta) => delta.type === "text" ? delta.text : "").join("");
      return { deltas, text, reply: next.value };
    }
    deltas.push(next.value);
    options.onDelta?.(next.value);
  }
}
