// Reads the Markdown files of opencode, GitHub Copilot, Codex and Cursor.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import {
  convertText,
  named,
  NO_PLACEHOLDERS,
  type Placeholders,
  positional,
} from "../reading/body_text.ts";
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
} from "../reading/draft.ts";
import { readMarkdown } from "../reading/front_matter.ts";
import type { Reading, Shape } from "../reading/shape.ts";
import { readToolSpec } from "../reading/tool_names.ts";

/** The fields that several tools have. */
const COMMON: FieldRules = {
  name: text((draft, value) => draft.setName(value)),
  description: text((draft, value) => draft.setDescription(value)),
  model: (draft, value) => void draft.wants.models.push(...toModels(value)),
  temperature: runSetting("temperature"),
  "argument-hint": needless,
  metadata: needless,
  license: needless,
  version: needless,
};

/** Returns the names of models from text, or from a list in the order of preference. */
function toModels(value: JsonValue): string[] {
  return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string");
}

/** Reads a file with these rules. */
function readWith(
  rules: FieldRules,
  { path, text: content, isCommand, shell, placeholders }: {
    path: string;
    text: string;
    isCommand: boolean;
    /** The reason why an agent without a list of tools runs commands. */
    shell?: string;
    placeholders: (body: string) => Placeholders;
  },
): Reading {
  const { fields = {}, body } = readMarkdown(content);
  const draft = new Draft(path);
  draft.isCommand = isCommand;
  applyRules(draft, fields, rules);
  const isFree = !Array.isArray(fields["tools"]) && typeof fields["tools"] !== "string";
  if (shell !== undefined && isFree) draft.allowCommand("*", shell);
  return { agents: [draft.finish(convertText(draft, body, placeholders(body)))] };
}

/** Reads the permission of one tool of opencode: a word for all calls, or words by pattern. */
function readPermission(draft: Draft, tool: string, value: JsonValue): void {
  const what = `permission: ${showField(tool, value)}`;
  const rules = isJsonObject(value) ? Object.entries(value) : [["*", value] as const];
  const spec = readToolSpec(tool);
  if (spec.kind !== "builtin") {
    return draft.lose(what, spec.kind === "unknown" ? spec.why : "it holds for all tools");
  }
  const isShell = spec.tools.includes("shell");
  for (const [pattern, word] of rules) {
    if (isShell) readShellRule(draft, { pattern, word, what });
    else if (pattern !== "*") draft.lose(what, "`paths` holds for all tools");
    else if (word === "deny") draft.withhold(spec.tools);
    else if (word === "allow") draft.autoApprove(spec.tools, what);
    else if (word === "ask") draft.confirm(spec.tools);
  }
}

function readShellRule(
  draft: Draft,
  { pattern, word, what }: { pattern: string; word: JsonValue; what: string },
): void {
  if (word === "deny") draft.denyCommand(pattern, what);
  else if (word === "ask") draft.allowCommand("*", what);
  else if (word === "allow") {
    draft.allowCommand(pattern, what);
    if (pattern === "*") draft.autoApprove(["shell"], what);
  }
}

/** The rules for the fields of opencode's agents and commands. */
export const OPENCODE: FieldRules = {
  ...COMMON,
  mode: needless,
  hidden: needless,
  color: lost("the page and the lists choose the colors"),
  top_p: lost("`temperature` is the only such setting"),
  steps: runSetting("max_tool_calls"),
  maxSteps: runSetting("max_tool_calls"),
  prompt: lost("the text below the front matter is the task"),
  disable: (draft, value) => {
    if (value === true) draft.set("enabled", false, "disable: true");
  },
  tools: (draft, value, key) => {
    if (!isJsonObject(value)) return draft.allowOnly(toList(value), key);
    const off = Object.entries(value).filter(([, on]) => on === false).map(([name]) => name);
    if (off.includes("*")) {
      const on = Object.entries(value).filter(([, one]) => one === true).map(([name]) => name);
      return draft.allowOnly(on, key);
    }
    draft.leaveOut(off, key);
  },
  permission: (draft, value, key) => {
    if (!isJsonObject(value)) {
      return draft.lose(showField(key, value), "it holds for no named tool");
    }
    for (const [tool, one] of Object.entries(value)) readPermission(draft, tool, one);
  },
  agent: lost("a command is an agent of its own here"),
  subtask: needless,
};

const COPILOT: FieldRules = {
  ...COMMON,
  tools: (draft, value, key) => draft.allowOnly(toList(value), key),
  target: needless,
  infer: needless,
  mode: needless,
  "user-invocable": needless,
  "disable-model-invocation": needless,
  agent: (draft, value, key) => {
    if (value !== "agent" && value !== "ask") {
      lost("a prompt is an agent of its own here")(draft, value, key);
    }
  },
  agents: (draft, value) => void draft.wants.agents.push(...toList(value)),
  handoffs: (draft, value) => {
    const targets = (Array.isArray(value) ? value : []).filter(isJsonObject);
    for (const { agent } of targets) if (typeof agent === "string") draft.wants.agents.push(agent);
  },
  "mcp-servers": (draft, value) => {
    if (isJsonObject(value)) {
      for (const [name, one] of Object.entries(value)) draft.addServer(name, one);
    }
  },
  hooks: lost("Inkling has no hooks: `confirm` lets a person decide before a call"),
};

