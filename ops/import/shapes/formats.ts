// The formats of other tools' files that `inkling import` reads. The first one that fits a file reads it.
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import {
  ALL_ARGUMENTS,
  convertText,
  named,
  NO_PLACEHOLDERS,
  type Placeholders,
  positional,
} from "../reading/body_text.ts";
import { applyRules, Draft, type FieldRules, toList, toTexts } from "../reading/draft.ts";
import { parseFile } from "../reading/front_matter.ts";
import type { ForeignFile, ImportedAgent, Loss, Reading, Shape } from "../reading/shape.ts";
import { CRONTAB } from "./crontab.ts";
import { RULES, WORKFLOW_RULES } from "./field_rules.ts";

/** A format in which one file is one agent. */
interface Format {
  name: string;
  /** The files with instructions that the tool adds to each text. AGENTS.md if absent. */
  context?: readonly string[];
  /** Matches the paths of such files. */
  path?: RegExp;
  /** Returns true if a file with another path has this format, too. */
  fits?(fields: JsonObject, path: string): boolean;
  /** The rules of fields that have another meaning than in other tools. */
  rules?: FieldRules;
  isCommand?: boolean;
  /** The reason why an agent without a list of tools runs commands. */
  shell?: string;
  /** The fields that are the text of a file of data. */
  texts?: readonly string[];
  placeholders?: (text: string, fields: JsonObject) => Placeholders;
  /** Returns the reason why a file is no agent, or undefined. */
  refuse?: (fields: JsonObject) => string | undefined;
}

const MARKDOWN = /\.md$/;
const OPENCODE = ["AGENTS.md", "CLAUDE.md"];
const CLAUDE = ["CLAUDE.md", "AGENTS.md"];
const COPILOT = [".github/copilot-instructions.md", "AGENTS.md"];

const inputs = () => named(/\$\{input:[\w-]+(?::[^}\n]*)?\}/);

/** The placeholders of Codex: numbers, names such as `$FILE`, and `$$` for a dollar. */
function codexPlaceholders(text: string): Placeholders {
  const [numbers, names] = [positional(text), named(/\$[A-Z][A-Z0-9_]+/)];
  return {
    pattern: new RegExp(`\\$\\$|${numbers.pattern.source}|${names.pattern.source}`),
    convert: (match) =>
      match === "$$" ? "\\$" : (/^\$(?:\d|ARGUMENTS)/.test(match) ? numbers : names).convert(match),
  };
}

/** The parameters of a recipe, each with its default. */
function gooseParameters(_text: string, { parameters = null }: JsonObject): Placeholders {
  const defaults = [parameters].flat().filter(isJsonObject).flatMap((
    { key, default: value = null },
  ) => typeof key === "string" && value !== null ? [[key, String(value)] as const] : []);
  return named(/\{\{\s*[\w-]+\s*\}\}/, new Map(defaults));
}

const OPENCODE_COMMAND: Format = {
  name: "a command of opencode",
  context: OPENCODE,
  path: /(?:^|\/)\.?opencode\/commands?\/.+\.md$/,
  isCommand: true,
  placeholders: positional,
};
const OPENCODE_AGENT: Format = {
  name: "an agent of opencode",
  context: OPENCODE,
  path: /(?:^|\/)\.?opencode\/agents?\/.+\.md$/,
  fits: ({ mode, permission, tools }, path) =>
    MARKDOWN.test(path) && (["subagent", "primary", "all"].includes(String(mode)) ||
      isJsonObject(permission) ||
      isJsonObject(tools) && Object.values(tools).some((one) => typeof one === "boolean")),
  shell: "an agent of opencode runs commands unless its settings forbid it",
};

