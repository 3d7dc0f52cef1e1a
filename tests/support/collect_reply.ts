// Runs one model call to its end and keeps what it yielded.
import assert from "node:assert/strict";
import {
  type Model,
  type ModelDelta,
  ModelError,
  type ModelReply,
  type ModelRequest,
} from "../../runtime/models/model.ts";

/** A whole call: every delta in order, their text joined (from the last restart on), and the reply. */
export interface CollectedReply {
  deltas: ModelDelta[];
  text: string;
  reply: ModelReply;
}

/** A request with one user turn and no tools, changed by `overrides`. */
export function modelRequest(overrides: Partial<ModelRequest> = {}): ModelRequest {
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
      const restart = deltas.findLastIndex((delta) => delta.type === "restart");
      const text = deltas.slice(restart + 1)
        .map((delta) => delta.type === "text" ? delta.text : "").join("");
      return { deltas, text, reply: next.value };
    }
    deltas.push(next.value);
    options.onDelta?.(next.value);
  }
}

/** The ModelError that a call ends with; fails when it succeeds or ends with anything else. */
export async function failureOf(
  model: Model,
  request: ModelRequest = modelRequest(),
): Promise<ModelError> {
  const error = await collectReply(model, request).then(
    () => assert.fail("the call succeeded"),
    (error: unknown) => error,
  );
  assert.ok(error instanceof ModelError, String(error));
  return error;
}
