// Describes the current setup, which the dialog of `inkling setup` shows and offers as defaults.
import type { Config } from "../../runtime/config/config.ts";
import { NAMED_PROVIDERS, PROVIDERS } from "../../runtime/config/providers.ts";
import { parseYaml } from "../../runtime/config/files/yaml_document.ts";
import { findProviderKey, type KeyPlaces, type ProviderKey } from "./key_state.ts";
import type { LimitName } from "./setup_choices.ts";

/** The current setup. */
export interface SetupState {
  configFile: string;
  configFileExists: boolean;
  /** The workspace as in config.yaml, or the default workspace. */
  workspace: string;
  provider: string | undefined;
  model: string | undefined;
  baseUrl: string | undefined;
  /** The effective limits, in the form in which a person types them. */
  limits: Record<LimitName, string>;
  /** The providers, each with the name of the suggested model. It is empty if none can be suggested. */
  providers: (ProviderKey & { suggestedModel: string })[];
}

/** Returns the current setup for a config.yaml with this text and parsed `config`. Keys are searched in `keys`. */
export function toSetupState(
  file: { path: string; isThere: boolean; text: string },
  { config: { defaults }, keys }: { config: Config; keys: KeyPlaces },
): SetupState {
  return {
    configFile: file.path,
    configFileExists: file.isThere,
    workspace: writtenWorkspace(file.text, file.path) ?? "~/inkling",
    provider: defaults.provider,
    model: defaults.model,
    baseUrl: defaults.baseUrl,
    limits: {
      timeout: String(defaults.timeout),
      max_tool_calls: orNone(defaults.maxToolCalls),
      max_execution_tokens: orNone(defaults.maxExecutionTokens),
      max_cost_usd: orNone(defaults.maxCostUsd),
      max_tokens: String(defaults.maxTokens),
      temperature: String(defaults.temperature),
    },
    providers: NAMED_PROVIDERS.map((name) => (
      { ...findProviderKey(name, keys), suggestedModel: PROVIDERS[name].suggestedModel }
    )),
  };
}

function orNone(limit: number | null): string {
  return limit === null ? "none" : String(limit);
}

/** Returns the workspace as it is written in config.yaml. Undefined if it is not set. */
function writtenWorkspace(text: string, path: string): string | undefined {
  const parsed = parseYaml(text, { path });
  const workspace = "document" in parsed ? parsed.document.value["workspace"] : undefined;
  return typeof workspace === "string" ? workspace : undefined;
}
