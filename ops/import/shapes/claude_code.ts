// Reads subagents and slash commands of Claude Code.
import { isJsonObject } from "../../../base/json.ts";
import {
  applyRules,
  Draft,
  type FieldRules,
  lost,
  needless,
  runSetting,
  showField,
  text,
  toList,
  WRITERS,
} from "../reading/draft.ts";
import { convertText, positional } from "../reading/body_text.ts";
import { readMarkdown } from "../reading/front_matter.ts";
import type { Shape } from "../reading/shape.ts";

const LOOKS = lost("the page and the lists choose the colors");
const HOOKS = lost("Inkling has no hooks: `confirm` lets a person decide before a call");

/** The modes in which Claude Code asks less or more. */
export function readPermissionMode(draft: Draft, mode: string, key: string): void {
  const why = showField(key, mode);
  if (mode === "acceptEdits") draft.autoApprove(["file_write", "file_edit"], why);
  else if (mode === "bypassPermissions" || mode === "dontAsk") draft.autoApprove(["*"], why);
  else if (mode === "plan") {
    draft.withhold(WRITERS);
    draft.change(why, "tools that change files are left out");
  } else if (mode !== "default") draft.lose(why, "no mode of this name is known here");
}

/** The rules that subagents and commands share. */
const SHARED: FieldRules = {
  name: text((draft, value) => draft.setName(value)),
  description: text((draft, value) => draft.setDescription(value)),
  model: text((draft, value) => void draft.wants.models.push(value)),
  color: LOOKS,
  hooks: HOOKS,
  disallowedTools: (draft, value, key) => draft.leaveOut(toList(value), key),
  skills: (draft, value) => void draft.wants.skills.push(...toList(value)),
  effort: lost("the effort of a model is not a setting of an agent"),
  version: needless,
  author: needless,
  tags: needless,
  category: needless,
  license: needless,
  metadata: needless,
};

const SUBAGENT: FieldRules = {
  ...SHARED,
  tools: (draft, value, key) => draft.allowOnly(toList(value), key),
  permissionMode: text(readPermissionMode),
  maxTurns: runSetting("max_tool_calls"),
  memory: (draft, value, key) =>
    draft.change(showField(key, value), "the agent's own memory, which every agent has"),
  mcpServers: (draft, value) => {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (typeof one === "string") draft.wants.mcp.push(one);
      else if (isJsonObject(one)) {
        for (const [name, entry] of Object.entries(one)) draft.addServer(name, entry);
      }
    }
  },
  background: needless,
  isolation: lost("a run has no worktree of its own: it works in `paths`"),
  initialPrompt: lost("`trigger.input` is the message of a run"),
};

const COMMAND: FieldRules = {
  ...SHARED,
  "allowed-tools": (draft, value, key) => draft.preapprove(toList(value), key),
  "argument-hint": needless,
  "disable-model-invocation": needless,
  "user-invocable": needless,
  context: needless,
  agent: lost("a command is an agent of its own here"),
};

/** Returns true for front matter that only a subagent of Claude Code has. */
function isSubagent(content: string): boolean {
  const { fields } = readMarkdown(content);
  if (typeof fields?.["name"] !== "string" || fields["description"] === undefined) return false;
  const { tools = "", model = "", trigger, mode } = fields;
  return trigger === undefined && mode === undefined &&
    (typeof tools === "string" || Array.isArray(tools)) && typeof model === "string";
}

/** Returns true for front matter that a slash command has. */
function isCommand(content: string): boolean {
  const { fields = {} } = readMarkdown(content);
  return ["description", "allowed-tools", "argument-hint"].some((key) => fields[key] !== undefined);
}

/** The formats of Claude Code. */
export const CLAUDE_CODE: readonly Shape[] = [
  {
    name: "a slash command of Claude Code",
    context: ["CLAUDE.md", "AGENTS.md"],
    fits: (path, content) =>
      /(?:^|\/)\.claude\/commands\/.+\.md$/.test(path) ||
      /(?:^|\/)commands\/.+\.md$/.test(path) && isCommand(content),
    read({ path, text: content }) {
      const { fields = {}, body } = readMarkdown(content);
      const draft = new Draft(path.replace(/^.*?commands\//, "").replaceAll("/", "-"));
      draft.isCommand = true;
      applyRules(draft, fields, COMMAND);
      return { agents: [draft.finish(convertText(draft, body, positional(body)))] };
    },
  },
  {
    name: "a subagent of Claude Code",
    context: ["CLAUDE.md", "AGENTS.md"],
    fits: (path, content) =>
      path.endsWith(".md") && (/(?:^|\/)\.claude\/agents\//.test(path) || isSubagent(content)),
    read({ path, text: content }) {
      const { fields = {}, body } = readMarkdown(content);
      const draft = new Draft(path);
      applyRules(draft, fields, SUBAGENT);
      if (fields["tools"] === undefined && fields["permissionMode"] !== "plan") {
        draft.allowCommand("*", "it names no tools, so it had all of them, with commands");
      }
      return { agents: [draft.finish(convertText(draft, body))] };
    },
  },
];
