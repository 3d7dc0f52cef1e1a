// The adapter for Google's Gemini API.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { toWireSchema } from "../answer_schema.ts";
import type { AssistantMessage, Message, ToolCall, ToolMessage } from "../message.ts";
import {
  type Model,
  type ModelDelta,
  ModelError,
  type ModelReply,
  type ModelRequest,
  refusal,
  type StopReason,
  textDelta,
  type Usage,
} from "../model.ts";
import { addMediaTurns } from "./media_turns.ts";
import { type BlockOwner, keepBlocks, keptBlocks } from "./kept_fields.ts";
import { type AdapterOptions, ProviderModel, type ReplyAssembler } from "./provider_model.ts";
import { toTokenCount } from "./token_count.ts";
import { toArgumentsObject } from "./tool_call_arguments.ts";
import { checkCallCount, inventCallId } from "./tool_call_assembly.ts";

/** Creates a model that calls the Gemini API. Throws ModelError for a name that would change the path of the API call. */
export function createModel(options: AdapterOptions): Model {
  const { id, name, apiKey } = options;
  if (name.includes("..")) {
    throw refusal(`Cannot use model ${id}: its name is not valid`);
  }
  const owner = { format: "google", model: name };
  const path = /^(models|tunedModels)\//.test(name) ? name : `models/${name}`;
  return new ProviderModel(options, {
    path: `/v1beta/${
      path.split("/").map(encodeURIComponent).join("/")
    }:streamGenerateContent?alt=sse`,
    headers: apiKey === undefined ? {} : { "x-goog-api-key": apiKey },
    body: (request) => ({
      ...toGooglePrompt(request, owner),
      generationConfig: {
        ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
        maxOutputTokens: request.maxTokens,
        ...(request.schema && {
          responseMimeType: "application/json",
          responseJsonSchema: toWireSchema(request.schema),
        }),
      },
    }),
    startReply: () => new GoogleReplyAssembler(owner),
    toChunks(whole) {
      const chunks = [whole].flat();
      const isChunk = (one: unknown) => isJsonObject(one) && (one.candidates ?? one.error);
      return chunks.length > 0 && chunks.every(isChunk) ? chunks : undefined;
    },
  });
}

type Content = { parts: JsonObject[]; role: string };

/**
 * Returns the system prompt, tools and contents of a request. Stored thought signatures are included only for their
 * `owner`.
 */
export function toGooglePrompt(
  request: Pick<ModelRequest, "messages" | "tools">,
  owner: BlockOwner,
): { contents: Content[]; systemInstruction?: JsonObject; tools?: JsonObject[] } {
  const system = request.messages.filter((message) => message.role === "system")
    .map((message) => message.content).join("\n\n");
  const functionDeclarations = request.tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parametersJsonSchema: parameters,
  }));
  return {
    contents: toContents(request.messages, owner),
    ...(system.trim() === ""
      ? {}
      : { systemInstruction: { parts: [{ text: system }], role: "user" } }),
    ...(functionDeclarations.length === 0 ? {} : { tools: [{ functionDeclarations }] }),
  };
}

/**
 * Joins consecutive messages of one role, such as several tool results. Tool results are in a content of their own, because
 * newer models refuse a content with results and text.
 */
function toContents(messages: readonly Message[], owner: BlockOwner): Content[] {
  const contents: Content[] = [];
  // The ids of calls that came from the provider. Only the results of these calls are sent with their id.
  const namedCalls = new Set<string>();
  for (const message of addMediaTurns(messages)) {
    if (message.role === "system") continue;
    const parts = toParts(message, { owner, namedCalls });
    if (parts.length === 0) continue;
    const role = message.role === "assistant" ? "model" : "user";
    const last = contents.at(-1);
    const isJoined = last?.role === role && holdsResults(last.parts) === holdsResults(parts);
    if (isJoined) last.parts.push(...parts);
    else contents.push({ parts, role });
  }
  return contents;
}

function holdsResults(parts: readonly JsonObject[]): boolean {
  return parts.some(({ functionResponse }) => functionResponse !== undefined);
}

function toParts(
  message: Exclude<Message, { role: "system" }>,
  options: { owner: BlockOwner; namedCalls: Set<string> },
): JsonObject[] {
  switch (message.role) {
    case "user":
      return [
        ...textParts(message.content),
        ...(message.media ?? []).map(({ mediaType: mimeType, data }) => (
          { inlineData: { mimeType, data } }
        )),
      ];
    case "tool":
      return [toolResult(message, options.namedCalls)];
    case "assistant":
      return assistantParts(message, options);
  }
  return message satisfies never;
}

function assistantParts(
  message: AssistantMessage,
  options: { owner: BlockOwner; namedCalls: Set<string> },
): JsonObject[] {
  const kept = keptBlocks(message, options.owner);
  if (kept !== undefined) {
    for (const part of kept) {
      const id = isJsonObject(part.functionCall) ? part.functionCall.id : undefined;
      if (typeof id === "string") options.namedCalls.add(id);
    }
    return kept;
  }
  return [
    ...textParts(message.content),
    ...message.toolCalls.map((call): JsonObject => ({
      functionCall: { args: toArgumentsObject(call.arguments), name: call.name },
    })),
  ];
}

