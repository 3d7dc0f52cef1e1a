// The programs that run an agent from a command line, and the meaning of their options.
import type { JsonValue } from "../../../base/json.ts";
import {
  type Draft,
  type FieldRule,
  type FieldRules,
  lost,
  needless,
  runSetting,
  showField,
  text,
  toList,
  WRITERS,
} from "../reading/draft.ts";
import { readPermissionMode } from "./claude_code.ts";

/** A program that runs an agent. */
export interface AgentProgram {
  title: string;
  /** The subcommand, or the options of which one makes the program run one task without a person. */
  runs: readonly string[];
  /** The rules of the options, by their names without dashes. */
  rules: FieldRules;
  /** The names of the options without a value, in addition to FLAGS. */
  flags?: readonly string[];
  /** The names of options that mean another one. */
  aliases: Readonly<Record<string, string>>;
  /** Applies the program's defaults, if none of these options is given. */
  unless?: { given: readonly string[]; apply: (draft: Draft) => void };
}

/** Returns the texts of an option, which may occur several times. */
export function toTexts(value: JsonValue | undefined): string[] {
  return [value].flat().filter((one) => typeof one === "string");
}

/** Adds a folder or file to the permissions that an agent wants. */
export function addPlace(draft: Draft, alias: string, path: string, why: string): void {
  draft.grants.push({ setting: "paths", value: { [alias]: path }, why });
}

const listed = (value: JsonValue) => toTexts(value).flatMap(toList);
const ALLOW: FieldRule = (draft, value, key) => draft.preapprove(listed(value), key);
const ALLOW_ONLY: FieldRule = (draft, value, key) => draft.allowOnly(listed(value), key);
const DENY: FieldRule = (draft, value, key) => draft.leaveOut(listed(value), key);
const OTHER_FILE = lost("import that file or folder, too");
const SESSION = lost("each run begins its own conversation; `history` shows it earlier runs");

const FOLDERS: FieldRule = (draft, value, key) =>
  toTexts(value).forEach((folder, index) =>
    addPlace(draft, `folder${index + 1}`, folder, showField(key, value))
  );

/** Frees every tool from approval. */
const EVERYTHING: FieldRule = (draft, _value, key) => {
  draft.allowCommand("*", key);
  draft.autoApprove(["*"], key);
};

/** Frees changes of files, and commands in the sandbox, from approval. */
const EDITS: FieldRule = (draft, _value, key) => {
  draft.allowCommand("*", key);
  draft.autoApprove(["file_write", "file_edit", "shell"], key);
};

function readOnly(draft: Draft): void {
  draft.withhold(WRITERS);
  draft.change("a sandbox that only reads", "tools that change files are left out");
}

const SANDBOX = text((draft, mode, key) =>
  mode === "read-only"
    ? readOnly(draft)
    : (mode === "workspace-write" ? EDITS : EVERYTHING)(draft, mode, key)
);

const APPROVAL = text((draft, mode, key) => {
  if (mode === "yolo") EVERYTHING(draft, mode, key);
  else if (mode === "plan") readOnly(draft);
  else if (mode === "auto_edit") {
    draft.autoApprove(["file_write", "file_edit"], showField(key, mode));
  }
});

/** The options that need no counterpart: they concern output, sessions on disk or the program itself. */
const PLAIN =
  "ask-for-approval color format input-format json-schema log-level output-format output-last-message title";
/** The options without a value that need no counterpart. */
const PLAIN_FLAGS =
  "allow-all-urls approve-mcps debug ephemeral include-partial-messages json no-ask-user no-auto-update no-color " +
  "no-log no-session no-session-persistence no-stream print print-logs quiet share silent skip-git-repo-check " +
  "stream-partial-output strict-mcp-config trust verbose";
/** The options without a value in every program. */
export const FLAGS: readonly string[] = [
  ...PLAIN_FLAGS.split(" "),
  ..."allow-all allow-all-paths allow-all-tools auto continue force full-auto yolo".split(" "),
  ..."dangerously-bypass-approvals-and-sandbox dangerously-skip-permissions".split(" "),
];

/** The options that contain the task. Those with instructions come before the task. */
export const PROMPTS: readonly string[] = ["prompt", "text"];
export const SYSTEM_PROMPTS: readonly string[] = [
  "system-prompt",
  "append-system-prompt",
  "system",
];
export const PROMPT_FILES: readonly string[] = ["instructions"];

/** The rules of options that have the same meaning in every program. */
const COMMON: FieldRules = {
  ...Object.fromEntries(
    [...PLAIN.split(" "), ...PLAIN_FLAGS.split(" "), ...PROMPTS, ...SYSTEM_PROMPTS, ...PROMPT_FILES]
      .map((name) => [name, needless]),
  ),
  ...Object.fromEntries(
    "mcp-config settings file command recipe profile image template fragment attachment extensions"
      .split(" ").map((name) => [name, OTHER_FILE]),
  ),
  ...Object.fromEntries(["continue", "resume", "session"].map((name) => [name, SESSION])),
  ...Object.fromEntries(
    ["allow-all", "allow-all-tools", "auto", "force", "yolo"].map((name) => [name, EVERYTHING]),
  ),
  "dangerously-bypass-approvals-and-sandbox": EVERYTHING,
  "dangerously-skip-permissions": EVERYTHING,
  "add-dir": FOLDERS,
  agent: lost("the agent of that name is another file: import it, too"),
  model: text((draft, value) => void draft.wants.models.push(value)),
};

