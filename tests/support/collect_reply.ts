// Runs one model call to its end and collects its deltas and its reply.
import assert from "node:assert/strict";
import {
  type Model,
  type ModelDelta,
  ModelError,
  type ModelReply,
  type ModelRequest,
} from "../../runtime/models/model.ts";

/** A finished model call: its deltas in order, their joined text since the last restart, and its reply. */
export interface CollectedReply {
  deltas: ModelDelta[];
  text: string;
  reply: ModelReply;
}

/** Creates a request with one user turn and no tools; `overrides` replace its fields. */
export function modelRequest(overrides: Partial<ModelRequest> = {}): ModelRequest {
  return {
    messages: [{ role: "user", content: "Hello" }],
    tools: [],
    temperature: 0.7,
    maxTokens: 4096,
    ...overrides,
  };
}

/** Calls a model and collects its output until the call ends; `onDelta` receives each delta at once. */
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

/** Returns the ModelError of a failed call. Fails the test if the call succeeds or throws another error. */
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
