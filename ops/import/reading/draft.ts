// Builds an imported agent from the fields of another tool's file.
import { isJsonObject, type JsonObject, type JsonValue, ownValue } from "../../../base/json.ts";
import { RUN_SETTINGS } from "../../../runtime/config/agent_settings.ts";
import { describeBadName, isAgentFileName } from "../../../runtime/agents/agent_id.ts";
import { parsePattern } from "../../../runtime/agents/approval/command_patterns.ts";
import { BUILTIN_TOOL_NAMES, fileChangers } from "../../../runtime/vocabulary/builtin_tools.ts";
import type { Change, Grant, ImportedAgent, Loss, Wants } from "./shape.ts";
import { readToolSpec, splitTools, toCommandPattern } from "./tool_names.ts";

/** The built-in tools that a list of allowed tools leaves out unless it names them. */
const OPTIONAL: readonly string[] = BUILTIN_TOOL_NAMES.filter((name) =>
  name.startsWith("file_") || name === "http_request"
);

const MAX_SHOWN = 200;

/** The rule for one field of a file. */
export type FieldRule = (draft: Draft, value: JsonValue, key: string) => void;

/** The rules for a file's fields. A field without a rule is lost. */
export type FieldRules = Readonly<Record<string, FieldRule>>;

/** An agent under construction. */
export class Draft {
  id: string;
  isCommand = false;
  readonly settings: JsonObject = {};
  readonly changes: Change[] = [];
  readonly losses: Loss[] = [];
  readonly grants: Grant[] = [];
  readonly wants: Wants = { models: [], agents: [], mcp: [], skills: [], search: false };
  readonly servers: JsonObject = {};
  /** The allowed tools. Undefined if the agent has every tool. */
  #allowed: Set<string> | undefined;
  readonly #leftOut = new Set<string>();
  readonly #commands = { allow: new Set<string>(), deny: new Set<string>() };
  #shellWhy: string | undefined;
  readonly #autoApproved = new Set<string>();
  #autoApproveWhy = "";

  constructor(path: string) {
    this.id = toId(path);
  }

  change(what: string, becomes: string): void {
    addOnce(this.changes, { what: shorten(what), becomes });
  }

  lose(what: string, why: string): void {
    addOnce(this.losses, { what: shorten(what), why });
  }

  /** Sets a field, and records the change. */
  set(field: string, value: JsonValue, what: string): void {
    this.settings[field] = value;
    this.change(what, `${field}: ${showValue(value)}`);
  }

  /** Takes the name: as the id, and as the display name if the id cannot contain it. */
  setName(name: string): void {
    const id = toId(name);
    if (id !== this.id) this.id = id;
    if (id !== name && describeBadName(name) === undefined) this.settings["name"] = name;
    else if (id !== name) this.change(`name: ${name}`, `the id ${id}`);
  }

  /** Takes the first part of a description. Other tools' descriptions often contain examples for a model. */
  setDescription(text: string): void {
    const plain = text.replace(/\\n/g, "\n").trim();
    const end = plain.search(/\n\s*\n|<example>|\bExamples?:\s/);
    const short = (end > 0 ? plain.slice(0, end) : plain).replace(/\s+/g, " ").trim();
    if (short === "") return;
    this.settings["description"] = short;
    if (end > 0) this.change(`description: ${plain}`, "its part before the examples");
  }

  /** Restricts the agent to these tools. */
  allowOnly(names: readonly string[], what: string): void {
    const tools = this.preapprove(names, what);
    if (names.some((name) => readToolSpec(name).kind === "every")) this.#allowed = undefined;
    else this.#allowed = new Set([...this.#allowed ?? [], ...tools]);
  }

  /** Adds tools without a restriction to them. Returns the built-in ones. */
  preapprove(names: readonly string[], what: string): string[] {
    return names.flatMap((name) => {
      const spec = readToolSpec(name);
      if (spec.kind === "server") this.wants.mcp.push(spec.entry);
      if (spec.kind === "unknown") this.lose(`${what}: ${name}`, spec.why);
      if (spec.kind !== "builtin") return [];
      for (const tool of spec.tools) {
        this.#allowBuiltin(tool, { ...spec, what: `${what}: ${name}` });
      }
      return spec.tools;
    });
  }

