// The rules for the fields of other tools' files. Most fields have the same meaning in every tool that has them.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import {
  applyRules,
  type Draft,
  type FieldRule,
  type FieldRules,
  lost,
  runSetting,
  showField,
  text,
  toList,
  toTexts,
} from "../reading/draft.ts";
import { readFuzzySchedule } from "../reading/schedule_words.ts";
import { byName, readToolSpec } from "../reading/tool_names.ts";

/** The fields that need no counterpart, because nothing of an agent depends on them. */
const NEEDLESS =
  "version author tags category license metadata background argument-hint disable-model-invocation user-invocable " +
  "context mode hidden subtask target infer alwaysApply globs nickname_candidates goose_provider goose_model " +
  "strict runs-on run-name labels source tracker tracker-id sandbox checkout";

/** The fields that are lost, by the reason. */
const LOST: Readonly<Record<string, string>> = {
  "the page and the lists choose the colors": "color",
  "Inkling has no hooks: `confirm` lets a person decide before a call": "hooks",
  "the effort of a model is not a setting of an agent": "effort model_reasoning_effort",
  "a run has no worktree of its own: it works in `paths`": "isolation",
  "`trigger.input` is the message of a run": "initialPrompt",
  "`temperature` is the only such setting": "top_p",
  "the text below the front matter is the task": "prompt",
  "they are suggestions for a window of goose": "activities",
  "it runs commands to check the result: an agent checks its own result": "retry",
  "they are of a token of GitHub: a server for GitHub has its own token": "permissions",
  "http.allow and http.deny in config.yaml hold for all agents": "network",
  "it writes to GitHub: a server for GitHub has tools for that, and confirm asks": "safe-outputs",
  "only the file itself is read: name the other files as @file in the text": "imports",
  "it belongs to GitHub Actions": "pre-steps post-steps jobs services runtimes if",
  "secrets are in .env, and MCP servers name them": "secrets",
  "variables are in .env": "env",
  "everybody who may use the service may run its agents": "roles",
  "`max_concurrent_runs` limits the runs of an agent": "concurrency",
};

/** Reads the mode in which a tool asks less, or changes no file. */
const readMode = text((draft, mode, key) => {
  const what = showField(key, mode);
  if (/^(?:default|workspace-write)$/.test(mode)) return;
  if (mode === "acceptEdits") draft.autoApprove(["file_write", "file_edit"], what);
  else if (/^(?:bypassPermissions|dontAsk|danger-full-access)$/.test(mode)) {
    draft.autoApprove(["*"], what);
  } else if (/^(?:plan|read-only)$/.test(mode)) draft.readOnly(what);
  else draft.lose(what, "no mode of this name is known here");
});

/** Reads MCP servers: their names, their entries by name, or a list of both. */
const readServers: FieldRule = (draft, value) => {
  for (const one of [value].flat()) {
    if (typeof one === "string") draft.wants.mcp.push(one);
    else if (isJsonObject(one)) {
      for (const [name, entry] of Object.entries(one)) draft.addServer(name, entry);
    }
  }
};

/** Reads a list of tools, or opencode's map of tools that are on or off. */
const readTools: FieldRule = (draft, value, key) => {
  if (!isJsonObject(value)) return draft.allowOnly(toList(value), key);
  const named = (state: boolean) => Object.keys(value).filter((name) => value[name] === state);
  if (named(false).includes("*")) draft.allowOnly(named(true), key);
  else draft.leaveOut(named(false), key);
};

/** Reads opencode's permission of one tool: a word for all calls, or words by pattern. */
function readPermission(draft: Draft, tool: string, value: JsonValue): void {
  const what = `permission: ${showField(tool, value)}`;
  const spec = readToolSpec(tool);
  if (spec.kind !== "builtin") {
    return draft.lose(what, spec.kind === "unknown" ? spec.why : "it holds for all tools");
  }
  const isShell = spec.tools.includes("shell");
  for (const [pattern, word] of Object.entries(isJsonObject(value) ? value : { "*": value })) {
    if (!isShell && pattern !== "*") draft.lose(what, "`paths` holds for all tools");
    else if (word === "deny") {
      if (isShell) draft.denyCommand(pattern, what);
      else draft.withhold(spec.tools);
    } else if (isShell) {
      draft.allowCommand(word === "allow" ? pattern : "*", what);
      if (word === "allow" && pattern === "*") draft.autoApprove(["shell"], what);
    } else if (word === "allow") draft.autoApprove(spec.tools, what);
    else if (word === "ask") draft.confirm(spec.tools);
  }
}

/** Reads an extension of goose: its own tools, or an MCP server. */
function readExtension(draft: Draft, extension: JsonObject): void {
  const {
    name,
    type,
    uri,
    description: _,
    bundled: _b,
    available_tools: tools,
    timeout: _t,
    ...rest
  } = extension;
  const label = typeof name === "string" ? name : "without a name";
  if (type === "stdio" || type === "streamable_http" || type === "sse") {
    draft.addServer(label, {
      ...rest,
      ...(uri !== undefined && { url: uri }),
      ...(Array.isArray(tools) && tools.length > 0 && { includeTools: tools }),
    });
  } else if (label === "developer") {
    draft.allowCommand("*", "the extension developer runs commands");
  } else if (label !== "memory") draft.lose(`the extension ${label}`, "it is a part of goose");
}

const toObjects = (value: JsonValue) => [value].flat().filter(isJsonObject);
const wantAgents = (draft: Draft, names: readonly (JsonValue | undefined)[]) =>
  void draft.wants.agents.push(...names.flatMap((name) => toTexts(name)));

function sameRule(names: string, rule: FieldRule): FieldRules {
  return Object.fromEntries(names.split(" ").map((name) => [name, rule]));
}