/** The programs by the names of their files. */
const PROGRAMS: Readonly<Record<string, AgentProgram>> = {
  claude: {
    title: "Claude Code",
    runs: ["-p", "--print"],
    rules: {
      ...COMMON,
      "allowed-tools": ALLOW,
      "disallowed-tools": DENY,
      tools: ALLOW_ONLY,
      "permission-mode": text(readPermissionMode),
      "max-turns": runSetting("max_tool_calls"),
      "max-budget-usd": runSetting("max_cost_usd"),
      "fallback-model": text((draft, value) => void draft.wants.models.push(value)),
    },
    aliases: {
      p: "print",
      c: "continue",
      r: "resume",
      allowedTools: "allowed-tools",
      disallowedTools: "disallowed-tools",
    },
  },
  codex: {
    title: "Codex",
    runs: ["exec"],
    rules: {
      ...COMMON,
      sandbox: SANDBOX,
      "full-auto": EDITS,
      cd: text((draft, folder, key) => addPlace(draft, "work", folder, showField(key, folder))),
      config: lost("it changes the program's own settings"),
      "output-schema": lost("`output.schema` in the agent's file has a schema of the answer"),
    },
    aliases: {
      a: "ask-for-approval",
      c: "config",
      C: "cd",
      i: "image",
      m: "model",
      o: "output-last-message",
      p: "profile",
      s: "sandbox",
    },
    unless: {
      given: ["sandbox", "full-auto", "yolo", "dangerously-bypass-approvals-and-sandbox"],
      apply: readOnly,
    },
  },
  gemini: {
    title: "Gemini CLI",
    runs: ["-p", "--prompt"],
    rules: {
      ...COMMON,
      "approval-mode": APPROVAL,
      "allowed-tools": ALLOW,
      "include-directories": FOLDERS,
      sandbox: needless,
    },
    flags: ["sandbox"],
    aliases: { e: "extensions", m: "model", p: "prompt", r: "resume", s: "sandbox", y: "yolo" },
  },
  opencode: {
    title: "opencode",
    runs: ["run"],
    rules: { ...COMMON, dir: FOLDERS },
    aliases: { c: "continue", f: "file", m: "model", s: "session" },
  },
  goose: {
    title: "goose",
    runs: ["run"],
    rules: {
      ...COMMON,
      "max-turns": runSetting("max_tool_calls"),
      params: lost("import the recipe: `$0` and the other arguments are its parameters"),
      provider: lost("`--model provider/name` of inkling import sets a provider"),
      "with-builtin": lost("its built-in tools are those of every agent here"),
      "with-extension": lost("inkling mcp add adds a server"),
    },
    aliases: { i: "instructions", n: "session", q: "quiet", r: "resume", t: "text" },
  },
  copilot: {
    title: "GitHub Copilot CLI",
    runs: ["-p", "--prompt"],
    rules: {
      ...COMMON,
      "allow-tool": ALLOW,
      "available-tools": ALLOW_ONLY,
      "deny-tool": DENY,
      "excluded-tools": DENY,
      "allow-url": lost("an agent's tools reach every host"),
      "allow-all-paths": lost("`paths` names the places of an agent"),
    },
    aliases: { p: "prompt", s: "silent" },
  },
  "cursor-agent": {
    title: "Cursor",
    runs: ["-p", "--print"],
    rules: { ...COMMON, workspace: FOLDERS, mode: needless, "api-key": needless },
    aliases: { a: "api-key", f: "force", p: "print" },
  },
  llm: {
    title: "llm",
    runs: [],
    rules: {
      ...COMMON,
      tool: ALLOW,
      key: needless,
      option: lost("`settings` in the agent's file has the temperature and other options"),
    },
    aliases: {
      a: "attachment",
      c: "continue",
      f: "fragment",
      m: "model",
      n: "no-log",
      o: "option",
      s: "system",
      t: "template",
      T: "tool",
    },
  },
};

/** The other names of some programs. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  "@anthropic-ai/claude-code": "claude",
  "@openai/codex": "codex",
  "@google/gemini-cli": "gemini",
  "@github/copilot": "copilot",
  "opencode-ai": "opencode",
  qwen: "gemini",
};

/** Splits `-sp` into `-s` and `-p`, if the program has these options. */
export function splitClusters(
  args: readonly string[],
  { aliases }: Pick<AgentProgram, "aliases">,
): string[] {
  return args.flatMap((arg) => {
    const letters = [.../^-([A-Za-z]{2,})$/.exec(arg)?.[1] ?? ""];
    return letters.length > 0 && letters.every((one) => Object.hasOwn(aliases, one))
      ? letters.map((one) => `-${one}`)
      : [arg];
  });
}

/** Returns the program that a word names, if the words after it run one task without a person. */
export function findProgram(word: string, args: readonly string[]): AgentProgram | undefined {
  const file = word.replace(/(?<=.)@[\w.-]+$/, "");
  const base = file.split("/").at(-1) ?? "";
  const name = OTHER_NAMES[file] ?? OTHER_NAMES[base] ?? base;
  const program = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  if (program === undefined) return undefined;
  const { runs } = program;
  const words = splitClusters(args, program);
  const isRun = runs.length === 0
    ? words.some((word) => /\s/.test(word))
    : runs.some((one) =>
      one.startsWith("-")
        ? words.some((word) => word === one || word.startsWith(`${one}=`))
        : words[0] === one
    );
  return isRun ? program : undefined;
}
