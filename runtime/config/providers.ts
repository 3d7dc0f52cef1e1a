// Defines models in configuration files: the named providers, and the fields of `model`. runtime/models calls models.
import { z } from "zod";
import { baseUrl, field, filledText, oneOrMore, variableName } from "./fields.ts";

/** A provider that needs no `base_url`. */
export interface Provider<Adapter extends string = string> {
  /** The adapter for its wire format, as in runtime/models/providers/adapters.ts. */
  adapter: Adapter;
  /** Its own address; empty for a model without network calls. */
  url: string;
  /** Its domains; null if its key may be sent to any host. */
  hosts: readonly string[] | null;
  /**
   * The need for a key; absent if each call needs one. `elsewhere`: only calls to other hosts than this machine need it.
   * `optional`: no call needs it, but it is sent if it is set. `none`: there is no key.
   */
  key?: "elsewhere" | "optional" | "none";
  /** A capable model at a moderate price. Empty if the available models depend on the machine. */
  suggestedModel: string;
  /** True if its models usually accept pictures and PDF files. An older model may refuse them. */
  acceptsMedia: boolean;
  /** True if replies are stored with fields that the endpoint may refuse (kept_fields.ts), in a format of this name. */
  keepsFields?: boolean;
  /** Matches its keys, and keys of no other provider. */
  keyPattern?: RegExp;
  /** Matches the names of its models, and models of no other provider. */
  modelPattern?: RegExp;
  /** The short names that other tools use for its models, each with the current model of that family. */
  shortNames?: Readonly<Record<string, string>>;
  /** The names that other tools use for the provider. */
  aliases?: readonly string[];
  /** Its name in OpenTelemetry's conventions for generative AI, if it has another name there. */
  telemetryName?: string;
}

const ROWS = {
  openai: {
    adapter: "openai",
    url: "https://api.openai.com/v1",
    hosts: ["openai.com"],
    suggestedModel: "gpt-6-sol",
    acceptsMedia: true,
    keepsFields: true,
    keyPattern: /^sk-(proj|svcacct)-/,
    modelPattern: /^(?:gpt-|o\d|chatgpt-|codex)/,
  },
  anthropic: {
    adapter: "anthropic",
    url: "https://api.anthropic.com",
    hosts: ["anthropic.com"],
    suggestedModel: "claude-sonnet-5-5",
    acceptsMedia: true,
    keyPattern: /^sk-ant-/,
    modelPattern: /^claude-/,
    shortNames: { sonnet: "claude-sonnet-5-5", opus: "claude-opus-5-5", haiku: "claude-haiku-4-5" },
    aliases: ["claude"],
  },
  google: {
    adapter: "google",
    url: "https://generativelanguage.googleapis.com",
    hosts: ["googleapis.com"],
    suggestedModel: "gemini-3.5-flash",
    acceptsMedia: true,
    keyPattern: /^AIza/,
    modelPattern: /^gemini-/,
    aliases: ["gemini", "google-ai", "vertex"],
    telemetryName: "gcp.gemini",
  },
  ollama: {
    adapter: "ollama",
    url: "http://127.0.0.1:11434",
    hosts: ["ollama.com"],
    key: "optional",
    suggestedModel: "qwen3",
    acceptsMedia: false,
    keepsFields: true,
  },
  local: {
    adapter: "compatible",
    url: "http://127.0.0.1:11434/v1",
    hosts: null,
    key: "elsewhere",
    suggestedModel: "",
    acceptsMedia: false,
  },
  demo: {
    adapter: "demo",
    url: "",
    hosts: null,
    key: "none",
    suggestedModel: "report",
    acceptsMedia: false,
  },
} as const satisfies Readonly<Record<string, Provider>>;

type NamedProvider = keyof typeof ROWS;

/** The name of an adapter. An adapter implements one wire format. */
export type AdapterName = typeof ROWS[NamedProvider]["adapter"];

/** The providers that need no `base_url`. Any other name is an OpenAI-compatible endpoint with a `base_url`. */
export const PROVIDERS: Readonly<Record<NamedProvider, Provider<AdapterName>>> = ROWS;

/** The names of providers that need no `base_url`, in the order in which people see them. */
export const NAMED_PROVIDERS = Object.keys(PROVIDERS) as readonly NamedProvider[];

/** Returns true if a provider needs no `base_url`. */
export function isNamedProvider(provider: string): provider is NamedProvider {
  return Object.hasOwn(PROVIDERS, provider);
}

/** Returns the provider of this name; undefined for a provider that needs a `base_url`. */
export function findProvider(name: string): Provider<AdapterName> | undefined {
  return isNamedProvider(name) ? PROVIDERS[name] : undefined;
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
  description: `${NAMED_PROVIDERS.join(", ")}, or any other name with base_url; ` +
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