function toolResult(message: ToolMessage, namedCalls: ReadonlySet<string>): JsonObject {
  const { toolCallId, toolName, content, isError } = message;
  return {
    functionResponse: {
      ...(namedCalls.has(toolCallId) ? { id: toolCallId } : {}),
      name: toolName,
      response: isError ? { error: content } : { output: content },
    },
  };
}

function textParts(text: string): JsonObject[] {
  return text === "" ? [] : [{ text }];
}

const STOP_REASONS: ReadonlyMap<string, StopReason> = new Map(Object.entries({
  STOP: "end",
  MAX_TOKENS: "length",
  SAFETY: "content_filter",
  RECITATION: "content_filter",
  LANGUAGE: "content_filter",
  BLOCKLIST: "content_filter",
  PROHIBITED_CONTENT: "content_filter",
  SPII: "content_filter",
}));

/** Finish reasons that mean invalid output of the model. A repeated request usually succeeds. */
const SYNTAX_FAILURES: ReadonlySet<string> = new Set([
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "MALFORMED_RESPONSE",
]);

/** Assembles one reply from the chunks of a Gemini stream. */
export class GoogleReplyAssembler implements ReplyAssembler {
  readonly #owner: BlockOwner;
  readonly #parts: JsonObject[] = [];
  readonly #toolCalls: ToolCall[] = [];
  #text = "";
  #finishReason: string | undefined;
  #blocked = false;
  usage: Usage | null = null;

  constructor(owner: BlockOwner) {
    this.#owner = owner;
  }

  add(chunk: unknown): ModelDelta {
    if (!isJsonObject(chunk)) return { type: "progress" };
    this.#addUsage(chunk.usageMetadata);
    if (isJsonObject(chunk.promptFeedback) && chunk.promptFeedback.blockReason !== undefined) {
      this.#blocked = true;
    }
    const [candidate] = Array.isArray(chunk.candidates) ? chunk.candidates : [];
    if (!isJsonObject(candidate)) return { type: "progress" };
    if (typeof candidate.finishReason === "string") this.#finishReason = candidate.finishReason;
    const parts = isJsonObject(candidate.content) ? candidate.content.parts : undefined;
    let text = "";
    for (const part of Array.isArray(parts) ? parts : []) {
      if (isJsonObject(part)) text += this.#addPart(part);
    }
    this.#text += text;
    return textDelta(text);
  }

  /**
   * Returns the complete reply, or undefined without a finish reason. Throws a retryable ModelError for invalid output of
   * the model.
   */
  finish(): ModelReply | undefined {
    const reason = this.#finishReason;
    if (reason === undefined && !this.#blocked) return undefined;
    if (reason !== undefined && SYNTAX_FAILURES.has(reason)) {
      const shown = reason.toLowerCase().replaceAll("_", " ");
      throw new ModelError(`google could not finish its reply: ${shown}`, { retryable: true });
    }
    const signed = this.#parts.some((part) => part.thoughtSignature !== undefined);
    const named = this.#parts.some((part) =>
      isJsonObject(part.functionCall) && typeof part.functionCall.id === "string"
    );
    return {
      message: {
        role: "assistant",
        content: this.#text,
        toolCalls: this.#toolCalls,
        ...(signed || named ? { providerData: keepBlocks(this.#owner, this.#parts) } : {}),
      },
      stop: this.#stop(),
      usage: this.usage,
      reportedCostUsd: null,
    };
  }

  #addPart(part: JsonObject): string {
    if (part.thought === true) return "";
    if (isJsonObject(part.functionCall)) {
      checkCallCount(this.#toolCalls.length + 1);
      this.#parts.push(part);
      this.#toolCalls.push(this.#toToolCall(part.functionCall));
      return "";
    }
    const text = typeof part.text === "string" ? part.text : "";
    const last = this.#parts.at(-1);
    // Pieces of text are joined into one part. A piece with a signature stays separate, because the signature belongs to
    // its part.
    if (
      typeof last?.text === "string" && last.thoughtSignature === undefined &&
      part.thoughtSignature === undefined && Object.keys(part).length === 1
    ) last.text += text;
    else if (text !== "" || part.thoughtSignature !== undefined) this.#parts.push({ ...part });
    return text;
  }

  #toToolCall(call: JsonObject): ToolCall {
    const given = typeof call.id === "string" ? call.id : "";
    const taken = given === "" || this.#toolCalls.some(({ id }) => id === given);
    return {
      id: taken ? inventCallId() : given,
      name: typeof call.name === "string" ? call.name : "",
      arguments: JSON.stringify(call.args ?? {}),
    };
  }

  /** Reads running totals. Thinking counts as output; results of the provider's own tools count as input. */
  #addUsage(usage: JsonValue | undefined): void {
    if (!isJsonObject(usage) || typeof usage.promptTokenCount !== "number") return;
    this.usage = {
      inputTokens: toTokenCount(usage.promptTokenCount) +
        toTokenCount(usage.toolUsePromptTokenCount),
      outputTokens: toTokenCount(usage.candidatesTokenCount) +
        toTokenCount(usage.thoughtsTokenCount),
      cacheReadTokens: toTokenCount(usage.cachedContentTokenCount),
      cacheWriteTokens: 0,
    };
  }

  #stop(): StopReason {
    if (this.#finishReason === undefined) return "content_filter";
    const stop = STOP_REASONS.get(this.#finishReason) ?? "unknown";
    return stop === "end" && this.#toolCalls.length > 0 ? "tool_calls" : stop;
  }
}
