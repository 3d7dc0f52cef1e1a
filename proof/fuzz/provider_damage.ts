// Generates damage to a provider's stream: cuts, lost and repeated events, chunks with any JSON, and bytes that are no
// text.
import fc from "fast-check";
import type { ModelServer, ModelStep } from "../../tests/support/models/model_server.ts";
import { anyText, ODD_CHARACTERS } from "./odd_text.ts";
import { LETTERS, textOf } from "../../tests/support/any_text.ts";

const words = fc.array(
  fc.oneof(
    fc.constantFrom(
      "Hello ",
      "wörld ",
      "🚀",
      "\n",
      '"',
      "\\",
      "data: ",
      "\u2028",
      "\ufeff",
      "\r\n",
    ),
    fc.string({ maxLength: 8 }),
  ),
  { minLength: 1, maxLength: 6 },
).map((pieces) => pieces.filter((piece) => piece !== "")).filter((pieces) => pieces.length > 0);
const call = fc.record({
  name: textOf(`${LETTERS}_`, { minLength: 1, maxLength: 12 }),
  arguments: fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue({ maxDepth: 1 }), {
    maxKeys: 3,
  })
    // Convert the value to text and back, because -0 becomes 0 in JSON and the adapters convert values to text again.
    .map((value) => JSON.parse(JSON.stringify(value))),
});
const oddChunk = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constantFrom(-1, 1.5, 1e21, "", null)),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(
      fc.constantFrom(
        ...[
          "choices",
          "index",
          "delta",
          "content",
          "tool_calls",
          "function",
          "name",
          "arguments",
          "id",
          "refusal",
        ],
        ...[
          "finish_reason",
          "usage",
          "prompt_tokens",
          "completion_tokens",
          "cost",
          "error",
          "message",
          "code",
        ],
        ...[
          "type",
          "content_block",
          "text",
          "partial_json",
          "stop_reason",
          "input_tokens",
          "output_tokens",
        ],
        ...[
          "candidates",
          "parts",
          "functionCall",
          "args",
          "finishReason",
          "usageMetadata",
          "promptTokenCount",
        ],
        ...[
          "candidatesTokenCount",
          "thought",
          "promptFeedback",
          "done",
          "prompt_eval_count",
          "eval_count",
          "input",
        ],
      ),
      tie("value"),
      { maxKeys: 4 },
    ),
  ),
})).value;
/** Wrong token counts, as broken endpoints report them, for the fields of each format. */
const oddCount = fc.constantFrom(-1, 0, 0.4, 1.5, 1e21, 1e308, "7", null, true);
const oddUsage = fc.tuple(oddCount, oddCount, oddCount).map(([input, output, other]) => ({
  usage: {
    prompt_tokens: input,
    completion_tokens: output,
    cost: other,
    input_tokens: input,
    output_tokens: output,
    cache_read_input_tokens: other,
  },
  usageMetadata: {
    promptTokenCount: input,
    candidatesTokenCount: output,
    thoughtsTokenCount: other,
  },
  type: "message_delta",
  delta: { stop_reason: "end_turn" },
  done: true,
  prompt_eval_count: input,
  eval_count: output,
}));

/** Generates replies with text and sometimes with tool calls. */
export const replySteps: fc.Arbitrary<ModelStep> = fc.record({
  text: words,
  toolCalls: fc.array(call, { maxLength: 2 }),
}).map(({ text, toolCalls }) => ({ text, ...(toolCalls.length > 0 && { toolCalls }) }));

/** A kind of damage to a stream. `share` is the place of the damage as a fraction of the stream's bytes. */
export type Damage =
  | { kind: "none" }
  | { kind: "cut"; share: number }
  | { kind: "mixed"; order: readonly number[] }
  | { kind: "odd"; at: number; chunks: readonly unknown[] }
  | { kind: "garbled"; edits: readonly { share: number; gone: number; put: Uint8Array }[] }
  | { kind: "noise"; pieces: readonly string[] };

const share = fc.double({ min: 0, max: 1, noNaN: true });
const garbage = fc.oneof(
  fc.uint8Array({ maxLength: 4 }),
  fc.constantFrom("\n", "\n\n", "\r", "data:", '"', "{", "}", "null", "1e999", "-1", "\0", "\ufeff")
    .map((text) => new TextEncoder().encode(text)),
);
/** Generates every kind of damage, and also no damage. */
export const damage: fc.Arbitrary<Damage> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ kind: "none" as const }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("cut" as const), share }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("mixed" as const),
      order: fc.array(fc.nat(20), { maxLength: 12 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("odd" as const),
      at: fc.nat(10),
      chunks: fc.array(fc.oneof(oddChunk, oddUsage), { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("garbled" as const),
      edits: fc.array(fc.record({ share, gone: fc.nat(6), put: garbage }), {
        minLength: 1,
        maxLength: 4,
      }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("noise" as const),
      pieces: fc.array(
        fc.oneof(
          fc.constantFrom(
            "data: ",
            "event: x",
            "event: error\n",
            "data: [DONE]\n\n",
            "{",
            "}",
            "\n\n",
            ": c\n",
            "id: 1\n",
            "\r",
          ),
          fc.constantFrom(
            'data: {"error":{"message":"no"}}\n\n',
            '{"error":"no"}\n',
            "retry: 0\n",
            ...ODD_CHARACTERS,
          ),
          anyText,
        ),
        { maxLength: 10 },
      ),
    }),
  },
);

/** Returns the bytes of a stream of these pieces after the damage. */
export function damaged(
  pieces: readonly string[],
  damage: Damage,
  server: ModelServer,
): Uint8Array {
  const encode = (parts: readonly string[]) => new TextEncoder().encode(parts.join(""));
  switch (damage.kind) {
    case "none":
      return encode(pieces);
    case "cut": {
      const whole = encode(pieces);
      return whole.slice(0, Math.floor(whole.length * damage.share));
    }
    case "mixed":
      return encode(damage.order.map((at) => pieces[at % pieces.length] ?? ""));
    case "odd": {
      const odd = damage.chunks.flatMap((chunk) =>
        server.write({ chunks: [chunk], then: "end" }).slice(-1)
      );
      return encode(pieces.toSpliced(damage.at % (pieces.length + 1), 0, ...odd));
    }
    case "garbled": {
      let bytes = encode(pieces);
      for (const { share, gone, put } of damage.edits) {
        const at = Math.floor(bytes.length * share);
        bytes = Uint8Array.from([...bytes.slice(0, at), ...put, ...bytes.slice(at + gone)]);
      }
      return bytes;
    }
    case "noise":
      return encode(damage.pieces);
    default:
      return damage satisfies never;
  }
}

/** Returns the bytes in pieces of the given lengths; the last piece is the remainder. */
export function inPieces(bytes: Uint8Array, lengths: readonly number[]): Uint8Array<ArrayBuffer>[] {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let at = 0;
  for (const length of lengths) {
    if (at >= bytes.length) break;
    pieces.push(Uint8Array.from(bytes.slice(at, at + length)));
    at += length;
  }
  if (at < bytes.length) pieces.push(Uint8Array.from(bytes.slice(at)));
  return pieces;
}
