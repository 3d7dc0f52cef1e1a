// What `inkling validate` finds: everything wrong with a file, and everything around it that the agent needs.
import type { Directories } from "../config/directories.ts";
import type { Environment } from "../config/environment.ts";
import { exists } from "../config/exists.ts";
import { diagnose, type DiagnosedFile } from "../config/schema_diagnostics.ts";
import type { YamlPath } from "../config/yaml_document.ts";
import type { Diagnostic } from "../diagnostics.ts";
import { isBelow } from "../files/path_below.ts";
import { suggest } from "../suggestion.ts";
import type { Agent, ModelSettings } from "./agent.ts";
import { parseAgent, type ParseAgentOptions, type ParsedAgent } from "./parse_agent.ts";
import { diagnoseResources, type InspectedResources, itemPath } from "./validate_resources.ts";
import { readWatchPath } from "./watch_path.ts";

/** Where a model's settings lead, as far as validation asks. */
export interface ValidatedEndpoint {
  /** The variable that holds the key; null where no key is ever used. */
  keyVariable: string | null;
  keyRequired: boolean;
  /** The host that a named provider's key would go to although it is not that provider's. */
  foreignHost: string | null;
}

/** What validation holds a file against. */
export interface ValidateAgentOptions extends ParseAgentOptions {
  directories:
    & ParseAgentOptions["directories"]
    & Pick<Directories, "workspaceEnvFile" | "configDir" | "stateDir">;
  config: ParseAgentOptions["config"] & { pinKeys: boolean };
  environment: Environment;
  /** Throws an Error with a sentence for settings that lead nowhere. */
  modelEndpoint: (settings: ModelSettings) => ValidatedEndpoint;
  /** The models of a provider that has no others; undefined where any name may be one. */
  modelsOf: (provider: string) => readonly string[] | undefined;
  /** Whether a price of this model is known. */
  hasPrice: (model: ModelSettings) => Promise<boolean>;
  /** Names of the tools that every agent has. */
  knownTools: readonly string[];
  /** Looks at the custom tools, skills and servers that an agent names. */
  inspectResources: (agent: Agent) => Promise<InspectedResources>;
  /** Ids of the agents that exist. */
  agentIds: readonly string[];
}

/** Checks one agent file. Returns errors and warnings in the order of lines; empty when nothing is to say. */
export async function validateAgent(
  source: { path: string; bytes: Uint8Array },
  options: ValidateAgentOptions,
): Promise<Diagnostic[]> {
  const { path } = source;
  const parsed = parseAgent(source, options);
  if ("diagnostics" in parsed) return parsed.diagnostics;
  const { agent, document } = parsed;
  const file: DiagnosedFile = { path, document };
  const resources = await options.inspectResources(agent);
  return [
    ...agent.warnings,
    ...checkModel(agent, file, options),
    ...checkModelName(agent, file, options),
    ...await checkPrice(agent, file, options),
    ...checkBody(parsed, path),
    ...checkToolNames(file, options.knownTools, resources),
    ...checkAgents(agent, file, options.agentIds),
    ...await checkPaths(agent, file),
    ...await checkWatchPaths(agent, file, options),
    ...diagnoseResources(resources.problems, file),
  ].sort((a, b) => a.line - b.line || a.column - b.column);
}

function checkModel(
  { model }: Agent,
  file: DiagnosedFile,
  options: ValidateAgentOptions,
): Diagnostic[] {
  if (model === undefined) {
    return [diagnose(file, [], {
      message: "No model is configured",
      hint:
        "give the agent a model, set defaults.provider and defaults.model in config.yaml, or run inkling setup",
    })];
  }
  const at = ["model", "provider"];
  const id = `${model.provider}/${model.name}`;
  let endpoint: ValidatedEndpoint;
  try {
    endpoint = options.modelEndpoint(model);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return [diagnose(file, at, { message: error.message })];
  }
  const { keyVariable, keyRequired, foreignHost } = endpoint;
  if (keyVariable === null) return [];
  if ((options.environment.get(keyVariable)?.trim() ?? "") === "") {
    return keyRequired
      ? [diagnose(file, at, {
        message: `The key of model ${id} is missing: ${keyVariable} is not set`,
        hint: `add the line ${keyVariable}=<your key> to ${options.directories.workspaceEnvFile}`,
      })]
      : [];
  }
  if (foreignHost === null) return [];
  const { pinKeys } = options.config;
  return [diagnose(file, ["model", "base_url"], {
    severity: pinKeys ? "error" : "warning",
    message: `${keyVariable} goes to ${foreignHost}, which is not ${model.provider}'s own host` +
      (pinKeys ? ", and defaults.pin_keys forbids that" : ""),
    hint: "give the endpoint a provider name of its own, with a key of its own",
  })];
}

function checkModelName(
  { model }: Agent,
  file: DiagnosedFile,
  options: ValidateAgentOptions,
): Diagnostic[] {
  const known = model === undefined ? undefined : options.modelsOf(model.provider);
  if (model === undefined || known === undefined || known.includes(model.name)) return [];
  const message = `Unknown model "${model.name}": ${model.provider} has ${known.join(", ")}`;
  return [diagnose(file, ["model", "name"], { message })];
}

