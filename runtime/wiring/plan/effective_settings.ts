// Lists the effective settings of an agent with their origin: the agent's file, config.yaml, or the built-in default.
import type { z } from "zod";
import type { Agent, ModelSettings } from "../../agents/agent.ts";
import { readAgentFile } from "../../agents/agent_file.ts";
import { parseAgent } from "../../agents/parse_agent.ts";
import { isJsonObject } from "../../../base/json.ts";
import { snakeKeys } from "../../../base/text/key_case.ts";
import { writeDuration } from "../../../base/durations.ts";
import {
  AGENT_POLICY,
  DOLLAR_BUDGET,
  OWN_POLICY,
  RUN_SETTINGS,
  TOKEN_BUDGET,
  writeDurations,
} from "../../config/agent_settings.ts";
import { withoutDefaults } from "../../config/fields.ts";
import { retryPolicyOf } from "../../executions/runs/run_retry.ts";
import { ignoreMissing } from "../../../base/files/missing.ts";
import { parseYaml, type YamlDocument, type YamlPath } from "../../config/files/yaml_document.ts";
import type { WorkspaceSettings } from "../../config/settings.ts";
import type { EffectiveSetting } from "../../interface/run_plan.ts";

type Origin = Pick<EffectiveSetting, "from" | "line">;

/** A parsed file. `document` is absent if the file is unusable. */
interface Written {
  document?: YamlDocument;
}

/** One setting: its name and value, and its paths in the agent's file (`own`) and in config.yaml (`inherited`). */
type SettingRow = [name: string, value: unknown, own: YamlPath[], inherited?: YamlPath];

/** Returns the effective settings of an agent, beginning with the model. */
export async function effectiveSettings(
  agent: Agent,
  settings: WorkspaceSettings,
): Promise<EffectiveSetting[]> {
  const [file, config] = await Promise.all([readAgent(agent, settings), readConfig(settings)]);
  const originOf = (own: readonly YamlPath[], inherited: YamlPath | undefined): Origin => {
    if (file.document === undefined) return { from: "unknown", line: null };
    return find(file.document, own, "file") ??
      (inherited && config.document && find(config.document, [inherited], "config")) ??
      { from: "default", line: null };
  };
  const { model, autoApprove, mcpConfirm, mcp, confirmTools, mail } = agent;
  const guards = confirmTools.length === 0 ? "none" : confirmTools.join(", ");
  const policy = snakeKeys({ ...agent, ...writeDurations(agent) });
  // A row without a value is left out.
  const optional = (...row: SettingRow): SettingRow[] =>
    row[1] == null || row[1] === "" ? [] : [row];
  const showModel = ({ provider, name }: ModelSettings) => `${provider}/${name}`;
  const output = agent.output &&
    ("file" in agent.output ? agent.output.file : "in the agent's file");
  const rows: SettingRow[] = [
    ["model", model === undefined ? null : showModel(model), [["model"]], ["defaults", "model"]],
    ...optional("fallback", model?.fallback?.map(showModel).join(", "), [["model", "fallback"]]),
    ...optional(
      "base_url",
      model?.baseUrl,
      [["model", "base_url"], ["model", "url"]],
      ["defaults", "base_url"],
    ),
    ...Object.keys(AGENT_POLICY).map((name): SettingRow => [
      name,
      Reflect.get(policy, name),
      [[name]],
      ["defaults", name],
    ]),
    ...Object.entries(snakeKeys(agent.settings)).map(([name, value]): SettingRow => [
      name,
      value,
      [["settings", name]],
      ["defaults", name],
    ]),
    ...retryRows(agent),
    ...budgetRows(agent),
    ...ownRows(policy),
    ...optional("output.schema", output, [["output", "schema"]]),
    ...shellRows(agent),
    ...optional("mail", mail && (mail.to === undefined ? mail.account : inMap(mail)), [["mail"]]),
    ...notifyRows(agent),
    ...optional("expose", agent.expose, [["expose"]]),
    ["confirm", guards, [["confirm"], ["auto_approve"]], ["defaults", "confirm_tools"]],
    ...optional("auto_approve", [autoApprove].flat().join(", "), [["auto_approve"]]),
    ...optional(
      "mcp_confirm",
      mcp.length === 0 ? null : mcpConfirm,
      [],
      ["defaults", "mcp_confirm"],
    ),
  ];
  return rows.map(([name, value, own, inherited]) => ({
    name,
    value: value === null ? "none" : String(value),
    ...originOf(own, inherited),
  }));
}

