// Defines models in configuration files: the named providers, and the fields of `model`. runtime/models calls models.
import { z } from "zod";
import { baseUrl, field, filledText, oneOrMore, variableName } from "./fields.ts";

/** The names of providers that need no `base_url`. Any other name is an OpenAI-compatible endpoint with a `base_url`. */
export const NAMED_PROVIDERS = [
  "openai",
  "anthropic",
  "google",
  "ollama",
  "local",
  "demo",
] as const;

/** The name of a provider that needs no `base_url`. */
export type NamedProvider = typeof NAMED_PROVIDERS[number];

/** Returns true if a provider needs no `base_url`. */
export function isNamedProvider(provider: string): provider is NamedProvider {
  return (NAMED_PROVIDERS as readonly string[]).includes(provider);
}

/** The settings of a model and its endpoint. */
export interface ModelSettings {
  provider: string;
  name: string;
  baseUrl?: string;
  /** The name of the variable with the key; absent for `<PROVIDER>_API_KEY`. */
  apiKeyEnv?: string;
  streamUsage: boolean;
  /** The context window in tokens, for input and output. Overrides the price table. */
  contextWindow?: number;
  /** The maximum number of tools that the endpoint accepts. */
  maxTools?: number;
  /** The kinds of input that the model accepts; absent if `model.input` does not list them. */
  input?: readonly ("text" | "image" | "pdf")[];
  /** The models to call, in this order, if this model cannot be used. They have no fallbacks of their own. */
  fallback?: readonly ModelSettings[];
}

/** Returns a model and its fallbacks, in the order of their calls. */
export function modelChain(model: ModelSettings | undefined): readonly ModelSettings[] {
  return model === undefined ? [] : [model, ...model.fallback ?? []];
}

const PROVIDER = {
  description: "openai, anthropic, google, ollama, local, demo, or any other name with base_url; " +
    "short: `model: provider/name`",
  default: "required",
};

/** The schema of a model that is written as a map. */
export const modelSchema = z.object({
  provider: filledText.meta(PROVIDER),
  name: filledText.meta({
    description: "The name that the provider uses for the model",
    default: "required",
  }),
  base_url: baseUrl.nullish().meta({
    description:
      "The address to use instead of the provider's own; `/v1` is appended for OpenAI-compatible endpoints",
  }),
  url: baseUrl.nullish().meta({ description: "Alias of base_url" }),
  api_key_env: variableName.nullish().meta({
    description: "The environment variable that holds the key",
    default: "`<PROVIDER>_API_KEY`",
  }),
  stream_usage: field(
    z.boolean(),
    true,
    "Requests token counts while streaming; set `false` only for endpoints that reject the request",
  ),
  context_window: z.int().min(1_000).nullish().meta({
    description: "The model's context window in tokens; longer conversations are shortened",
    default: "from the price table",
  }),
  max_tools: z.int().min(1).nullish().meta({
    description: "The maximum number of tools that the endpoint accepts",
    default: "128 at openai",
  }),
  input: z.array(z.enum(["text", "image", "pdf"])).nullish().meta({
    values: "list of `text`, `image`, `pdf`",
    description:
      "The kinds of input that the model accepts; pictures and PDF files come from tools",
    default: "depends on the model",
  }),
});

/** Returns the schema of a model that may also be written as text. */
const orText = <Schema extends z.ZodType>(schema: Schema) =>
  z.union([filledText, schema], { error: "must be text, or a map of keys and values" });

const withoutProvider = modelSchema.extend({ provider: filledText.nullish().meta(PROVIDER) });

/** The schema of a model that is written as a map or as text. */
export const modelOrText = orText(
  withoutProvider.extend({
    fallback: oneOrMore(orText(withoutProvider)).nullish().meta({
      values: "list of texts or maps",
      description:
        "Models that are called, in this order, if this model is down, out of quota or refused; each " +
        "entry is written as `model`",
    }),
  }),
).nullish();

type WrittenModel = z.output<typeof withoutProvider>;

/** The provider and name in the text of a model. Without a provider, the default provider has the model. */
export interface ModelName {
  provider?: string;
  name: string;
}

/**
 * Parses the text of a model: `provider/name`, or only the name. The part before the first slash is a provider only if it
 * is a named provider or one of `configured`, because names of models may contain slashes.
 */
export function readModelText(
  text: string,
  configured: readonly (string | null | undefined)[],
): ModelName {
  const slash = text.indexOf("/");
  const provider = text.slice(0, Math.max(0, slash));
  if (!isNamedProvider(provider) && !configured.includes(provider)) return { name: text };
  return { provider, name: text.slice(slash + 1) };
}

/** The fields of config.yaml that apply to models without their own. */
interface ModelDefaults {
  provider?: string | null | undefined;
  model?: string | null | undefined;
  baseUrl?: string | null | undefined;
}

/** Returns the model of an agent. Absent fields have the values of config.yaml. */
export function toModel(
  written: z.output<typeof modelOrText>,
  defaults: ModelDefaults,
): ModelSettings | undefined {
  const ofConfig = { provider: defaults.provider, name: defaults.model };
  const own = written ?? modelSchema.safeParse(ofConfig).data;
  if (own === undefined) return undefined;
  const model = toSettings(own, defaults);
  const entries = typeof written === "object" ? written?.fallback ?? [] : [];
  const fallback = entries.map((one) => toSettings(one, defaults, model));
  return fallback.length === 0 ? model : { ...model, fallback };
}

/**
 * Returns the settings of one model. For a fallback, `first` is the model that it replaces. A fallback of the same provider
 * inherits the endpoint of `first`.
 */
function toSettings(
  written: string | WrittenModel,
  defaults: ModelDefaults,
  first?: ModelSettings,
): ModelSettings {
  const model = typeof written === "string"
    ? withoutProvider.parse(readModelText(written, [defaults.provider, first?.provider]))
    : written;
  // definition_rules.ts refuses a model for which no provider is known.
  const provider = model.provider ?? defaults.provider ?? first?.provider ?? "";
  const given = model.base_url ?? model.url;
  const like = given == null && first?.provider === provider ? first : undefined;
  const ofProvider = provider === defaults.provider ? defaults.baseUrl : undefined;
  const baseUrl = given ?? like?.baseUrl ?? ofProvider;
  const apiKeyEnv = model.api_key_env ?? like?.apiKeyEnv;
  return {
    provider,
    name: model.name,
    ...(baseUrl == null ? {} : { baseUrl }),
    ...(apiKeyEnv == null ? {} : { apiKeyEnv }),
    streamUsage: model.stream_usage,
    ...(model.context_window == null ? {} : { contextWindow: model.context_window }),
    ...(model.max_tools == null ? {} : { maxTools: model.max_tools }),
    ...(model.input == null ? {} : { input: model.input }),
  };
}
