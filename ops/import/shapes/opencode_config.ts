// Reads the agents and commands in the settings of opencode: opencode.json.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { toPlainJson } from "../../../base/text/json_comments.ts";
import { convertText, NO_PLACEHOLDERS, positional } from "../reading/body_text.ts";
import { applyRules, Draft } from "../reading/draft.ts";
import type { ImportedAgent, Shape } from "../reading/shape.ts";
import { OPENCODE } from "./markdown_shapes.ts";

/** Returns the settings with agents or commands, or undefined. */
function readSettings(content: string): JsonObject | undefined {
  try {
    const root: unknown = JSON.parse(toPlainJson(content));
    return isJsonObject(root) && (isJsonObject(root["agent"]) || isJsonObject(root["command"]))
      ? root
      : undefined;
  } catch {
    return undefined; // A file that is no JSON has no agents.
  }
}

function readAgent(name: string, fields: JsonObject, model: JsonValue): ImportedAgent {
  const { prompt, template, ...settings } = fields;
  const isCommand = template !== undefined;
  const draft = new Draft(name);
  draft.isCommand = isCommand;
  applyRules(draft, { ...typeof model === "string" && { model }, ...settings }, OPENCODE);
  if (!isCommand) {
    draft.allowCommand("*", "an agent of opencode runs commands unless its settings forbid it");
  }
  // A reference to a file adds the text of that file.
  const text = String(template ?? prompt ?? "").replace(/\{file:([^{}]+)\}/g, "@$1");
  return draft.finish(convertText(draft, text, isCommand ? positional(text) : NO_PLACEHOLDERS));
}

/** The format of opencode.json. */
export const OPENCODE_CONFIG: Shape = {
  name: "the settings of opencode",
  context: ["AGENTS.md", "CLAUDE.md"],
  fits: (path, content) =>
    /(?:^|\/)opencode\.json$/.test(path) && readSettings(content) !== undefined,
  read({ path, text }) {
    const { agent, command, model = null, $schema: _schema, ...rest } = readSettings(text) ?? {};
    const entries = [agent, command].flatMap((map) => isJsonObject(map) ? Object.entries(map) : []);
    return {
      agents: entries.flatMap(([name, fields]) =>
        isJsonObject(fields) ? [readAgent(name, fields, model)] : []
      ),
      left: Object.keys(rest).map((key) => ({
        what: `${path}: ${key}`,
        why: "only the agents and commands of opencode are imported",
      })),
    };
  },
};
