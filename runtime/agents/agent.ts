// The type of an agent: its parsed file, with the defaults of config.yaml applied. Agents are immutable.
import type { Diagnostic } from "../../base/diagnostics.ts";
import {
  AGENT_POLICY,
  type AgentBudget,
  type AgentPolicy,
  DOLLAR_BUDGET,
  type McpConfirm,
  OWN_POLICY,
  type OwnPolicy,
  RUN_SETTINGS,
  type RunSettings,
  TOKEN_BUDGET,
  withConfigDefaults,
} from "../config/agent_settings.ts";
import type { AgentDefaults } from "../config/config.ts";
import { type ModelSettings, toModel } from "../config/providers.ts";
import { fnv1a } from "../../base/text/fnv1a.ts";
import { camelCase } from "../../base/text/key_case.ts";
import type { NotifyChoice } from "../config/notify_schema.ts";
import { isEveryTool, parseMcpEntries, parseToolEntries } from "../vocabulary/tool_vocabulary.ts";
import type { FollowedEnd } from "../vocabulary/trigger_kinds.ts";
import type { Definition } from "./definition.ts";
import { normalizeId } from "./agent_id.ts";
import { iconOf } from "./icon.ts";
import { TRIGGER_FORMS } from "./triggers/trigger_forms.ts";
import type { AgentOutput } from "./output_schema.ts";
import { type ShellSettings, toShellSettings } from "./approval/shell_settings.ts";
import { type MailUse, toMailUse } from "./approval/mail_use.ts";

export type { ModelSettings } from "../config/providers.ts";

/** The trigger of an agent, as its file defines it. In each kind of trigger, `input` replaces the user message. */
export type Trigger<Kind extends keyof typeof TRIGGER_FORMS = keyof typeof TRIGGER_FORMS> = {
  [K in Kind]: ReturnType<(typeof TRIGGER_FORMS)[K]["convert"]> & { input?: string };
}[Kind];

/** Returns the names of the environment variables with a trigger's secrets. */
export function secretVariables(trigger: Trigger): string[] {
  // A method, because the form of a kind takes only triggers of that kind.
  const form: { fields: object; secrets?(trigger: Trigger): string[] } =
    TRIGGER_FORMS[trigger.type];
  return form.secrets?.(trigger) ?? [];
}

/** A path that the agent may access, under the name that its prompt and tools use. */
export interface AgentPath {
  alias: string;
  /** The absolute path, with `~` expanded. Symbolic links are not resolved. */
  path: string;
  description?: string;
}

/** An agent with all its settings. */
export interface Agent extends AgentPolicy {
  /** The name of the agent's file without `.md`. */
  id: string;
  displayName: string;
  description: string;
  icon: string;
  /** True if the file names the icon, so that it was not derived from the id. */
  isIconSet: boolean;
  /** The model's settings. Undefined if neither the file nor config.yaml names a model. */
  model: ModelSettings | undefined;
  trigger: Trigger;
  /** The agents whose ends start this agent. */
  after: { agentId: string; on: FollowedEnd }[];
  /** The number of consecutive failures after which the trigger and `after` pause. Null if they never pause. */
  maxFailures: number | null;
  settings: RunSettings;
  budget: AgentBudget;
  customTools: string[];
  /** The built-in tools that the agent does not have. */
  leftOut: string[];
  mcp: string[];
  /** The patterns of the allowed tools, by server. All tools of a server without an entry are allowed. */
  mcpTools?: Readonly<Record<string, readonly string[]>>;
  skills: string[];
  agents: string[];
  /** The settings of the agent's shell. Absent if it has none. */
  shell?: ShellSettings;
  /** The account of the mail tools. Absent if the agent has none. */
  mail?: MailUse;
  /** The declared paths. If empty, the workspace is the only one, unless there are `editorPaths`. */
  paths: AgentPath[];
  /** The names of the folder that is open in the editor of a run. The folder is absent in a run without an editor. */
  editorPaths?: readonly Omit<AgentPath, "path">[];
  /** The tools that wait for approval: the defaults and `confirm`, without `auto_approve`. */
  confirmTools: string[];
  /** The guards that `auto_approve` removed. A tool with such a name only in its `otherNames` still waits for approval. */
  freedGuards: string[];
  /** The guard for all tools of MCP servers. */
  mcpConfirm: McpConfirm;
  /** `auto_approve` as written. `"*"` frees every tool. */
  autoApprove: string[] | "*";
  /** The agent's own notification settings. config.yaml has the other ones. */
  notify: NotifyChoice;
  /** The source of the output schema. Absent if any text is an answer. */
  output?: AgentOutput;
  enabled: boolean;
  /** Set if programs that speak another protocol than the API may see and run the agent. */
  expose?: true;
  /** The file's text below the front matter, before variables are substituted. */
  body: string;
  sourcePath: string;
  /** The problems of the file that do not prevent runs. */
  warnings: Diagnostic[];
}

