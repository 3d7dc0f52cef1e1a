// Parses the bytes of an agent file to an Agent, or reports every problem at once. Reads no files.
import type { Config } from "../config/config.ts";
import { checkSchema } from "../config/schema_diagnostics.ts";
import { diagnose, type DiagnosedFile } from "../config/files/diagnosed_file.ts";
import { formatPath } from "../config/files/shown_value.ts";
import { decodeText } from "../config/files/text_file.ts";
import { parseYaml, type YamlDocument } from "../config/files/yaml_document.ts";
import { type Diagnostic, errorAtStart } from "../../base/diagnostics.ts";
import type { Agent } from "./agent.ts";
import { describeBadName, idOfFileName, normalizeId } from "./agent_id.ts";
import {
  type AgentPathProblem,
  type PathBase,
  readAgentPaths,
  resolveAgentPath,
} from "./agent_paths.ts";
import { toAgent } from "./agent.ts";
import { type Definition, definitionSchema } from "./definition.ts";
import { checkRules } from "./definition_rules.ts";
import { type FrontMatter, splitFrontMatter } from "../config/files/front_matter.ts";
import { type AgentOutput, checkOutput } from "./output_schema.ts";
import { basename, join } from "../../base/plain_path.ts";

/** The maximum size of an agent file in bytes. */
export const MAX_AGENT_FILE_BYTES = 4 * 1_024 * 1_024;
const MAX_FRONT_MATTER_BYTES = 64 * 1_024;

/** The options for parsing an agent file. */
export interface ParseAgentOptions extends PathBase {
  config: Pick<Config, "defaults">;
}

/** A valid agent file: the agent and its parsed document. */
export interface ParsedAgent {
  agent: Agent;
  /** The parsed front matter, which knows the line of each field. */
  document: YamlDocument;
}

/**
 * Parses an agent file. The id is the file name, the fields are in the front matter, and the defaults are in config.yaml.
 * The text after the front matter must not be empty. Returns the agent with its warnings, or every diagnostic of the file,
 * warnings included, sorted by line.
 */
export function parseAgent(
  source: { path: string; bytes: Uint8Array },
  options: ParseAgentOptions,
): ParsedAgent | { diagnostics: Diagnostic[] } {
  const { path, bytes } = source;
  const problems = checkFileName(path);
  if (bytes.length > MAX_AGENT_FILE_BYTES) {
    return { diagnostics: [...problems, errorAtStart(path, "The file is over 4 MB")] };
  }
  const decoded = decodeText(bytes, path);
  if ("diagnostic" in decoded) return { diagnostics: [...problems, decoded.diagnostic] };
  const parts = splitFrontMatter(decoded.text);
  if (parts === "unterminated") {
    const message = "The front matter is never closed: a second line --- is missing";
    return { diagnostics: [...problems, errorAtStart(path, message)] };
  }
  const parsed = readYaml(parts, path);
  if ("diagnostics" in parsed) return { diagnostics: [...problems, ...parsed.diagnostics] };

  const file: DiagnosedFile = { path, document: parsed.document };
  const { value, diagnostics } = checkSchema(definitionSchema, file);
  const { problems: pathProblems, ...paths } = readAgentPaths(value?.paths, options);
  problems.push(
    ...parsed.document.warnings,
    ...diagnostics,
    ...checkRules(file, options.config.defaults),
    ...checkOutput(file),
    ...pathProblems.map((problem) => diagnosePath(file, problem)),
    ...checkBody(parts, path),
  );
  problems.sort((a, b) => a.line - b.line || a.column - b.column);
  if (value === undefined || problems.some((one) => one.severity === "error")) {
    return { diagnostics: problems };
  }
  const agent = toAgent(value, {
    id: idOfFileName(basename(path)),
    ...paths,
    body: withoutBlankEdges(parts.body),
    sourcePath: path,
    defaults: options.config.defaults,
    warnings: problems,
  });
  const { schema } = value.output;
  const output = schema == null ? {} : { output: toOutput(schema, options) };
  return { agent: { ...agent, ...output }, document: parsed.document };
}

function withoutBlankEdges(body: string): string {
  return body.replace(/^(?:[ \t]*\r?\n)+/, "").trimEnd();
}

function toOutput(
  schema: NonNullable<Definition["output"]["schema"]>,
  base: PathBase,
): AgentOutput {
  return typeof schema === "string" ? { file: resolveAgentPath(schema, base) } : { schema };
}

