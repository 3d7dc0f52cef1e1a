// Remembers the writes of agents, so that a write does not fire the watch of the agent that made it. A write is identified
// by path and content: after somebody else changes the file, it no longer matches.
import { lstat } from "node:fs/promises";
import { digestOfFile } from "../../../base/files/file_digest.ts";
import { type FileWrite, versionOf, type WrittenFile } from "../../tools/files/reported_write.ts";

const MAX_RECORDS = 10_000;
/** The maximum number of paths that `latest()` returns. More pending file events are unlikely. */
const MAX_LATEST = 1_000;
/** The maximum number of remembered writes of one path. Several may happen before the event of the first one arrives. */
const MAX_OUTCOMES = 8;

/** A writer that is added to each write, for queries that accept writes of any agent. No agent has this id. */
const ANYBODY = "";

/** An execution that made a write or delegated to the one that made it, and its agent. */
export interface Writer {
  executionId: number;
  agentId: string;
}

/**
 * The state of a path after a write. Contains only the size and a digest or version of a file, not its content, because
 * thousands of writes may be remembered.
 */
type Left = { removed: true } | { size: number; sha256: string } | {
  size: number;
  version: string;
};

/** A write as sent to other machines. */
export interface SharedWrite {
  path: string;
  left: Left;
  /**
   * The agent that made the write, the agents that delegated to that agent, and ANYBODY. A query for a writer removes that
   * writer from the writes that the query finds obsolete.
   */
  writers: readonly string[];
  /** The execution at the top of the delegation chain, which a trigger started. */
  firedId: number | undefined;
}

/** The result of one write. Each write has its own object, so that old writes can be forgotten separately. */
type Outcome = Omit<SharedWrite, "path">;
type Pending = Pick<Outcome, "writers"> & { settled: Promise<void> };

/** The remembered writes to one path. */
interface Record {
  /** The results of completed writes, oldest first. */
  outcomes: Outcome[];
  pending: Pending[];
  /** The number of writes so far. */
  count: number;
  lastFiredId: number | undefined;
}

/** The remembered writes of all agents. Beyond MAX_RECORDS paths, the least recently written path is forgotten. */
export class OwnWrites {
  readonly #records = new Map<string, Record>();
  readonly #tell: ((write: SharedWrite) => void) | undefined;

  /** Calls `tell` for each write of this process that has changed a file. */
  constructor(tell?: (write: SharedWrite) => void) {
    this.#tell = tell;
  }

  /** Records a write. `lineage` starts with the execution that made it, followed by those that delegated to it. */
  record(lineage: readonly Writer[], { path, outcome }: FileWrite): void {
    const firedId = lineage.at(-1)?.executionId;
    const writers = [...new Set([...lineage.map(({ agentId }) => agentId), ANYBODY])];
    const record = this.#next(path, firedId);
    const pending: Pending = {
      writers,
      settled: outcome.then((what) => {
        record.pending = record.pending.filter((one) => one !== pending);
        if (what === "unchanged") return;
        const left = toLeft(what);
        add(record, { left, writers, firedId });
        this.#tell?.({ path, left, writers, firedId });
      }),
    };
    record.pending = [...record.pending, pending];
  }

  /** Records a write that another machine reported. */
  recordRemote({ path, ...outcome }: SharedWrite): void {
    add(this.#next(path, outcome.firedId), outcome);
  }

  /**
   * Returns true if the present state of `path` was left by a write of this agent, or of an agent it delegated to. `path`
   * is absolute and without symbolic links.
   */
  async isOwn(agentId: string, path: string): Promise<boolean> {
    return await this.#find(agentId, path) !== undefined;
  }

  /**
   * Returns the id of the triggered execution whose write left the present state of `path`, or undefined. `path` is
   * absolute and without symbolic links.
   */
  async writerOf(path: string): Promise<number | undefined> {
    const record = this.#records.get(path);
    // If a write is pending, its execution is returned without waiting for the result of the write.
    if (record !== undefined && record.pending.length > 0) return record.lastFiredId;
    return (await this.#find(ANYBODY, path))?.firedId;
  }

  /** Returns the most recently written paths, because their file events may not have arrived yet. */
  latest(): string[] {
    return [...this.#records.keys()].slice(-MAX_LATEST);
  }

  /** Counts a write of a path, moves the path's record to the most recent place, and returns it. */
  #next(path: string, firedId: number | undefined): Record {
    const record: Record = this.#records.get(path) ??
      { outcomes: [], pending: [], count: 0, lastFiredId: undefined };
    record.count++;
    record.lastFiredId = firedId;
    this.#records.delete(path);
    this.#records.set(path, record);
    for (const oldest of this.#records.keys()) {
      if (this.#records.size <= MAX_RECORDS) break;
      this.#records.delete(oldest);
    }
    return record;
  }

  async #find(writer: string, path: string): Promise<Outcome | undefined> {
    const record = this.#records.get(path);
    if (record === undefined) return undefined;
    const isTheirs = ({ writers }: Pick<Outcome, "writers">) => writers.includes(writer);
    let known: Outcome[];
    let match: Outcome | undefined;
    let count: number;
    do {
      ({ count } = record);
      // The file event of a write may arrive before the tool reports its result.
      await Promise.all(record.pending.filter(isTheirs).map(({ settled }) => settled));
      known = record.outcomes.filter(isTheirs);
      match = await matching(path, known);
      // If another write started meanwhile, the state just read may be the result of that write, so the search is repeated.
    } while (match === undefined && record.count !== count);
    // The path is in the state that `match` left, so the writes before `match` are forgotten: if the state of one of them
    // appears later, somebody else has restored it. Without a match, all writes are forgotten.
    const stale = match === undefined ? known : known.slice(0, known.indexOf(match));
    for (const one of stale) one.writers = one.writers.filter((other) => other !== writer);
    record.outcomes = record.outcomes.filter(({ writers }) => writers.length > 0);
    return match;
  }
}

function add(record: Record, outcome: Outcome): void {
  record.outcomes = [...record.outcomes, outcome].slice(-MAX_OUTCOMES);
}

function toLeft(what: WrittenFile | "removed"): Left {
  if (what === "removed") return { removed: true };
  const { size, sha256, version } = what;
  return sha256 === null ? { size, version } : { size, sha256 };
}

/** Returns the newest of the outcomes that matches the present state of the path, or undefined. */
async function matching(path: string, outcomes: readonly Outcome[]): Promise<Outcome | undefined> {
  if (outcomes.length === 0) return undefined;
  let info;
  try {
    info = await lstat(path, { bigint: true });
  } catch {
    // The path does not exist or cannot be read. Only a removal matches that state.
    return outcomes.findLast(({ left }) => "removed" in left);
  }
  const [version, size] = [versionOf(info), Number(info.size)];
  const files = outcomes.filter(({ left }) => "size" in left && left.size === size);
  // A known digest is compared instead of the version: two writes within one tick of the file system's clock have equal
  // versions.
  const sha256 = files.some(({ left }) => "sha256" in left) && info.isFile()
    ? await digestOfFile(path)
    : undefined;
  return files.findLast(({ left }) =>
    "sha256" in left ? left.sha256 === sha256 : "version" in left && left.version === version
  );
}
