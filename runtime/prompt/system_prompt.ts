// Formats the system message of a run: the agent's environment, then its task.
import { toTimestamp } from "../../base/clock.ts";
import type { Agent } from "../agents/agent.ts";
import { describeReferences, readServerInstructions } from "./reference_material.ts";
import type {
  SandboxRoot,
  ServerInstructions,
  SkillDescription,
} from "../vocabulary/prompt_material.ts";
import { quoteText, toPromptLine } from "../vocabulary/untrusted_text.ts";

const MAX_PLACE_DESCRIPTION_CHARACTERS = 300;
/** The maximum number of memory sections in the list. A memory may grow for years; memory_retrieve lists all sections. */
const MAX_SECTIONS = 100;
const MAX_SECTION_CHARACTERS = 200;

export interface SystemPromptOptions {
  /** The task, with all placeholders filled in. */
  task: string;
  now: number;
  /** The time zone by its IANA name. */
  timeZone: string;
  roots: readonly SandboxRoot[];
  /** The aliases of the editor's folder, if no editor requested the run. */
  absent?: readonly string[];
  /** The paths and patterns of a watch trigger, as written in the agent's file. */
  watched?: readonly string[];
  /** The names of the sections in the agent's long-term memory. */
  memorySections: readonly string[];
  skills?: readonly SkillDescription[];
  /** The agents that this agent may call. */
  delegates?: readonly Pick<Agent, "id" | "description">[];
  /** The instructions of the MCP servers whose tools the agent has. */
  servers?: readonly ServerInstructions[];
}

/** Returns the system message: `<environment>`, then `<task>` with the task. */
export function createSystemPrompt(options: SystemPromptOptions): string {
  const environment = [
    describeTime(options.now, options.timeZone),
    describeFiles(options),
    ...describeWatch(options.watched ?? []),
    ...describeMemory(options.memorySections),
    ...describeReferences(options),
  ];
  return `<environment>\n${environment.join("\n\n")}\n</environment>\n\n` +
    `<task>\n${options.task.trim()}\n</task>`;
}

/** Returns true if two system messages differ in nothing but their time. */
export function isSamePrompt(one: string, other: string): boolean {
  const withoutTime = (prompt: string) => prompt.replace(/^<environment>\nNow: .*\n/, "");
  return withoutTime(one) === withoutTime(other);
}

/**
 * Returns the time, the memory sections and the instructions of servers that a system message contains. Returns undefined
 * for a message in another form.
 */
export function readPromptFacts(
  prompt: string,
):
  | { now: number; timeZone: string; memorySections: string[]; servers: ServerInstructions[] }
  | undefined {
  const time = /^<environment>\nNow: \w+, [\d-]+ [\d:]+ (\S+) \([^;)]*; ([^)]*)\)\n/.exec(prompt);
  const [, timeZone, timestamp] = time ?? [];
  const now = Date.parse(timestamp ?? "");
  if (timeZone === undefined || Number.isNaN(now)) return undefined;
  const end = prompt.indexOf("\n</environment>\n");
  const environment = prompt.slice(0, end);
  const memory = /\n\nLong-term memory: sections (.*)\. Read one with /.exec(environment);
  return {
    now,
    timeZone,
    memorySections: readSections(memory?.[1] ?? ""),
    servers: readServerInstructions(environment),
  };
}

/**
 * Parses the list of memory sections. A long list ends with the number of further sections, whose names are unknown. For
 * each of these, returns a name that is too long to be listed, so that a prompt with the result ends with the same number.
 */
function readSections(list: string): string[] {
  const named = [...list.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([quoted]) =>
    String(JSON.parse(quoted))
  );
  const more = Number(/(?:^|, )(\d+) more, which memory_retrieve lists$/.exec(list)?.[1] ?? 0);
  const unnamed = " ".repeat(MAX_SECTION_CHARACTERS + 1);
  return [...named, ...Array.from({ length: more }, () => unnamed)];
}

const WEEKDAYS = ["Mon", "Tues", "Wednes", "Thurs", "Fri", "Satur", "Sun"];

function describeTime(now: number, timeZone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone);
  const time = local.toPlainTime().toString({ smallestUnit: "minute" });
  const offset = local.offset === "+00:00" ? "" : local.offset;
  return `Now: ${WEEKDAYS[local.dayOfWeek - 1]}day, ${local.toPlainDate().toString()} ${time} ` +
    `${timeZone} (GMT${offset}; ${toTimestamp(now)})`;
}

function describeWatch(paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  const watched = paths.map(quoteText).join(", ");
  return [`Watch: a change of ${watched} starts your run. You can read the watched files.`];
}

function describeMemory(sections: readonly string[]): string[] {
  if (sections.length === 0) return [];
  const named = sections.filter(({ length }) => length <= MAX_SECTION_CHARACTERS)
    .slice(0, MAX_SECTIONS).map(quoteText);
  const more = sections.length - named.length;
  const rest = more === 0 ? [] : [`${more} more, which memory_retrieve lists`];
  return [
    `Long-term memory: sections ${[...named, ...rest].join(", ")}. ` +
    "Read one with memory_retrieve before you rely on it.",
  ];
}

function describeFiles(
  { roots, absent = [] }: Pick<SystemPromptOptions, "roots" | "absent">,
): string {
  const lines = roots.map(({ alias, path, access, description }) => {
    const notes = [
      ...(access === "read" ? ["read only"] : []),
      ...(description ? [toPromptLine(description, MAX_PLACE_DESCRIPTION_CHARACTERS)] : []),
    ];
    const place = showPath(path);
    const name = alias === null ? place : `{${alias}}: ${place}`;
    return `- ${name}${notes.length === 0 ? "" : ` — ${notes.join("; ")}`}`;
  });
  return [
    "Files: the file tools reach only these places.",
    ...lines,
    ...absent.map((alias) =>
      `- {${alias}}: absent. It is the folder of an editor, and no editor started this run.`
    ),
    "Name a file as `{alias}/path`, or by its path relative to the workspace. Agent files, `.env` files and writing to " +
    "database files are refused everywhere; take a refusal as final.",
  ].join("\n");
}

/** Returns a path, in quotes if it contains characters that a reader could misread. */
function showPath(path: string): string {
  const quoted = quoteText(path);
  return quoted === `"${path}"` ? path : quoted;
}