  #allowBuiltin(tool: string, { argument, what }: { argument?: string; what: string }): void {
    if (tool === "shell") return this.allowCommand(argument ?? "*", what);
    if (tool === "run_agent") {
      this.wants.agents.push(...(argument === undefined ? ["*"] : splitTools(argument)));
    } else if (tool === "web_search") this.wants.search = true;
    else if (tool === "skill_use" && argument !== undefined) {
      this.wants.skills.push(...splitTools(argument));
    } else if (argument !== undefined) {
      this.lose(what, "a tool has no places of its own: `paths` holds for all of them");
    }
  }

  /** Leaves out tools. */
  leaveOut(names: readonly string[], what: string): void {
    for (const name of names) {
      const spec = readToolSpec(name);
      if (spec.kind === "builtin" && spec.argument === undefined) {
        for (const tool of spec.tools) this.#leftOut.add(tool);
      } else if (spec.kind === "builtin" && spec.tools[0] === "shell") {
        this.denyCommand(spec.argument ?? "*", what);
      } else this.lose(`${what}: ${name}`, "it is not a tool that an agent has here");
    }
  }

  /** Leaves out built-in tools of Inkling. */
  withhold(tools: readonly string[]): void {
    for (const tool of tools) this.#leftOut.add(tool);
  }

  /** Leaves out the tools that change files. */
  readOnly(what: string): void {
    this.withhold(fileChangers());
    this.change(what, "tools that change files are left out");
  }

  /** Gives the agent a shell in which commands of this pattern need no approval. `*`: a shell of which every command asks. */
  allowCommand(pattern: string, what: string): void {
    this.#shellWhy ??= what;
    this.#addPattern("allow", pattern, what);
  }

  denyCommand(pattern: string, what: string): void {
    if (toCommandPattern(pattern) === "*") this.#leftOut.add("shell");
    else this.#addPattern("deny", pattern, what);
  }

  #addPattern(list: "allow" | "deny", written: string, what: string): void {
    const pattern = toCommandPattern(written);
    if (pattern === "*") return;
    // A denied command may always have further words.
    const entry = list === "deny" ? pattern.replace(/[ \t]+\*$/, "") : pattern;
    if (parsePattern(entry) === undefined) {
      this.lose(what, `${JSON.stringify(shorten(entry))} is not the words of one command`);
    } else this.#commands[list].add(entry);
  }

  /** Exempts tools from approval. */
  autoApprove(tools: readonly string[], why: string): void {
    this.#autoApproveWhy ||= why;
    for (const tool of tools) this.#autoApproved.add(tool);
  }

  /** Lets tools wait for approval. */
  confirm(tools: readonly string[]): void {
    this.settings["confirm"] = [...new Set([...toTexts(this.settings["confirm"]), ...tools])];
  }

  /** Adds the entry of an MCP server, of which the agent gets all tools. */
  addServer(name: string, entry: JsonValue): void {
    this.wants.mcp.push(name);
    if (isJsonObject(entry)) this.servers[name] = entry;
  }

  /** Returns the agent with this text. */
  finish(body: string): ImportedAgent {
    const { id, isCommand, settings, changes, losses, grants, wants, servers } = this;
    const leftOut = OPTIONAL.filter((tool) =>
      this.#leftOut.has(tool) || this.#allowed?.has(tool) === false
    );
    if (leftOut.length > 0) {
      settings["tools"] = leftOut.map((tool) => `-${tool}`);
      const rest = OPTIONAL.filter((tool) => !leftOut.includes(tool));
      this.change(
        "the list of tools",
        `tools: without ${leftOut.join(", ")}; with ${rest.join(", ") || "none of the file tools"}`,
      );
    }
    if (this.#shellWhy !== undefined && !this.#leftOut.has("shell")) {
      const lists = Object.entries(this.#commands).filter(([, list]) => list.size > 0)
        .map(([key, list]) => [key, [...list]]);
      const value = lists.length === 0 ? true : Object.fromEntries(lists);
      grants.push({ setting: "shell", value, why: this.#shellWhy });
    }
    if (this.#autoApproved.size > 0) {
      const every = this.#autoApproved.has("*");
      const value = every ? "*" : [...this.#autoApproved].filter((one) => !leftOut.includes(one));
      grants.push({ setting: "auto_approve", value, why: this.#autoApproveWhy });
    }
    return { id, isCommand, settings, body, changes, losses, grants, wants, servers };
  }
}

function addOnce<Part>(list: Part[], part: Part): void {
  if (!list.some((one) => JSON.stringify(one) === JSON.stringify(part))) list.push(part);
}

/** Applies the rules to a file's fields. */
export function applyRules(draft: Draft, fields: JsonObject, rules: FieldRules): void {
  for (const [key, value] of Object.entries(fields)) {
    if (value === null) continue;
    const rule = ownValue(rules, key);
    if (rule !== undefined) rule(draft, value, key);
    else draft.lose(showField(key, value), "Inkling has no such field");
  }
}

/** Returns a rule for a field that is lost for this reason. */
export function lost(why: string): FieldRule {
  return (draft, value, key) => draft.lose(showField(key, value), why);
}

/** Returns a rule that applies to texts. Any other value is lost. */
export function text(rule: (draft: Draft, value: string, key: string) => void): FieldRule {
  return (draft, value, key) =>
    typeof value === "string" ? rule(draft, value, key) : lost("it is not text")(draft, value, key);
}

/** Returns a rule for a number that becomes a field of `settings`, if the field may have this value. */
export function runSetting(
  field: keyof typeof RUN_SETTINGS,
  convert = (value: number): JsonValue => value,
): FieldRule {
  return (draft, value, key) => {
    const number = typeof value === "string" ? Number(value) : value;
    const converted = typeof number === "number" ? convert(number) : null;
    if (converted === null || !RUN_SETTINGS[field].safeParse(converted).success) {
      return lost(`settings.${field} cannot have this value`)(draft, value, key);
    }
    const { settings } = draft.settings;
    draft.settings["settings"] = { ...(isJsonObject(settings) && settings), [field]: converted };
    draft.change(showField(key, value), `settings: { ${showField(field, converted)} }`);
  };
}

/** Returns a list of texts from a list, or from text with commas or spaces. */
export function toList(value: JsonValue): string[] {
  return typeof value === "string" ? splitTools(value) : toTexts(value);
}

/** Returns the texts of a list, or one text. */
export function toTexts(value: JsonValue | undefined): string[] {
  return [value].flat().filter((one) => typeof one === "string");
}

/** Returns `key: value` for a message. */
export function showField(key: string, value: JsonValue): string {
  return `${key}: ${showValue(value)}`;
}

function showValue(value: JsonValue): string {
  return shorten(typeof value === "string" ? value : JSON.stringify(value));
}

/** Shortens a text for a message. */
export function shorten(value: string): string {
  const line = value.replace(/\s+/g, " ").trim();
  return line.length > MAX_SHOWN ? `${line.slice(0, MAX_SHOWN)}…` : line;
}

/** Returns a valid id for a name or a file's path. */
export function toId(name: string): string {
  const stem = (name.split("/").at(-1) ?? "")
    .replace(/\.(?:(?:agent|chatmode|prompt)\.md|mdc?|ya?ml|toml|json)$/i, "").normalize("NFC");
  const id = stem.replace(/[^\p{L}\p{M}\p{N} _-]+/gu, "-").replace(/^[\s-]+|[\s-]+$/g, "")
    .slice(0, 80).trim();
  if (id === "") return "imported";
  return isAgentFileName(`${id}.md`) ? id : `${id}-agent`;
}
