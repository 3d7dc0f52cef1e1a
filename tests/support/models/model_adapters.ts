// The model adapters that tests/runtime/models/contract_test.ts checks, each with examples of its wire format.
import { FREE_BILLING } from "./free_billing.ts";
import type { JsonObject } from "../../../base/json.ts";
import type { Model } from "../../../runtime/models/model.ts";
import { resolveModel } from "../../../runtime/models/calls/resolve.ts";
import { withRetry } from "../../../runtime/models/calls/retry.ts";
import { AnthropicServer } from "./anthropic_server.ts";
import { GoogleServer } from "./google_server.ts";
import type { ModelServer, ModelStep, ReceivedRequest } from "./model_server.ts";
import { OllamaServer } from "./ollama_server.ts";
import { OpenAiServer } from "./openai_server.ts";
import { TestClock } from "../test_clock.ts";

/** The API key that every adapter sends. */
export const KEY = "sk-distinctive-0123456789";

/** A model adapter with examples of its wire format. */
export interface Adapter {
  provider: string;
  serve: (steps: ModelStep[]) => ModelServer;
  /** Returns the API key of a request, or null. */
  keyOf: (request: ReceivedRequest) => string | null;
  path: string;
  /** Returns the body of an error response with this message. */
  errorBody: (message: string) => string;
  /** The request's messages after a turn with two calls and their results, in this wire format. */
  roundTrip: readonly JsonObject[];
  /** The messages that follow the two calls if their results contain instructions. */
  instructed: unknown;
  messagesOf: (body: JsonObject) => unknown;
}

const bearer = (request: ReceivedRequest) => request.headers.get("authorization");
const openAiError = (message: string) => JSON.stringify({ error: { message } });

const openAiRoundTrip = [
  { role: "user", content: "Read both." },
  {
    role: "assistant",
    content: "Reading.",
    tool_calls: [
      { id: "c0", type: "function", function: { name: "read", arguments: '{"path":"a"}' } },
      { id: "c1", type: "function", function: { name: "read", arguments: '{"path":"b"}' } },
    ],
  },
  { role: "tool", tool_call_id: "c0", content: "A" },
  { role: "tool", tool_call_id: "c1", content: "Error: gone" },
];

/** Each adapter with its provider, and a second provider that uses the OpenAI adapter. */
export const ADAPTERS: Adapter[] = [
  ...["openai", "mine"].map((provider): Adapter => ({
    provider,
    serve: (steps) => new OpenAiServer(steps),
    keyOf: bearer,
    path: "/v1/chat/completions",
    errorBody: openAiError,
    roundTrip: openAiRoundTrip,
    instructed: provider === "openai"
      ? [...openAiRoundTrip.slice(2), { role: "user", content: "One" }, {
        role: "user",
        content: "Two",
      }]
      : [openAiRoundTrip[2], {
        role: "tool",
        tool_call_id: "c1",
        content: "Error: gone\n\nOne\n\nTwo",
      }],
    messagesOf: (body) => body.messages,
  })),
  {
    provider: "anthropic",
    serve: (steps) => new AnthropicServer(steps),
    keyOf: (request) => request.headers.get("x-api-key"),
    path: "/v1/messages",
    errorBody: (message) =>
      JSON.stringify({ type: "error", error: { type: "some_error", message } }),
    roundTrip: [
      { role: "user", content: [{ type: "text", text: "Read both." }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Reading." },
          { type: "tool_use", id: "c0", name: "read", input: { path: "a" } },
          { type: "tool_use", id: "c1", name: "read", input: { path: "b" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c0", content: [{ type: "text", text: "A" }] },
          {
            type: "tool_result",
            tool_use_id: "c1",
            content: [{ type: "text", text: "Error: gone" }],
            is_error: true,
          },
        ],
      },
    ],
    instructed: [{
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "c0", content: [{ type: "text", text: "A" }] },
        {
          type: "tool_result",
          tool_use_id: "c1",
          content: [{ type: "text", text: "Error: gone" }],
          is_error: true,
        },
        { type: "text", text: "One" },
        { type: "text", text: "Two" },
      ],
    }],
    messagesOf: (body) => body.messages,
  },
  {
    provider: "google",
    serve: (steps) => new GoogleServer(steps),
    keyOf: (request) => request.headers.get("x-goog-api-key"),
    path: "/v1beta/models/m:streamGenerateContent",
    errorBody: (message) => JSON.stringify({ error: { code: 400, message, status: "SOME" } }),
    roundTrip: [
      { role: "user", parts: [{ text: "Read both." }] },
      {
        role: "model",
        parts: [
          { text: "Reading." },
          { functionCall: { id: "c0", name: "read", args: { path: "a" } } },
          { functionCall: { id: "c1", name: "read", args: { path: "b" } } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "c0", name: "read", response: { output: "A" } } },
          { functionResponse: { id: "c1", name: "read", response: { error: "Error: gone" } } },
        ],
      },
    ],
    instructed: [
      {
        role: "user",
        parts: [
          { functionResponse: { id: "c0", name: "read", response: { output: "A" } } },
          { functionResponse: { id: "c1", name: "read", response: { error: "Error: gone" } } },
        ],
      },
      { role: "user", parts: [{ text: "One" }, { text: "Two" }] },
    ],
    messagesOf: (body) => body.contents,
  },
  {
    provider: "ollama",
    serve: (steps) => new OllamaServer(steps),
    keyOf: bearer,
    path: "/api/chat",
    errorBody: (message) => JSON.stringify({ error: message }),
    roundTrip: [
      { role: "user", content: "Read both." },
      {
        role: "assistant",
        content: "Reading.",
        tool_calls: [
          { function: { name: "read", arguments: { path: "a" } } },
          { function: { name: "read", arguments: { path: "b" } } },
        ],
      },
      { role: "tool", tool_name: "read", content: "A" },
      { role: "tool", tool_name: "read", content: "Error: gone" },
    ],
    instructed: [
      { role: "tool", tool_name: "read", content: "A" },
      { role: "tool", tool_name: "read", content: "Error: gone" },
      { role: "user", content: "One" },
      { role: "user", content: "Two" },
    ],
    messagesOf: (body) => body.messages,
  },
];

/** Opens an adapter's model that calls the given server, as the runtime would. */
export function open(
  adapter: Adapter,
  server: ModelServer,
  clock = new TestClock(),
): Promise<Model> {
  return resolveModel(
    { provider: adapter.provider, name: "m", baseUrl: server.origin, streamUsage: true },
    {
      settings: {
        environment: { get: () => KEY, secrets: () => [] },
        directories: { workspaceEnvFile: "/nowhere/.env" },
        config: { pinKeys: false },
      },
      clock,
      log: { write: () => {} },
    },
    FREE_BILLING,
  );
}

/** Opens an adapter's model with retries, and its log. */
export async function openPatient(
  adapter: Adapter,
  server: ModelServer,
): Promise<{ model: Model; clock: TestClock; log: string[] }> {
  const clock = new TestClock();
  const log: string[] = [];
  const model = withRetry(await open(adapter, server, clock), {
    clock,
    timeoutMs: 300_000,
    log: { write: (_level, message, fields) => log.push(`${message} ${JSON.stringify(fields)}`) },
    random: () => 0.5,
  });
  return { model, clock, log };
}
