// One file of the agents directory as it was when it was last read, and what a new look at it makes of that. No file is
// ever written.
import type { Clock } from "../../base/clock.ts";
import { type Diagnostic, errorAtStart, errorsFirst } from "../../base/diagnostics.ts";
import { PATHS } from "../../base/plain_path.ts";
import { sha256Of } from "../../base/sha256.ts";
import type { Agent } from "./agent.ts";
import { type AgentFileContent, readAgentFile, type UnsettledFile } from "./agent_file.ts";
import { idOfFileName } from "./agent_id.ts";
import { parseAgent, type ParseAgentOptions, type ParsedAgent } from "./parse_agent.ts";
import type { ReadAgent } from "./validation/copied_file.ts";
import { diagnoseResources, type ResourceProblem } from "./validation/validate_resources.ts";

const { join } = PATHS;

/** One file, as it was when it was last read. */
export interface AgentEntry {
  id: string;
  path: string;
  /** Undefined: read again at the next load. */
  stamp: string | undefined;
  /** The last definition that parsed, and the hash of its bytes. */
  good: ReadAgent | undefined;
  /** Not empty: the file does not parse now. */
  diagnostics: Diagnostic[];
  /** Since when it has kept changing, whenever it was looked at (milliseconds since the epoch); undefined: it is quiet. */
  unsettledSince: number | undefined;
}

/** What stands in a file now, with what was known of it before. */
export interface FoundFile extends Pick<AgentEntry, "id" | "path"> {
  previous: AgentEntry | undefined;
  content: FoundContent;
}

/** "unchanged": it still has the stamp of before. Undefined: no file stands there. */
type FoundContent =
  | Extract<AgentFileContent, { bytes: unknown }> & { hash: string }
  | Extract<AgentFileContent, { diagnostic: unknown }>
  | UnsettledFile
  | "unchanged"
  | undefined;

/** What agents are read with. */
export interface AgentEntryOptions extends ParseAgentOptions {
  /** Finds what stands in the way of an agent here and now; it joins the agent's warnings. */
  inspect?: (agent: Agent) => Promise<ResourceProblem[]>;
  /** Agrees with the times of files; the machine's own by default, whatever clock the service has. */
  fileClock?: Clock;
}

/** The diagnostic of a file that keeps changing. */
const KEEPS_CHANGING = "The file keeps changing: its last good definition stays until it stops";
/** A file that has kept changing for so long is told of. */
const STEADY_MS = 5_000;

/** The last good definition, with what is wrong with the file now among its warnings; undefined where none ever parsed. */
export function liveAgent({ good, diagnostics }: AgentEntry): Agent | undefined {
  if (good === undefined || diagnostics.length === 0) return good?.agent;
  return { ...good.agent, warnings: errorsFirst([...good.agent.warnings, ...diagnostics]) };
}

/**
 * Looks at the file of this name, and reads it unless it is what `entryOf` knows of its id. Waits for a file that is being
 * written, until `deadline` at the latest. Suits many files at once.
 */
export async function findAgentFile(
  name: string,
  { agentsDir, entryOf, fileClock, deadline }: {
    agentsDir: string;
    entryOf: (id: string) => AgentEntry | undefined;
    fileClock: Clock;
    deadline: number;
  },
): Promise<FoundFile> {
  const id = idOfFileName(name);
  const path = join(agentsDir, name);
  const before = entryOf(id);
  const previous = before?.path === path ? before : undefined;
  const content = await readSettled(path, { known: previous?.stamp, fileClock, deadline });
  // Here, and not where it is compared: for all that are read at once, it takes as long as for one.
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

/** The entry of a file now; undefined when no file is there any more. Never throws for what it holds. */
export async function toAgentEntry(
  { id, path, previous, content }: FoundFile,
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
  if (isUnsettled(content)) return stillAsBefore({ id, path, previous }, options.now);
  // Only a file that was quiet has a stamp.
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

/** Why the last good definition is used in place of what is in the file; undefined: it is what the file says. */
export function whyStale(
  { path, good, diagnostics: [problem], unsettledSince }: AgentEntry,
): Diagnostic | undefined {
  if (good === undefined || problem !== undefined || unsettledSince === undefined) {
    return good && problem;
  }
  return errorAtStart(path, KEEPS_CHANGING);
}

/** Whether a file has kept changing for so long that its last good definition is used. */
export function isSteadilyChanging(
  { unsettledSince = Infinity }: { unsettledSince: number | undefined },
  now: number,
): boolean {
  return now - unsettledSince >= STEADY_MS;
}

function isUnsettled(content: unknown): content is UnsettledFile {
  return typeof content === "object" && content !== null && "unsettledMs" in content;
}

/** The entry of a file that is being written: nobody reads half of it. */
function stillAsBefore(
  { id, path, previous }: Pick<FoundFile, "id" | "path" | "previous">,
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
