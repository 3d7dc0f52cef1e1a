// The system message: the environment an agent finds itself in, then its task.
import { toTimestamp } from "../clock.ts";

/** A place that the file tools may reach, as the prompt names it. */
export interface PromptRoot {
  /** Null: reached by its path alone. */
  alias: string | null;
  path: string;
  access: "read" | "write";
  description?: string;
}

/** What the environment tells. */
export interface SystemPromptOptions {
  /** The task with everything substituted. */
  task: string;
  now: number;
  /** IANA name. */
  timeZone: string;
  roots: readonly PromptRoot[];
  /** Names of the sections in the agent's long-term memory. */
  memorySections: readonly string[];
}

/** `<environment>` … `</environment>`, then `<task>` body `</task>`. */
export function createSystemPrompt(options: SystemPromptOptions): string {
  const environment = [
    describeTime(options.now, options.timeZone),
    describeFiles(options.roots),
    ...(options.memorySections.length === 0 ? [] : [describeMemory(options.memorySections)]),
  ];
  return `<environment>\n${environment.join("\n\n")}\n</environment>\n\n` +
    `<task>\n${options.task.trim()}\n</task>`;
}

function describeTime(now: number, timeZone: string): string {
  const local = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "long",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
    timeZoneName: "longOffset",
  }).formatToParts(now);
  const part = (type: string) => local.find((one) => one.type === type)?.value ?? "";
  return `Now: ${part("weekday")}, ${part("year")}-${part("month")}-${part("day")} ` +
    `${part("hour")}:${part("minute")} ${timeZone} (${part("timeZoneName")}; ` +
    `${toTimestamp(now)})`;
}

function describeMemory(sections: readonly string[]): string {
  return `Long-term memory: sections ${sections.map((name) => JSON.stringify(name)).join(", ")}. ` +
    "Read one with memory_retrieve before you rely on it.";
}

function describeFiles(roots: readonly PromptRoot[]): string {
  const lines = roots.map(({ alias, path, access, description }) => {
    const notes = [
      ...(access === "read" ? ["read only"] : []),
      ...(description ? [description] : []),
    ];
    const name = alias === null ? path : `{${alias}}: ${path}`;
    return `- ${name}${notes.length === 0 ? "" : ` — ${notes.join("; ")}`}`;
  });
  return [
    "Files: the file tools reach only these places.",
    ...lines,
    "Name a file as `{alias}/path`, or by its path relative to the workspace. Agent files, `.env` files and writing to " +
    "database files are refused everywhere; take a refusal as final.",
  ].join("\n");
}