function readYaml(
  parts: FrontMatter,
  path: string,
): { document: YamlDocument } | { diagnostics: Diagnostic[] } {
  const yaml = parts.yaml ?? "";
  if (new TextEncoder().encode(yaml).length > MAX_FRONT_MATTER_BYTES) {
    return { diagnostics: [errorAtStart(path, "The front matter is over 64 KB")] };
  }
  return parseYaml(yaml, { path, lineOffset: parts.lineOffset });
}

function checkFileName(path: string): Diagnostic[] {
  const name = basename(path);
  if (!name.endsWith(".md")) return [errorAtStart(path, "An agent file's name must end with .md")];
  const reason = describeBadName(name.slice(0, -".md".length));
  if (reason === undefined) return [];
  const hint = "rename the file: its name without .md is the agent's id";
  return [{ ...errorAtStart(path, `The file's name ${reason}`), hint }];
}

function diagnosePath(
  file: DiagnosedFile,
  { at, inKey, severity, message }: AgentPathProblem,
): Diagnostic {
  const sentence = `${formatPath(at)} ${message}`;
  return diagnose(file, at, { severity, message: sentence }, inKey ? "key" : "value");
}

/**
 * Reports an empty body, so that the last valid definition stays: a full disk, a sync program or an unfinished save leaves
 * an empty file. Reports front matter in a code fence, and warns about other front matter that is not at the beginning,
 * because it counts as body.
 */
function checkBody(parts: FrontMatter, path: string): Diagnostic[] {
  if (parts.body.trim() === "") {
    const place = parts.yaml === null ? "into the file" : "below the second ---";
    const message = "The system prompt is empty";
    const hint = `write ${place} what the agent is to do`;
    return [{ ...errorAtStart(path, message), line: parts.bodyLineOffset + 1, hint }];
  }
  if (parts.yaml === null && IN_CODE.test(parts.body)) {
    const message = "The front matter is not read: it is inside a code fence";
    const hint = "remove the fence, so that --- is the first line";
    return [{ ...errorAtStart(path, message), hint }];
  }
  const fence = parts.yaml === null ? unreadFence(parts.body) : undefined;
  if (fence === undefined) return [];
  const { before, message } = fence;
  const line = before.split("\n").length;
  return [{ path, line, column: 1, severity: "warning", message, code: "unread_front_matter" }];
}

/** Matches a file that begins with a code fence and front matter in it, as many programs print files. */
const IN_CODE = /^\s*(?:`{3,}|~{3,}).*\r?\n\s*---[ \t]*\r?\n/;

/** Matches front matter that begins below the first line: a line `---`, a field of agent files, and another line `---`. */
const SETTINGS_BELOW = new RegExp(
  String.raw`^---[ \t]*\r?\n(?:[ \t]*(?:#.*)?\r?\n)*(?:${
    Object.keys(definitionSchema.shape).join("|")
  }):[\s\S]*?^---[ \t]*\r?$`,
  "m",
);

/**
 * Finds text that looks like front matter in the body of a file without front matter. Returns the text before it and the
 * warning, or undefined.
 */
function unreadFence(body: string): { before: string; message: string } | undefined {
  const [toml] = /^\s*\+\+\+[ \t]*\r?\n[\s\S]*?^\+\+\+/m.exec(body) ?? [];
  if (toml !== undefined && body.startsWith(toml)) {
    const message = "The front matter is not read: it is TOML. Write YAML between two lines ---";
    return { before: /^\s*/.exec(body)?.[0] ?? "", message };
  }
  const blank = /^(?:[ \t]*\r?\n)+(?=---[ \t]*(?:\r?\n|$))/.exec(body)?.[0];
  const before = blank ?? body.slice(0, SETTINGS_BELOW.exec(body)?.index ?? 0);
  if (before === "") return undefined;
  return {
    before,
    message: "The front matter is not read: its first --- must be the file's first line",
  };
}

/** Returns the agent of a file that is not written yet, with the defaults only. Trials of a new text begin with it. */
export function unsavedAgent(id: string, options: ParseAgentOptions): Agent {
  const path = join(options.directories.agentsDir, `${normalizeId(id)}.md`);
  const parsed = parseAgent({ path, bytes: new TextEncoder().encode("New\n") }, options);
  if ("agent" in parsed) return parsed.agent;
  throw new TypeError(`An agent cannot have the id ${id}`);
}