/** Builds the agent from a definition that passed all rules. */
export function toAgent(
  definition: Definition,
  source: {
    id: string;
    paths: AgentPath[];
    editorPaths?: Agent["editorPaths"] & object;
    body: string;
    sourcePath: string;
    defaults: AgentDefaults;
    warnings: Diagnostic[];
  },
): Agent {
  const { defaults, ...own } = source;
  const autoApprove = toAutoApprove(definition.auto_approve);
  const shell = toShellSettings(definition.shell);
  const mail = toMailUse(definition.mail);
  return {
    ...own,
    displayName: definition.name ?? own.id,
    description: definition.description?.trim() ?? "",
    icon: definition.icon ?? iconOf(own.id),
    isIconSet: definition.icon != null,
    model: toModel(definition.model, defaults),
    trigger: toTrigger(definition.trigger),
    after: toFollowed(definition.after ?? []),
    maxFailures: definition.trigger.max_failures,
    settings: withConfigDefaults(RUN_SETTINGS, definition.settings, defaults),
    ...(definition.retry && { retry: definition.retry }),
    budget: {
      ...withConfigDefaults(DOLLAR_BUDGET, definition.budget, defaults.budget),
      tokens: withConfigDefaults(TOKEN_BUDGET, definition.budget.tokens, defaults.budget.tokens),
    },
    ...parseToolEntries(unique(definition.custom_tools ?? definition.tools ?? [])),
    ...parseMcpEntries(definition.mcp ?? []),
    skills: unique(definition.skills ?? []),
    agents: unique(definition.agents ?? []),
    ...(shell === undefined ? {} : { shell }),
    ...(mail === undefined ? {} : { mail }),
    ...withConfigDefaults(AGENT_POLICY, definition, defaults),
    ...toOwnPolicy(definition),
    ...toGuards([...defaults.confirmTools, ...definition.confirm ?? []], autoApprove),
    mcpConfirm: defaults.mcpConfirm ?? "none",
    autoApprove,
    notify: definition.notify,
    enabled: definition.enabled,
    ...(definition.expose && { expose: true }),
  };
}

function toFollowed(written: NonNullable<Definition["after"]>): Agent["after"] {
  return written.map((one) => {
    const { agent, on } = typeof one === "string" ? { agent: one, on: "success" as const } : one;
    return { agentId: normalizeId(agent), on };
  });
}

function toTrigger(written: Definition["trigger"]): Trigger {
  // A blank `input` counts as absent.
  const input = written.input?.trim() ? { input: written.input } : {};
  return { ...TRIGGER_FORMS[written.type].convert(written), ...input };
}

/** Returns a digest of the agent's definition, including defaults. The digest changes with the definition. */
export function agentDigest(agent: Agent): string {
  // Warnings can change without an edit.
  return fnv1a(JSON.stringify({ ...agent, warnings: [] })).toString(36);
}

const unique = (list: readonly string[]): string[] => [...new Set(list)];

function toOwnPolicy(definition: Definition): OwnPolicy {
  const entries = Object.keys(OWN_POLICY).map((name) => {
    const value: unknown = Reflect.get(definition, name);
    return [camelCase(name), Array.isArray(value) ? unique(value) : value];
  });
  return Object.fromEntries(entries) as OwnPolicy;
}

/** Returns the parsed value of `auto_approve`. `"*"` if it frees every tool. */
function toAutoApprove(
  written: string | readonly string[] | null | undefined,
): string[] | "*" {
  const list = typeof written === "string" ? [written] : written ?? [];
  return list.some(isEveryTool) ? "*" : unique(list);
}

/** Returns the guards that are left after `auto_approve`, and those that it removed. */
function toGuards(
  names: readonly string[],
  autoApprove: readonly string[] | "*",
): { confirmTools: string[]; freedGuards: string[] } {
  if (autoApprove === "*") return { confirmTools: [], freedGuards: [] };
  if (names.some(isEveryTool)) return { confirmTools: ["*"], freedGuards: [] };
  const guards = unique(names);
  return {
    confirmTools: guards.filter((name) => !autoApprove.includes(name)),
    freedGuards: guards.filter((name) => autoApprove.includes(name)),
  };
}
