// Parses config.yaml to Config. A missing file equals an empty file. A file with an error is refused as a whole.
import type { z } from "zod";
import { type Diagnostic, errorAtStart, formatDiagnostic } from "../../base/diagnostics.ts";
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import { agentDefaultsSchema, configSchema, serviceSettingsSchema } from "./config_schema.ts";
import { isJsonObject, objectIn } from "../../base/json.ts";
import { type CamelKeys, camelKeys } from "../../base/text/key_case.ts";
import { expandHome } from "./places.ts";
import { isNamedProvider, NAMED_PROVIDERS, readModelText } from "./providers.ts";
import { checkChat, toChats } from "./chat_schema.ts";
import { toMailAccounts } from "./mail_schema.ts";
import { checkNotify } from "./notify_schema.ts";
import { checkPeople, toPeople } from "./people_schema.ts";
import { toSearch } from "./search_schema.ts";
import { checkSignIn, toSignIn } from "./sign_in_schema.ts";
import { checkSchema } from "./schema_diagnostics.ts";
import { diagnose, type DiagnosedFile } from "./files/diagnosed_file.ts";
import { listWords } from "./files/shown_value.ts";
import { decodeText } from "./files/text_file.ts";
import { unreadableReason } from "../../base/files/unreadable.ts";
import { readWholeFile } from "../../base/files/whole_file.ts";
import { parseYaml } from "./files/yaml_document.ts";
import { isAbsolute, normalize, resolve } from "../../base/plain_path.ts";
import { describeDoubtfulTool } from "../vocabulary/tool_vocabulary.ts";
import { suggest } from "../../base/text/suggestion.ts";

/**
 * Error: config.yaml cannot be used. The message has the first problem with its position; `diagnostics` has all problems.
 */
export class ConfigError extends RuntimeError {
  readonly code: RuntimeErrorCode = "invalid";
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[], options?: { cause: unknown }) {
    const errors = diagnostics.filter((one) => one.severity === "error");
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
    super(
      `Cannot use the configuration: ${
        errors[0] ? formatDiagnostic(errors[0]) : "it is broken"
      }${more}`,
      options,
    );
    this.diagnostics = diagnostics;
  }
}

const LARGEST_CONFIG_BYTES = 256 * 1_024;

/** The values outside of the file that parsing depends on. */
export interface ParseConfigOptions {
  /** The path of the user's home directory. */
  home: string;
  /** True if INKLING_DATABASE_URL names a database; absent if that is unknown. */
  hasDatabase?: boolean;
}

/** The parsed config.yaml, with the positions of its values. */
export interface ReadConfig {
  config: ReturnType<typeof toConfig>;
  file: DiagnosedFile;
}

/**
 * Parses the text of config.yaml. `home` replaces `~` and is the base of a relative workspace. Unknown keys are added to
 * `config.warnings`. If there is an error, returns the diagnostics of all problems instead.
 */
export function parseConfig(
  text: string,
  options: ParseConfigOptions & { path: string },
): ReadConfig | { diagnostics: Diagnostic[] } {
  const parsed = parseYaml(text, { path: options.path });
  if ("diagnostics" in parsed) return parsed;
  const file: DiagnosedFile = { path: options.path, document: parsed.document };
  const { value, diagnostics } = checkSchema(configSchema, file);
  diagnostics.unshift(...parsed.document.warnings);
  diagnostics.push(
    ...checkAgentsDir(file),
    ...checkDefaultProvider(file),
    ...checkGuards(file),
    ...(options.hasDatabase === false ? checkDatabase(file) : []),
    ...checkNotify(file),
    ...checkChat(file),
    ...checkSignIn(file),
    ...checkPeople(file),
  );
  if (value === undefined || diagnostics.some((one) => one.severity === "error")) {
    return { diagnostics: diagnostics.sort((a, b) => a.line - b.line || a.column - b.column) };
  }
  const defaults = parsed.document.value["defaults"] ?? {};
  return { config: toConfig(value, { ...options, defaults, warnings: diagnostics }), file };
}

/** Reads config.yaml. Returns the defaults if the file is missing. Throws ConfigError. */
export async function loadConfig(
  path: string,
  options: ParseConfigOptions,
): Promise<ReadConfig["config"]> {
  return (await readConfig(path, options)).config;
}

/** Reads config.yaml as loadConfig() does, with the positions of its values. */
export async function readConfig(path: string, options: ParseConfigOptions): Promise<ReadConfig> {
  let bytes: Uint8Array;
  try {
    bytes = await readWholeFile(path, { maxBytes: LARGEST_CONFIG_BYTES });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) {
      const message = `The file cannot be read: ${unreadableReason(error)}`;
      throw new ConfigError([errorAtStart(path, message)], { cause: error });
    }
    bytes = new Uint8Array();
  }
  const decoded = decodeText(bytes, path);
  if ("diagnostic" in decoded) throw new ConfigError([decoded.diagnostic]);
  const result = parseConfig(decoded.text, { path, ...options });
  if ("diagnostics" in result) throw new ConfigError(result.diagnostics);
  return result;
}

