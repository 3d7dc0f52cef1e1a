// Google's Gemini API.
import { toWireSchema } from "../answer_schema.ts";
import { type Model, ModelError } from "../model.ts";
import { toGooglePrompt } from "./google_messages.ts";
import { GoogleReplyAssembly } from "./google_reply.ts";
import { type AdapterOptions, ProviderModel } from "./provider_model.ts";

/** A model over the Gemini API. Throws ModelError for a name that leads elsewhere in the API. */
export function createGoogleModel(options: AdapterOptions): Model {
  const { id, name, apiKey } = options;
  if (name.includes("..")) {
    throw new ModelError(`Cannot use model ${id}: its name is not valid`, { retryable: false });
  }
  const owner = { format: "google", model: name };
  const path = /^(models|tunedModels)\//.test(name) ? name : `models/${name}`;
  return new ProviderModel(options, {
    defaultUrl: "https://generativelanguage.googleapis.com",
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
    replyTo: () => new GoogleReplyAssembly(owner),
  });
}
