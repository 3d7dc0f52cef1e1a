// Keeps the state of one file of the agents directory across reads. Writes no file.
import type { Clock } from "../../base/clock.ts";
import { type Diagnostic, errorAtStart, errorsFirst } from "../../base/diagnostics.ts";
import { join } from "../../base/plain_path.ts";
import { sha256Of } from "../../base/sha256.ts";
import type { Agent } from "./agent.ts";
import { type AgentFileContent, readAgentFile, type UnsettledFile } from "./agent_file.ts";
import { idOfFileName } from "./agent_id.ts";
import { parseAgent, type ParseAgentOptions, type ParsedAgent } from "./parse_agent.ts";
import type { ReadAgent } from "./copied_file.ts";
import { diagnoseResources, type ResourceProblem } from "./resource_problem.ts";

/** The state of an agent file at its last read. */
export interface AgentEntry {
  id: string;
  path: string;
  /** The stamp of the read file. Undefined if the next load must read the file again. */
  stamp: string | undefined;
  /** The hash of the bytes at the last read. Undefined if they could not be read. */
  hash?: string | undefined;
  /** The last definition that parsed, with the hash of its bytes. Undefined if none did. */
  good: ReadAgent | undefined;
  /** The errors of the current content. Empty if the content parses. */
  diagnostics: Diagnostic[];
  /** The start of an unbroken series of changes, in milliseconds since the epoch. Undefined if the file is not changing. */
  unsettledSince: number | undefined;
}

/** The result of reading a file. */
export interface ScannedFile extends Pick<AgentEntry, "id" | "path"> {
  previous: AgentEntry | undefined;
  content: ScannedContent;
}

/** The content of a file. "unchanged" if the stamp is the same as before; undefined if the file does not exist. */
type ScannedContent =
  | Extract<AgentFileContent, { bytes: unknown }> & { hash: string }
  | Extract<AgentFileContent, { diagnostic: unknown }>
  | UnsettledFile
  | "unchanged"
  | undefined;

/** The options for reading agents. */
export interface AgentEntryOptions extends ParseAgentOptions {
  /** Returns problems of the agent's resources, which are added to the agent's warnings. */
  inspect?: (agent: Agent) => Promise<ResourceProblem[]>;
  /**
   * The clock that files' times are compared with. By default the machine's clock, even if the service uses another one.
   */
  fileClock?: Clock;
}

/** The message about a file that keeps changing. */
const KEEPS_CHANGING = "The file keeps changing: its last good definition stays until it stops";
/** The time in milliseconds after which a file that keeps changing is reported. */
const STEADY_MS = 5_000;

/** Returns the last valid definition with the file's current problems as warnings. Undefined if the file never parsed. */
export function liveAgent({ good, diagnostics }: AgentEntry): Agent | undefined {
  if (good === undefined || diagnostics.length === 0) return good?.agent;
  return { ...good.agent, warnings: errorsFirst([...good.agent.warnings, ...diagnostics]) };
}

/**
 * Reads the file with this name, unless its stamp equals the one in `entryOf`. Waits until `deadline` for a file that is
 * being written. May be called for many files at once.
 */
export async function scanAgentFile(
  name: string,
  { agentsDir, entryOf, fileClock, deadline }: {
    agentsDir: string;
    entryOf: (id: string) => AgentEntry | undefined;
    fileClock: Clock;
    deadline: number;
  },
): Promise<ScannedFile> {
  const id = idOfFileName(name);
  const path = join(agentsDir, name);
  const before = entryOf(id);
  const previous = before?.path === path ? before : undefined;
  const content = await readSettled(path, { known: previous?.stamp, fileClock, deadline });
  // The hash is computed here, because files are read in parallel but compared one after another.
  const isRead = typeof content === "object" && "bytes" in content;
  const hashed = isRead ? { ...content, hash: await sha256Of(content.bytes) } : content;
  return { id, path, previous, content: hashed };
}

async function readSettled(
  path: string,
  { known, fileClock, deadline }: { known: string | undefined; fileClock: Clock; deadline: number },
): Promise<AgentFileContent | UnsettledFile | "unchanged" | undefined> {
  for (;;) {
    const content = await readAgentFile(path, { known, fileClock });
    if (!isUnsettled(content) || fileClock.now() >= deadline) return content;
    await fileClock.sleep(content.unsettledMs);
  }
}

/** Returns the new entry of a file, or undefined if the file no longer exists. Never throws for the file's content. */
export async function toAgentEntry(
  { id, path, previous, content }: ScannedFile,
  options: AgentEntryOptions & { now: number },
): Promise<AgentEntry | undefined> {
  const entry = (own: Partial<AgentEntry>): AgentEntry => (
    {
      ...{ id, path, good: previous?.good, stamp: undefined },
      ...{ diagnostics: [], unsettledSince: undefined, ...own },
    }
  );
  if (content === undefined) return undefined;
  if (isUnsettled(content)) return entry(toUnsettled({ path, previous }, options.now));
  // A file that is changing has no stamp, so an unchanged stamp means that the file is not changing.
  if (content === "unchanged") return previous;
  if ("diagnostic" in content) return entry({ diagnostics: [content.diagnostic] });
  const { bytes, hash, stamp } = content;
  if (previous?.good?.hash === hash) return entry({ stamp, hash });
  const parsed = parseAgent({ path, bytes }, options);
  if ("diagnostics" in parsed) {
    return entry({ stamp, hash, diagnostics: errorsFirst(parsed.diagnostics) });
  }
  const isExplicit = parsed.document.value["enabled"] === true;
  const agent = await inspected(parsed, options);
  return entry({ stamp, hash, good: { agent, hash, isExplicit } });
}

/**
 * Returns the reason why the last valid definition is used instead of the file's content. Undefined if the content is used.
 */
export function staleReason(
  { path, good, diagnostics: [problem], unsettledSince }: AgentEntry,
): Diagnostic | undefined {
  if (good === undefined || problem !== undefined || unsettledSince === undefined) {
    return good && problem;
  }
  return errorAtStart(path, KEEPS_CHANGING);
}

/** Returns true if a file has kept changing for STEADY_MS, so that its last valid definition is used. */
export function isSteadilyChanging(
  { unsettledSince = Infinity }: { unsettledSince: number | undefined },
  now: number,
): boolean {
  return now - unsettledSince >= STEADY_MS;
}

function isUnsettled(content: unknown): content is UnsettledFile {
  return typeof content === "object" && content !== null && "unsettledMs" in content;
}

/** Returns the state of a file that is being written. Its content is not parsed, because it may be incomplete. */
function toUnsettled(
  { path, previous }: Pick<ScannedFile, "path" | "previous">,
  now: number,
): Pick<AgentEntry, "diagnostics" | "unsettledSince"> {
  const unsettledSince = previous?.unsettledSince ?? now;
  const isSteady = isSteadilyChanging({ unsettledSince }, now);
  if (previous?.good !== undefined && !isSteady) {
    return { diagnostics: previous.diagnostics, unsettledSince };
  }
  const message = previous?.good === undefined
    ? "The file is still being written: it is read when it stops changing"
    : KEEPS_CHANGING;
  return { diagnostics: [errorAtStart(path, message)], unsettledSince };
}

async function inspected(
  { agent, document }: ParsedAgent,
  { inspect }: AgentEntryOptions,
): Promise<Agent> {
  const problems = await inspect?.(agent) ?? [];
  if (problems.length === 0) return agent;
  const found = diagnoseResources(problems, { path: agent.sourcePath, document });
  return { ...agent, warnings: [...agent.warnings, ...found] };
}