const CURSOR: FieldRules = { ...COMMON, alwaysApply: needless, globs: needless };

/** The placeholders of Codex: numbers, names such as `$FILE`, and `$$` for a dollar. */
function codexPlaceholders(text: string): Placeholders {
  const [numbers, names] = [positional(text), named(/\$[A-Z][A-Z0-9_]+/)];
  return {
    pattern: new RegExp(`\\$\\$|${numbers.pattern.source}|${names.pattern.source}`),
    convert(match, draft) {
      if (match === "$$") return "\\$";
      return (/^\$(?:\d|ARGUMENTS)/.test(match) ? numbers : names).convert(match, draft);
    },
  };
}

/** Returns true for front matter that only opencode has. */
function isOpencode(fields: JsonObject | undefined): boolean {
  const { mode, permission, tools } = fields ?? {};
  return mode === "subagent" || mode === "primary" || mode === "all" ||
    isJsonObject(permission) && fields?.["on"] === undefined || isJsonObject(tools) &&
      Object.values(tools).some((one) => typeof one === "boolean") && fields?.["on"] === undefined;
}

/** Returns true for front matter with names of tools that only Copilot has. */
function isCopilot(fields: JsonObject | undefined): boolean {
  const { tools, model, handoffs, target } = fields ?? {};
  const names = toList(tools ?? null);
  return handoffs !== undefined || target === "vscode" || target === "github-copilot" ||
    Array.isArray(model) && Array.isArray(tools) ||
    Array.isArray(tools) &&
      names.some((name) =>
        /^(?:[\w.-]+\/[\w*]+|codebase|editFiles|runCommands|githubRepo|vscodeAPI)$/.test(name)
      );
}

const fieldsOf = (content: string) => readMarkdown(content).fields;

/** The formats in Markdown, those that a path identifies first. */
export const MARKDOWN_SHAPES: readonly Shape[] = [
  {
    name: "a command of opencode",
    context: ["AGENTS.md", "CLAUDE.md"],
    fits: (path) => /(?:^|\/)\.?opencode\/commands?\/.+\.md$/.test(path),
    read: (file) => readWith(OPENCODE, { ...file, isCommand: true, placeholders: positional }),
  },
  {
    name: "an agent of opencode",
    context: ["AGENTS.md", "CLAUDE.md"],
    fits: (path, content) =>
      path.endsWith(".md") &&
      (/(?:^|\/)\.?opencode\/agents?\//.test(path) || isOpencode(fieldsOf(content))),
    read: (file) =>
      readWith(OPENCODE, {
        ...file,
        isCommand: false,
        shell: "an agent of opencode runs commands unless its file forbids it",
        placeholders: () => NO_PLACEHOLDERS,
      }),
  },
  {
    name: "a prompt of GitHub Copilot",
    context: [".github/copilot-instructions.md", "AGENTS.md"],
    fits: (path) => path.endsWith(".prompt.md"),
    read: (file) =>
      readWith(COPILOT, {
        ...file,
        isCommand: true,
        placeholders: () => named(/\$\{input:[\w-]+(?::[^}\n]*)?\}/),
      }),
  },
  {
    name: "an agent of GitHub Copilot",
    context: [".github/copilot-instructions.md", "AGENTS.md"],
    fits: (path, content) =>
      /\.(?:agent|chatmode)\.md$/.test(path) || /(?:^|\/)\.github\/agents\/.+\.md$/.test(path) ||
      path.endsWith(".md") && isCopilot(fieldsOf(content)),
    read: (file) =>
      readWith(COPILOT, {
        ...file,
        isCommand: false,
        shell: "it names no tools, so it had all of them, with commands",
        placeholders: () => named(/\$\{input:[\w-]+(?::[^}\n]*)?\}/),
      }),
  },
  {
    name: "a prompt of Codex",
    context: ["AGENTS.md"],
    fits: (path) => /(?:^|\/)\.codex\/prompts\/.+\.md$/.test(path),
    read: (file) => readWith(COMMON, { ...file, isCommand: true, placeholders: codexPlaceholders }),
  },
  {
    name: "a command of Cursor",
    context: ["AGENTS.md"],
    fits: (path) => /(?:^|\/)\.cursor\/(?:commands|agents)\/.+\.md$/.test(path),
    read: (file) =>
      readWith(CURSOR, { ...file, isCommand: true, placeholders: () => NO_PLACEHOLDERS }),
  },
  {
    name: "a rule of Cursor",
    context: ["AGENTS.md"],
    fits: (path) => path.endsWith(".mdc"),
    read(file) {
      const { globs, alwaysApply } = fieldsOf(file.text) ?? {};
      if (alwaysApply === true || globs !== undefined && globs !== null && globs !== "") {
        const why = "it is a rule for other texts, and no task: name it in an agent's text";
        return { agents: [], left: [{ what: file.path, why }] };
      }
      return readWith(CURSOR, { ...file, isCommand: true, placeholders: () => NO_PLACEHOLDERS });
    },
  },
];