/** Returns the fields that only an agent's file has, without those that have their default. */
function ownRows(policy: object): SettingRow[] {
  const write = (value: unknown) => value == null ? "none" : [value].flat().join(", ");
  return Object.entries<z.ZodType>(OWN_POLICY).flatMap(([name, field]): SettingRow[] => {
    const value = write(Reflect.get(policy, name));
    return value === write(field.meta()?.["default"]) ? [] : [[name, value, [[name]]]];
  });
}

/** Returns the notation of a map in a file. Absent fields are left out. */
function inMap(fields: object): string {
  const written = Object.entries(fields).filter(([, value]) => value !== undefined).map((
    [name, value],
  ) => `${name}: ${Array.isArray(value) ? `[${value.join(", ")}]` : value}`);
  return `{ ${written.join(", ")} }`;
}

function shellRows({ shell }: Agent): SettingRow[] {
  if (shell === undefined) return [];
  const { timeoutMs, ...lists } = shell;
  const given = Object.entries(lists).filter(([, list]) => list.length > 0);
  const map = { ...Object.fromEntries(given), timeout: writeDuration(timeoutMs) };
  return [["shell", inMap(map), [["shell"]]]];
}

function notifyRows({ notify }: Agent): SettingRow[] {
  const isSet = notify.on !== undefined || notify.to !== undefined;
  return isSet ? [["notify", inMap(notify), [["notify"]]]] : [];
}

function retryRows(agent: Agent): SettingRow[] {
  const policy = retryPolicyOf(agent, agent.after.length > 0 ? "after" : agent.trigger.type);
  if (policy === undefined) return [];
  const { times, wait, on } = policy;
  const map = { times, wait: wait === undefined ? undefined : writeDuration(wait), on };
  return [["retry", inMap(map), [["retry"]]]];
}

/** Returns the limits of spending that are set. */
function budgetRows({ budget: { tokens, ...dollars } }: Agent): SettingRow[] {
  return [
    ...Object.entries(snakeKeys(dollars)).map(([name, value]) => ({ path: [name], value })),
    ...Object.entries(snakeKeys(tokens)).map(([name, value]) => ({
      path: ["tokens", name],
      value,
    })),
  ].map(({ path, value }): SettingRow => {
    const own = ["budget", ...path];
    return [own.join("."), value, [own], ["defaults", ...own]];
  }).filter(([, value]) => value != null);
}

/** Returns the position of the first of these paths that has a value in the file. Undefined if none has. */
function find(
  document: YamlDocument,
  paths: readonly YamlPath[],
  from: "file" | "config",
): Origin | undefined {
  const path = paths.find((one) => saysSomething(one, document.value));
  return path && { from, line: document.locate(path, "key").line };
}

const FIELDS: Readonly<Record<string, z.ZodType>> = withoutDefaults({
  ...DOLLAR_BUDGET,
  ...TOKEN_BUDGET,
  ...AGENT_POLICY,
  ...RUN_SETTINGS,
});

/**
 * Returns true if a value sets the setting. As in the parsers, an empty value counts as absent, except for a limit, which
 * null disables.
 */
function saysSomething(path: YamlPath, value: unknown): boolean {
  const written = path.reduce<unknown>(
    (inside, key) => isJsonObject(inside) ? inside[String(key)] : undefined,
    value,
  );
  const field = FIELDS[String(path.at(-1))];
  if (written != null || field === undefined) return written != null;
  return written === null && field.safeParse(null).data === null;
}

async function readAgent(agent: Agent, settings: WorkspaceSettings): Promise<Written> {
  const content = await readAgentFile(agent.sourcePath);
  if (content === undefined || !("bytes" in content)) return {};
  const parsed = parseAgent({ path: agent.sourcePath, bytes: content.bytes }, settings);
  return "document" in parsed ? { document: parsed.document } : {};
}

async function readConfig({ directories: { configFile } }: WorkspaceSettings): Promise<Written> {
  const text = await Deno.readTextFile(configFile).catch(ignoreMissing);
  const parsed = parseYaml(text ?? "", { path: configFile });
  return "document" in parsed ? { document: parsed.document } : {};
}