/** The formats, those that a path identifies before those that only the fields identify. */
const FORMATS: readonly Format[] = [
  {
    name: "a GitHub Agentic Workflow",
    context: COPILOT,
    fits: ({ on }, path) =>
      MARKDOWN.test(path) && (on !== undefined || /(?:^|\/)\.github\/workflows\//.test(path)),
    rules: WORKFLOW_RULES,
  },
  OPENCODE_COMMAND,
  OPENCODE_AGENT,
  {
    name: "a prompt of GitHub Copilot",
    context: COPILOT,
    path: /\.prompt\.md$/,
    isCommand: true,
    placeholders: inputs,
  },
  {
    name: "an agent of GitHub Copilot",
    context: COPILOT,
    path: /\.(?:agent|chatmode)\.md$|(?:^|\/)\.github\/agents\/.+\.md$/,
    fits: ({ tools = null, model, handoffs, target }, path) =>
      MARKDOWN.test(path) &&
      (handoffs !== undefined || target === "vscode" || target === "github-copilot" ||
        Array.isArray(tools) && (Array.isArray(model) || toList(tools).some((name) =>
            /^(?:[\w.-]+\/[\w*]+|codebase|editFiles|runCommands|githubRepo|vscodeAPI)$/.test(name)
          ))),
    shell: "it names no tools, so it had all of them, with commands",
    placeholders: inputs,
  },
  {
    name: "a prompt of Codex",
    path: /(?:^|\/)\.codex\/prompts\/.+\.md$/,
    isCommand: true,
    placeholders: codexPlaceholders,
  },
  {
    name: "a command of Cursor",
    path: /(?:^|\/)\.cursor\/(?:commands|agents)\/.+\.md$/,
    isCommand: true,
  },
  {
    name: "a rule of Cursor",
    path: /\.mdc$/,
    isCommand: true,
    refuse: ({ globs, alwaysApply }) =>
      alwaysApply === true || (globs ?? "") !== ""
        ? "it is a rule for other texts, and no task: name it in an agent's text"
        : undefined,
  },
  {
    name: "a slash command of Claude Code",
    context: CLAUDE,
    path: /(?:^|\/)\.claude\/commands\/.+\.md$/,
    fits: (fields, path) =>
      /(?:^|\/)commands\/.+\.md$/.test(path) &&
      ["description", "allowed-tools", "argument-hint"].some((key) => fields[key] !== undefined),
    isCommand: true,
    placeholders: positional,
  },
  {
    name: "a subagent of Claude Code",
    context: CLAUDE,
    path: /(?:^|\/)\.claude\/agents\/.+\.md$/,
    fits: ({ name, description, tools = "", model = "", trigger }, path) =>
      MARKDOWN.test(path) && typeof name === "string" && description !== undefined &&
      trigger === undefined && (typeof tools === "string" || Array.isArray(tools)) &&
      typeof model === "string",
    shell: "it names no tools, so it had all of them, with commands",
  },
  {
    name: "a recipe of goose",
    context: [".goosehints", "AGENTS.md"],
    fits: ({ title, instructions, prompt }, path) =>
      /\.(?:ya?ml|json)$/.test(path) && typeof title === "string" &&
      typeof (instructions ?? prompt) === "string",
    texts: ["instructions", "prompt"],
    rules: { title() {}, parameters() {} },
    placeholders: gooseParameters,
  },
  {
    name: "an agent of Codex",
    fits: ({ developer_instructions: text }, path) =>
      path.endsWith(".toml") && typeof text === "string",
    texts: ["developer_instructions"],
    shell: "an agent of Codex works with commands",
  },
  {
    name: "a command of Gemini",
    context: ["GEMINI.md", "AGENTS.md"],
    fits: ({ prompt }, path) => path.endsWith(".toml") && typeof prompt === "string",
    texts: ["prompt"],
    isCommand: true,
    placeholders: () => ALL_ARGUMENTS,
  },
];

/** Reads the fields and the text of one agent. */
function readAgent(
  { rules, isCommand = false, shell, texts = [], placeholders = () => NO_PLACEHOLDERS }: Format,
  { path, fields = {}, body }: Omit<ForeignFile, "text">,
): ImportedAgent {
  const { title } = fields;
  const isUnnamed = /(?:^|\/)recipe\.\w+$/.test(path) && typeof title === "string";
  // A command's id contains its folder, as the command's name does.
  const [, inCommands] = /(?:^|\/)commands?\/(.+)$/.exec(path) ?? [];
  const commandName = isCommand ? inCommands?.replaceAll("/", "-") : undefined;
  const draft = new Draft(isUnnamed ? title : commandName ?? path);
  draft.isCommand = isCommand;
  const others = Object.entries(fields).filter(([key]) => !texts.includes(key));
  applyRules(draft, Object.fromEntries(others), { ...RULES, ...rules });
  const isReadOnly = ["plan", "read-only"].includes(
    String(fields["permissionMode"] ?? fields["sandbox_mode"]),
  );
  const isFree = !Array.isArray(fields["tools"]) && typeof fields["tools"] !== "string";
  if (shell !== undefined && isFree && !isReadOnly) draft.allowCommand("*", shell);
  const text = [body, ...texts.flatMap((key) => toTexts(fields[key]))].filter((one) => one !== "")
    .join("\n\n");
  return draft.finish(convertText(draft, text, placeholders(text, fields)));
}

/** Returns the fields of a recipe, which the desktop program of goose puts under `recipe`. */
const unwrap = ({ recipe, ...fields }: JsonObject) => isJsonObject(recipe) ? recipe : fields;

/** The formats in which one file is one agent. */
const FILES: readonly Shape[] = FORMATS.map((format) => ({
  name: format.name,
  context: format.context ?? ["AGENTS.md"],
  fits: ({ path, fields }) =>
    format.path?.test(path) === true ||
    fields !== undefined && format.fits?.(unwrap(fields), path) === true,
  read(file) {
    const fields = unwrap(file.fields ?? {});
    const why = format.refuse?.(fields);
    return why === undefined
      ? { agents: [readAgent(format, { ...file, fields })] }
      : { agents: [], left: [{ what: file.path, why }] };
  },
}));

/** opencode.json, which contains agents and commands. */
const OPENCODE_SETTINGS: Shape = {
  name: "the settings of opencode",
  context: OPENCODE,
  fits: ({ path, fields }) =>
    /(?:^|\/)opencode\.json$/.test(path) &&
    (isJsonObject(fields?.["agent"]) || isJsonObject(fields?.["command"])),
  read({ path, fields = {} }) {
    const { agent = null, command = null, model = null, $schema: _, ...rest } = fields;
    const agents = [agent, command].flatMap((map) =>
      Object.entries(isJsonObject(map) ? map : {}).flatMap(([name, one]) =>
        isJsonObject(one) ? [readEntry(name, { model, ...one })] : []
      )
    );
    const why = "only the agents and commands of opencode are imported";
    return {
      agents,
      left: Object.keys(rest).map((key): Loss => ({ what: `${path}: ${key}`, why })),
    };
  },
};

function readEntry(name: string, entry: Record<string, JsonValue>): ImportedAgent {
  const { prompt = "", template, ...fields } = entry;
  // A reference to a file adds the text of that file.
  const body = String(template ?? prompt).replace(/\{file:([^{}]+)\}/g, "@$1");
  const format = template === undefined ? OPENCODE_AGENT : OPENCODE_COMMAND;
  return readAgent(format, { path: name, fields, body });
}

const SHAPES: readonly Shape[] = [CRONTAB, OPENCODE_SETTINGS, ...FILES];

/** The files with instructions for every agent of a repository. */
export const CONTEXT_FILES: ReadonlySet<string> = new Set(SHAPES.flatMap(({ context }) => context));

/** A file of another tool with its format. */
export type RecognizedFile =
  & Reading
  & Pick<Shape, "name" | "context">
  & Pick<ForeignFile, "fields">;

/** Reads a file of another tool. Returns undefined for any other file. */
export function readForeignFile(path: string, text: string): RecognizedFile | undefined {
  const file = parseFile(path, text);
  const shape = SHAPES.find((one) => one.fits(file));
  if (shape === undefined) return undefined;
  const { name, context } = shape;
  return { name, context, fields: file.fields, ...shape.read(file) };
}
