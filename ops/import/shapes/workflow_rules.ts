// The rules for the fields of GitHub Agentic Workflows that have another meaning than in other tools.
import { isJsonObject, type JsonValue } from "../../../base/json.ts";
import {
  type Draft,
  type FieldRule,
  type FieldRules,
  lost,
  showField,
  text,
  toTexts,
} from "../reading/draft.ts";
import { readFuzzySchedule } from "../reading/schedule_words.ts";

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

/** Reads `tools`: each tool with its settings. */
const readTools: FieldRule = (draft, value) => {
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

export const WORKFLOW_RULES: FieldRules = {
  on: readEvents,
  name: text((draft, value) => draft.setDescription(value)),
  tools: readTools,
  steps: lost("it belongs to GitHub Actions"),
};