function toConfig(
  value: z.output<typeof configSchema>,
  options: { path: string; home: string; defaults: unknown; warnings: Diagnostic[] },
) {
  const { path, home, defaults, warnings } = options;
  const people = toPeople(value.people);
  const chats = toChats(value.chat, people);
  const agentDefaults = withDefaultProvider(camelKeys(agentDefaultsSchema.parse(defaults)));
  return {
    /** The path of the file, which may be missing. */
    path,
    workspace: resolve(home, expandHome(value.workspace, home)),
    /** The path of the agents folder, relative to the workspace. */
    agentsDir: normalize(value.agents_dir).replace(/\/+$/, ""),
    sandbox: value.sandbox,
    /** The address, which may contain a password; null for SQLite, unless the shell variable names a database. */
    database: value.database ?? null,
    databaseConnections: value.database_connections,
    /** The settings of this machine as a node. */
    node: { ...value.node, name: value.node.name ?? null },
    defaults: { ...agentDefaults, budget: camelBudget(agentDefaults.budget) },
    /** The budget of the whole workspace. */
    budget: camelBudget(value.budget),
    ...camelKeys(serviceSettingsSchema.parse(defaults)),
    /** The values for omitted flags of the service. Without a port, the service listens only on its socket. */
    service: {
      ...camelKeys(value.service),
      port: value.service.port ?? null,
      owner: value.service.owner ?? null,
    },
    http: value.http,
    /** The address for browsers, without a slash at its end; null if only this machine reaches the service. */
    publicUrl: value.public_url?.replace(/\/+$/, "") ?? null,
    /** `respond` is true if programs may approve calls and budgets. */
    expose: value.expose,
    /** The channels contain the chats, too. */
    notify: {
      ...value.notify,
      channels: {
        ...value.notify.channels,
        ...Object.fromEntries(chats.map((chat) => [chat.name, { type: "chat" as const, ...chat }])),
      },
    },
    chats,
    mail: toMailAccounts(value.mail),
    /** The service for searches. Null if there is none. */
    search: toSearch(value.search),
    /** The sign-in of people with OpenID Connect. Null if there is none. */
    signIn: toSignIn(value.sign_in),
    people,
    warnings,
  };
}

/**
 * Takes the provider from a default model that is written as `provider/name`. With another provider beside it, the text is
 * only the name, because names of models may contain slashes.
 */
function withDefaultProvider<Defaults extends { provider?: unknown; model?: string | undefined }>(
  defaults: Defaults,
): Defaults {
  const { provider, name } = readModelText(defaults.model ?? "", []);
  if (provider === undefined || (defaults.provider ?? provider) !== provider) return defaults;
  return { ...defaults, provider, model: name };
}

/** Returns a parsed budget with keys in camel case. */
function camelBudget<Tokens extends object, Budget extends { tokens: Tokens }>(
  { tokens, ...dollars }: Budget,
): CamelKeys<Omit<Budget, "tokens">> & { tokens: CamelKeys<Budget["tokens"]> } {
  return { ...camelKeys(dollars), tokens: camelKeys(tokens) };
}

function checkAgentsDir(file: DiagnosedFile): Diagnostic[] {
  const folder = file.document.value["agents_dir"];
  if (typeof folder !== "string" || folder.trim() === "") return [];
  const inside = normalize(folder).replace(/\/+$/, "");
  const isOutside = isAbsolute(folder) || inside === "." || inside === ".." ||
    inside.startsWith("../");
  // Elsewhere a tilde means the home directory, so it is an error here: nobody means a folder named `~`.
  const hasTilde = folder.startsWith("~");
  if (!isOutside && !hasTilde) return [];
  return [diagnose(file, ["agents_dir"], {
    message: `agents_dir must be a folder inside the workspace, got ${JSON.stringify(folder)}`,
    ...(hasTilde && { hint: "it is relative to the workspace; ~ is not expanded" }),
  })];
}

/** Returns warnings for keys that have no effect without a database. */
function checkDatabase(file: DiagnosedFile): Diagnostic[] {
  const { value } = file.document;
  if (value["database"] != null) return [];
  return ["database_connections", "node"].filter((key) => value[key] != null).map((key) => {
    const message = `${key} has no effect: no database is set`;
    const hint = "database names one that machines share; without, SQLite is used";
    return diagnose(file, [key], { severity: "warning", message, hint }, "key");
  });
}

/** Returns warnings for guards that certainly protect nothing. */
function checkGuards(file: DiagnosedFile): Diagnostic[] {
  const defaults = file.document.value["defaults"];
  const names = isJsonObject(defaults) ? defaults["confirm_tools"] : undefined;
  if (!Array.isArray(names)) return [];
  return names.flatMap((name, i) => {
    const doubtful = typeof name === "string"
      ? describeDoubtfulTool(name, { mayBeOfServer: true })
      : undefined;
    if (doubtful === undefined) return [];
    const { doubt, ...hint } = doubtful;
    const message = `defaults.confirm_tools names ${doubt}`;
    return [
      diagnose(file, ["defaults", "confirm_tools", i], { severity: "warning", message, ...hint }),
    ];
  });
}

/** Returns an error if the provider of the default model needs a `base_url` and has none, and a warning without provider. */
function checkDefaultProvider(file: DiagnosedFile): Diagnostic[] {
  const { provider, model, base_url: baseUrl } = objectIn(file.document.value, "defaults");
  if (provider == null && typeof model === "string" && model.trim() !== "") {
    const { provider: own, name } = readModelText(model, []);
    if (own !== undefined && name.trim() !== "") return [];
    const nearest = suggest(model.split("/", 1)[0] ?? "", NAMED_PROVIDERS);
    return [diagnose(file, ["defaults", "model"], {
      severity: "warning",
      message: `defaults.model is not used: it must be provider/name with ${
        listWords(NAMED_PROVIDERS)
      }, or defaults.provider must be set`,
      ...(nearest !== undefined && { hint: `did you mean "${nearest}/..."?` }),
    })];
  }
  if (typeof provider !== "string" || provider.trim() === "" || isNamedProvider(provider)) {
    return [];
  }
  if (baseUrl != null) return [];
  return [diagnose(file, ["defaults", "provider"], {
    message: `defaults.provider must be ${listWords(NAMED_PROVIDERS)}, or any other name ` +
      `together with defaults.base_url, got ${JSON.stringify(provider)}`,
  })];
}