/** Without a price `max_cost_usd` does not hold; who set it wants to know. */
async function checkPrice(
  { model, settings }: Agent,
  file: DiagnosedFile,
  options: ValidateAgentOptions,
): Promise<Diagnostic[]> {
  if (model === undefined || await options.hasPrice(model)) return [];
  const id = `${model.provider}/${model.name}`;
  if (settings.maxCostUsd === null) {
    if (!isPaid(model, options)) return [];
    return [diagnose(file, ["model", "name"], {
      severity: "warning",
      message: `No price is known for ${id}: its cost will be shown as unknown`,
      hint: `add a price for ${id} to pricing.yaml`,
    })];
  }
  return [diagnose(file, ["settings", "max_cost_usd"], {
    severity: "warning",
    message:
      `No price is known for ${id}: max_cost_usd does not hold, unless the endpoint reports costs`,
    hint: `add a price for ${id} to pricing.yaml`,
  })];
}

/** Whether the model is one that somebody is likely to be billed for. */
function isPaid(model: ModelSettings, options: ValidateAgentOptions): boolean {
  try {
    return options.modelEndpoint(model).keyRequired;
  } catch {
    return false; // checkModel has told what is wrong with it.
  }
}

function checkBody({ agent, bodyLine }: ParsedAgent, path: string): Diagnostic[] {
  if (agent.body !== "") return [];
  return [{
    path,
    line: bodyLine,
    column: 1,
    severity: "error",
    message: "The system prompt is empty: the file has no text after its front matter",
    hint: "write below the second --- what the agent is to do",
  }];
}

function checkToolNames(
  file: DiagnosedFile,
  knownTools: readonly string[],
  { toolNames, isComplete }: InspectedResources,
): Diagnostic[] {
  // A name may be that of a tool that nobody here knows.
  if (!isComplete) return [];
  const known = new Set([...knownTools, ...toolNames]);
  return ["confirm", "auto_approve"].flatMap((field) => {
    const names = file.document.value[field];
    if (!Array.isArray(names)) return [];
    return names.flatMap((name: unknown, i) => {
      if (typeof name !== "string" || name === "*" || name === "all" || known.has(name)) return [];
      return [warnUnknown(file, [field, i], `${field} names an unknown tool: ${name}`, {
        name,
        known,
      })];
    });
  });
}

function checkAgents(agent: Agent, file: DiagnosedFile, agentIds: readonly string[]): Diagnostic[] {
  const known = new Set(agentIds.filter((id) => id !== agent.id));
  return agent.agents.flatMap((name) => {
    const at = itemPath(file, ["agents"], name);
    if (known.has(name.normalize("NFC"))) return [];
    if (name.normalize("NFC") === agent.id) {
      const message = "agents names the agent itself: an agent cannot run itself";
      return [diagnose(file, at, { severity: "warning", message })];
    }
    return [
      warnUnknown(file, at, `agents names an unknown agent: ${name}`, { name, known }),
    ];
  });
}

function warnUnknown(
  file: DiagnosedFile,
  at: YamlPath,
  message: string,
  options: { name: string; known: Iterable<string> },
): Diagnostic {
  const nearest = suggest(options.name, options.known);
  const hint = nearest === undefined ? {} : { hint: `did you mean "${nearest}"?` };
  return diagnose(file, at, { severity: "warning", message, ...hint });
}

async function checkPaths(agent: Agent, file: DiagnosedFile): Promise<Diagnostic[]> {
  const missing: Diagnostic[] = [];
  const isList = Array.isArray(file.document.value["paths"]);
  for (const [i, { alias, path }] of agent.paths.entries()) {
    if (await exists(path)) continue;
    const message = `The path of {${alias}} does not exist: ${path}`;
    const at = ["paths", isList ? i : alias];
    missing.push(diagnose(file, at, { severity: "warning", message }));
  }
  return missing;
}

async function checkWatchPaths(
  { trigger }: Agent,
  file: DiagnosedFile,
  options: ValidateAgentOptions,
): Promise<Diagnostic[]> {
  if (trigger.type !== "watch") return [];
  const found: Diagnostic[] = [];
  const { agentsDir, configDir, stateDir } = options.directories;
  for (const written of trigger.paths) {
    const at = itemPath(file, ["trigger", "paths"], written);
    const warn = (message: string) =>
      found.push(diagnose(file, at, { severity: "warning", message }));
    // A pattern is waited for; only the folder before its first wildcard can be looked at.
    const { base } = readWatchPath(written, options);
    const closed = [agentsDir, configDir, stateDir].find((folder) => isBelow(base, folder));
    if (closed !== undefined) warn(`Nothing in ${closed} is watched: ${base}`);
    else if (!await exists(base)) warn(`The watched path does not exist yet: ${base}`);
  }
  return found;
}
