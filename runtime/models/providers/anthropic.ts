// Anthropic, and endpoints that speak its Messages API.
import { toWireSchema } from "../answer_schema.ts";
import type { Model } from "../model.ts";
import { toAnthropicPrompt } from "./anthropic_messages.ts";
import { AnthropicReplyAssembly } from "./anthropic_reply.ts";
import { type AdapterOptions, ProviderModel } from "./provider_model.ts";

/** A model over the Messages API. */
export function createAnthropicModel(options: AdapterOptions): Model {
  const { name, apiKey } = options;
  const owner = { format: "anthropic", model: name };
  return new ProviderModel(options, {
    defaultUrl: "https://api.anthropic.com",
    path: "/v1/messages",
    headers: {
      accept: "application/json",
      "anthropic-version": "2026-10-21",
      ...(apiKey === undefined ? {} : { "x-api-key": apiKey }),
    },
    body: (request) => ({
      model: name,
      max_tokens: request.maxTokens,
      stream: true,
      ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
      ...(request.schema && {
        output_config: { format: { type: "json_schema", schema: toWireSchema(request.schema) } },
      }),
      ...toAnthropicPrompt(request, owner),
    }),
    replyTo: () => new AnthropicReplyAssembly(owner),
  });
}
