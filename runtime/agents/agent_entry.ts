// One file of the agents directory: its last read state, and the state after the next read. Writes no file.
import type { Clock } from "../../base/clock.ts";
import { type Diagnostic, errorAtStart, errorsFirst } from "../../base/diagnostics.ts";
import { PATHS } from "../../base/plain_path.ts";
import { sha256Of } from "../../base/sha256.ts";
import type { Agent } from "./agent.ts";
import { type AgentFileContent, readAgentFile, type UnsettledFile } from "./agent_file.ts";
import { idOfFileName } from "./agent_id.ts";
import { parseAgent, type ParseAgentOptions, type ParsedAgent } from "./parse_agent.ts";
import type { ReadAgent } from "./copied_file.ts";
import { diagnoseResources, type ResourceProblem } from "./resource_problem.ts";

const { join } = PATHS;

/** The last read state of one agent file. */
export interface AgentEntry {
  id: string;
  path: string;
  /** Undefined: the next load reads the file again. */
  stamp: string | undefined;
  /** The last definition that parsed, with the hash of its bytes. */
  good: ReadAgent | undefined;
  /** Not empty: the file does not parse now. */
  diagnostics: Diagnostic[];
  /** The start of an unbroken series of changes, in milliseconds since the epoch; undefined: the file is quiet. */
  unsettledSince: number | undefined;
}

/** A file's present content, with the entry of the previous load. */
export interface ScannedFile extends Pick<AgentEntry, "id" | "path"> {
  previous: AgentEntry | undefined;
  content: ScannedContent;
}

/** "unchanged": the stamp is the same as before. Undefined: the file does not exist. */
type ScannedContent =
  | Extract<AgentFileContent, { bytes: unknown }> & { hash: string }
  | Extract<AgentFileContent, { diagnostic: unknown }>
  | UnsettledFile
  | "unchanged"
  | undefined;

/** The options for reading agents. */
export interface AgentEntryOptions extends ParseAgentOptions {
  /** Finds local problems of an agent; they join the agent's warnings. */
  inspect?: (agent: Agent) => Promise<ResourceProblem[]>;
  /** The clock that file times are compared with. By default the machine's own, whatever clock the service uses. */
  fileClock?: Clock;
}

/** The diagnostic of a file that keeps changing. */
const KEEPS_CHANGING = "The file keeps changing: its last good definition stays until it stops";
/** A file that keeps changing for this long is reported. */
const STEADY_MS = 5_000;

/**
 * Returns the last good definition, with the file's present problems as warnings; undefined when the file never
 * parsed.
 */
export function liveAgent({ good, diagnostics }: AgentEntry): Agent | undefined {
  if (good === undefined || diagnostics.length === 0) return good?.agent;
  return { ...good.agent, warnings: errorsFirst([...good.agent.warnings, ...diagnostics]) };
}

/**
 * Reads the file of this name, unless its stamp equals the one in `entryOf`. Waits at most until `deadline` for a
 * file that is being written. May run for many files at once.
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
  // Hashed here because the files are read in parallel; the comparison is serial.
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

/** Returns the file's new entry; undefined when the file no longer exists. Never throws for the file's content. */
export async function toAgentEntry(
  { id, path, previous, content }: ScannedFile,
  options: AgentEntryOptions & { now: number },
): Promise<AgentEntry | undefined> {
  const unsettledSince = undefined;
  const broken = (diagnostics: Diagnostic[], stamp?: string): AgentEntry => (
    {
      id,
      path,
      stamp,
      good: previous?.good,
      diagnostics: errorsFirst(diagnostics),
      unsettledSince,
    }
  );
  if (content === undefined) return undefined;
  if (isUnsettled(content)) return unsettledEntry({ id, path, previous }, options.now);
  // Only a quiet file has a stamp.
  if (content === "unchanged") return previous;
  if ("diagnostic" in content) return broken([content.diagnostic]);
  const { bytes, hash, stamp } = content;
  if (previous?.good?.hash === hash) return { ...previous, stamp, diagnostics: [], unsettledSince };
  const parsed = parseAgent({ path, bytes }, options);
  if ("diagnostics" in parsed) return broken(parsed.diagnostics, stamp);
  return {
    id,
    path,
    stamp,
    good: {
      agent: await inspected(parsed, options),
      hash,
      isExplicit: parsed.document.value["enabled"] === true,
    },
    diagnostics: [],
    unsettledSince,
  };
}

/**
 * Returns the reason why the last good definition replaces the file's content; undefined when the file's content is
 * used.
 */
export function staleReason(
  { path, good, diagnostics: [problem], unsettledSince }: AgentEntry,
): Diagnostic | undefined {
  if (good === undefined || problem !== undefined || unsettledSince === undefined) {
    return good && problem;
  }
  return errorAtStart(path, KEEPS_CHANGING);
}

/** Returns true when a file has kept changing for so long that its last good definition is used. */
export function isSteadilyChanging(
  { unsettledSince = Infinity }: { unsettledSince: number | undefined },
  now: number,
): boolean {
  return now - unsettledSince >= STEADY_MS;
}

function isUnsettled(content: unknown): content is UnsettledFile {
  return typeof content === "object" && content !== null && "unsettledMs" in content;
}

/** Returns the entry of a file that is being written; half a file is never parsed. */
function unsettledEntry(
  { id, path, previous }: Pick<ScannedFile, "id" | "path" | "previous">,
  now: number,
): AgentEntry {
  const unsettledSince = previous?.unsettledSince ?? now;
  const isSteady = isSteadilyChanging({ unsettledSince }, now);
  const message = previous?.good === undefined
    ? "The file is still being written: it is read when it stops changing"
    : KEEPS_CHANGING;
  return {
    id,
    path,
    stamp: undefined,
    good: previous?.good,
    diagnostics: previous?.good === undefined || isSteady
      ? [errorAtStart(path, message)]
      : previous.diagnostics,
    unsettledSince,
  };
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