/** The rules that hold for the files of every tool. */
export const RULES: FieldRules = {
  ...sameRule(NEEDLESS, () => {}),
  ...Object.fromEntries(byName(LOST).entries().map(([name, why]) => [name, lost(why)])),
  name: text((draft, value) => draft.setName(value)),
  description: text((draft, value) => draft.setDescription(value)),
  model(draft, value, key) {
    const names = toTexts(value);
    if (names.length === 0) lost("it names no model")(draft, value, key);
    draft.wants.models.push(...names);
  },
  engine(draft, value, key) {
    const { id, model, "max-turns": turns } = isJsonObject(value) ? value : { id: value };
    draft.wants.models.push(...toTexts(model));
    if (turns !== undefined) runSetting("max_tool_calls")(draft, turns, "max-turns");
    draft.change(showField(key, id ?? value), "Inkling itself runs the agent");
  },
  temperature: runSetting("temperature"),
  ...sameRule("maxTurns max_turns steps maxSteps", runSetting("max_tool_calls")),
  ...sameRule(
    "timeout-minutes timeout_minutes",
    runSetting("max_duration", (minutes) => `${minutes}m`),
  ),
  tools: readTools,
  "allowed-tools": (draft, value, key) => draft.preapprove(toList(value), key),
  disallowedTools: (draft, value, key) => draft.leaveOut(toList(value), key),
  ...sameRule("permissionMode sandbox_mode", readMode),
  permission(draft, value, key) {
    if (!isJsonObject(value)) return lost("it holds for no named tool")(draft, value, key);
    for (const [tool, one] of Object.entries(value)) readPermission(draft, tool, one);
  },
  skills: (draft, value) => void draft.wants.skills.push(...toList(value)),
  ...sameRule("mcpServers mcp-servers mcp_servers", readServers),
  extensions: (draft, value) => toObjects(value).forEach((one) => readExtension(draft, one)),
  memory: (draft, value, key) =>
    draft.change(showField(key, value), "the agent's own memory, which every agent has"),
  web_search(draft, value) {
    draft.wants.search = value !== false && value !== "disabled";
  },
  agent: lost("a command is an agent of its own here"),
  agents: (draft, value) => wantAgents(draft, toList(value)),
  handoffs: (draft, value) => wantAgents(draft, toObjects(value).map(({ agent }) => agent)),
  sub_recipes: (draft, value) =>
    wantAgents(draft, toObjects(value).map(({ path, name }) => path ?? name)),
  disable(draft, value) {
    if (value === true) draft.set("enabled", false, "disable: true");
  },
  settings(draft, value, key) {
    if (!isJsonObject(value)) return lost("it is no map")(draft, value, key);
    const { goose_provider: provider, goose_model: model } = value;
    if (typeof model === "string") {
      draft.wants.models.push(typeof provider === "string" ? `${provider}/${model}` : model);
    }
    applyRules(draft, value, RULES);
  },
  response(draft, value, key) {
    const schema = isJsonObject(value) ? value["json_schema"] : undefined;
    if (isJsonObject(schema)) draft.set("output", { schema }, "response: json_schema");
    else lost("it has no json_schema")(draft, value, key);
  },
};

const BY_HAND = ["workflow_dispatch", "command", "slash_command", "workflow_call", "stop-after"];

/** Reads the events that start the workflow. The first schedule becomes the trigger. */
function readEvents(draft: Draft, value: JsonValue): void {
  const events = isJsonObject(value)
    ? Object.entries(value)
    : toTexts(value).map((event) => [event, null] as const);
  for (const [event, settings] of events) {
    if (BY_HAND.includes(event)) continue;
    const schedules = event === "schedule"
      ? toTexts([settings].flat().map((one) => isJsonObject(one) ? one["cron"] ?? "" : one))
      : [event];
    for (const words of schedules) {
      const schedule = readFuzzySchedule(words, draft.id);
      if (schedule === undefined) {
        const why = event === "schedule"
          ? "it is no schedule that is known here"
          : "an event of GitHub starts an agent by a webhook here: see triggers";
        draft.lose(`on: ${event === words ? event : `${event}: ${words}`}`, why);
      } else if (draft.settings["trigger"] !== undefined) {
        const why = "an agent has one schedule: copy the agent for another one";
        draft.lose(`schedule: ${words}`, why);
      } else draft.set("trigger", { type: "schedule", ...schedule }, `schedule: ${words}`);
    }
  }
}

/** Reads a workflow's `tools`: each tool with its settings. */
const readWorkflowTools: FieldRule = (draft, value) => {
  for (const [name, settings] of Object.entries(isJsonObject(value) ? value : {})) {
    const what = `tools: ${showField(name, settings)}`;
    if (settings === false) draft.leaveOut([name], "tools");
    else if (name === "bash") {
      const commands = Array.isArray(settings) ? toTexts(settings) : ["*"];
      for (const one of commands) draft.allowCommand(one, what);
    } else if (name === "edit" || name === "web-fetch" || name === "cache-memory") continue;
    else if (name === "web-search") draft.wants.search = true;
    else if (isJsonObject(settings) && (settings["command"] ?? settings["url"]) !== undefined) {
      draft.addServer(name, settings);
    } else if (name === "github") draft.wants.mcp.push("github");
    else draft.lose(what, "a server has such tools: inkling mcp add");
  }
};

/** The rules for the fields of GitHub Agentic Workflows that have another meaning than in other tools. */
export const WORKFLOW_RULES: FieldRules = {
  on: readEvents,
  name: text((draft, value) => draft.setDescription(value)),
  tools: readWorkflowTools,
  steps: lost("it belongs to GitHub Actions"),
};
