// Reads GitHub Agentic Workflows.
import { isJsonObject, type JsonValue } from "../../../base/json.ts";
import { convertText } from "../reading/body_text.ts";
import {
  applyRules,
  Draft,
  type FieldRules,
  lost,
  needless,
  runSetting,
  showField,
  text,
} from "../reading/draft.ts";
import { readMarkdown } from "../reading/front_matter.ts";
import { readFuzzySchedule } from "../reading/schedule_words.ts";
import type { Shape } from "../reading/shape.ts";

const OF_ACTIONS = "it belongs to GitHub Actions";
const EVENT = "an event of GitHub starts an agent by a webhook here: see triggers";
const BY_HAND = ["workflow_dispatch", "command", "slash_command", "workflow_call", "stop-after"];

/** Reads the events that start the workflow. The first schedule becomes the trigger. */
function readEvents(draft: Draft, value: JsonValue, seed: string): void {
  if (typeof value === "string") {
    if (!BY_HAND.includes(value) && !takeSchedule(draft, value, seed)) {
      draft.lose(showField("on", value), EVENT);
    }
    return;
  }
  if (Array.isArray(value)) {
    for (const one of value) readEvents(draft, one, seed);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const [event, settings] of Object.entries(value)) {
    if (event === "schedule") readSchedules(draft, settings, seed);
    else if (!BY_HAND.includes(event)) draft.lose(`on: ${event}`, EVENT);
  }
}

function readSchedules(draft: Draft, value: JsonValue, seed: string): void {
  const list = Array.isArray(value) ? value : [value];
  const texts = list.map((one) => isJsonObject(one) ? one["cron"] : one)
    .filter((one) => typeof one === "string");
  for (const [index, one] of texts.entries()) {
    const what = `schedule: ${one}`;
    if (index > 0) draft.lose(what, "an agent has one schedule: copy the agent for another one");
    else if (!takeSchedule(draft, one, seed)) {
      draft.lose(what, "it is no schedule that is known here");
    }
  }
}

function takeSchedule(draft: Draft, words: string, seed: string): boolean {
  const schedule = readFuzzySchedule(words, seed);
  if (schedule === undefined) return false;
  draft.set("trigger", { type: "schedule", ...schedule }, `schedule: ${words}`);
  return true;
}

/** Reads `tools`: each tool with its settings. */
function readTools(draft: Draft, value: JsonValue): void {
  if (!isJsonObject(value)) return;
  for (const [name, settings] of Object.entries(value)) {
    const what = `tools: ${showField(name, settings)}`;
    if (settings === false) draft.leaveOut([name], "tools");
    else if (name === "bash") {
      const commands = Array.isArray(settings)
        ? settings.filter((one) => typeof one === "string")
        : ["*"];
      for (const one of commands) draft.allowCommand(one, what);
      if (commands.some((one) => one === "*" || one === ":*")) draft.allowCommand("*", what);
    } else if (name === "edit" || name === "web-fetch" || name === "cache-memory") continue;
    else if (name === "web-search") draft.wants.search = true;
    else if (isJsonObject(settings) && (settings["command"] ?? settings["url"]) !== undefined) {
      draft.addServer(name, settings);
    } else if (name === "github") draft.wants.mcp.push("github");
    else draft.lose(what, "a server has such tools: inkling mcp add");
  }
}

const RULES: FieldRules = {
  on: (draft, value) => readEvents(draft, value, draft.id),
  name: text((draft, value) => draft.setDescription(value)),
  description: text((draft, value) => draft.setDescription(value)),
  tools: readTools,
  "mcp-servers": (draft, value) => {
    if (isJsonObject(value)) {
      for (const [name, one] of Object.entries(value)) draft.addServer(name, one);
    }
  },
  engine: (draft, value, key) => {
    const model = isJsonObject(value) ? value["model"] : undefined;
    if (typeof model === "string") draft.wants.models.push(model);
    const turns = isJsonObject(value) ? value["max-turns"] : undefined;
    if (turns !== undefined) runSetting("max_tool_calls")(draft, turns, "max-turns");
    const name = isJsonObject(value) ? value["id"] : value;
    if (typeof name === "string") {
      draft.change(showField(key, name), "Inkling itself runs the agent");
    }
  },
  model: text((draft, value) => void draft.wants.models.push(value)),
  "timeout-minutes": runSetting("max_duration", (minutes) => `${minutes}m`),
  timeout_minutes: runSetting("max_duration", (minutes) => `${minutes}m`),
  permissions: lost("they are of a token of GitHub: a server for GitHub has its own token"),
  network: lost("http.allow and http.deny in config.yaml hold for all agents"),
  "safe-outputs": lost(
    "it writes to GitHub: a server for GitHub has tools for that, and confirm asks",
  ),
  imports: lost("only the file itself is read: name the other files as @file in the text"),
  steps: lost(OF_ACTIONS),
  "pre-steps": lost(OF_ACTIONS),
  "post-steps": lost(OF_ACTIONS),
  jobs: lost(OF_ACTIONS),
  services: lost(OF_ACTIONS),
  runtimes: lost(OF_ACTIONS),
  secrets: lost("secrets are in .env, and MCP servers name them"),
  env: lost("variables are in .env"),
  if: lost(OF_ACTIONS),
  roles: lost("everybody who may use the service may run its agents"),
  strict: needless,
  "runs-on": needless,
  "run-name": needless,
  concurrency: lost("`max_concurrent_runs` limits the runs of an agent"),
  labels: needless,
  source: needless,
  tracker: needless,
  "tracker-id": needless,
  sandbox: needless,
  checkout: needless,
};

/** The format of GitHub Agentic Workflows. */
export const GITHUB_WORKFLOW: Shape = {
  name: "a GitHub Agentic Workflow",
  context: [".github/copilot-instructions.md", "AGENTS.md"],
  fits(path, content) {
    if (!path.endsWith(".md")) return false;
    const fields = readMarkdown(content).fields;
    return fields?.["on"] !== undefined ||
      /(?:^|\/)\.github\/workflows\//.test(path) && fields !== undefined;
  },
  read({ path, text: content }) {
    const { fields = {}, body } = readMarkdown(content);
    const draft = new Draft(path);
    applyRules(draft, fields, RULES);
    return { agents: [draft.finish(convertText(draft, body))] };
  },
};
