// The writes of agents, so that a write does not fire the agent that made it. Known by path and content: once somebody
// else changes the file, the write no longer counts.
import { lstat } from "node:fs/promises";
import { digestOfFile } from "../../../base/files/file_digest.ts";
import { type FileWrite, versionOf, type WrittenFile } from "../../tools/files/reported_write.ts";

const MAX_RECORDS = 10_000;
/** The most recent writes to keep. More are unlikely before the first of their events arrives. */
const MAX_LATEST = 1_000;
/** The most writes of one path to keep. Several may be under way before the first is seen. */
const MAX_OUTCOMES = 8;

/** The key for writes of any agent. No agent has this id. */
const ANYBODY = "";

/** An execution that made a write, or delegated to the one that did. */
export interface Writer {
  executionId: number;
  agentId: string;
}

/** A write with its writers: the agents of its lineage, and ANYBODY until that entry is forgotten. */
interface Ascribed {
  writers: readonly string[];
}

/** The result of one write. An object of its own, so that an older one is forgotten without a newer one. */
type Outcome = Left & Ascribed & {
  /** The topmost execution: the one that a trigger fired. */
  firedId: number | undefined;
};

/** The state after a write. A file is stored as its identifying values only, because there are many. */
type Left = { removed: true } | { size: number; sha256: string } | {
  size: number;
  version: string;
};

interface Pending extends Ascribed {
  settled: Promise<void>;
}

/** The writes of agents to one path. */
interface Record {
  /** Oldest first. */
  outcomes: Outcome[];
  pending: Pending[];
  /** The number of writes so far, and the fired execution of the last one. */
  count: number;
  lastFiredId: number | undefined;
}

/** A write in the form sent to other machines. */
export interface SharedWrite {
  path: string;
  left: Left;
  writers: readonly string[];
  firedId: number | undefined;
}

/** The writes of all agents. The memory is bounded: the least recent write is forgotten first. */
export class OwnWrites {
  readonly #records = new Map<string, Record>();
  readonly #tell: ((write: SharedWrite) => void) | undefined;

  /** `tell` is called for each write made by this process. */
  constructor(tell?: (write: SharedWrite) => void) {
    this.#tell = tell;
  }

  /** Records a write for the execution that made it (first in the list) and all above it. */
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
        add(record, { ...left, writers, firedId });
        this.#tell?.({ path, left, writers, firedId });
      }),
    };
    record.pending = [...record.pending, pending];
  }

  /** Records a write that another machine reported. */
  recordRemote({ path, left, writers, firedId }: SharedWrite): void {
    add(this.#next(path, firedId), { ...left, writers, firedId });
  }

  /** Returns true when an absolute, real path is in the state that this agent, or one that it delegated to, left. */
  async isOwn(agentId: string, path: string): Promise<boolean> {
    return await this.#find(agentId, path) !== undefined;
  }

  /** Returns the topmost execution whose tools left an absolute, real path in its present state. */
  async writerOf(path: string): Promise<number | undefined> {
    const record = this.#records.get(path);
    // Pending writes of other agents are not waited for.
    if (record !== undefined && record.pending.length > 0) return record.lastFiredId;
    return (await this.#find(ANYBODY, path))?.firedId;
  }

  /** The last written paths, whose events may not have arrived yet. */
  latest(): string[] {
    return [...this.#records.keys()].slice(-MAX_LATEST);
  }

  /** Moves the record of a written path to the most recent place and returns it. */
  #next(path: string, firedId: number | undefined): Record {
    const record = this.#records.get(path) ?? newRecord();
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
    const isTheirs = ({ writers }: Ascribed) => writers.includes(writer);
    let known: Outcome[];
    let match: Outcome | undefined;
    let count: number;
    do {
      ({ count } = record);
      // The file system may report a write before the tool knows that it succeeded.
      await Promise.all(record.pending.filter(isTheirs).map(({ settled }) => settled));
      known = record.outcomes.filter(isTheirs);
      match = await matching(path, known);
      // After another write of the agent, the state just read may be the result of that write.
    } while (match === undefined && record.count !== count);
    // Writes before the matching one can recur only by another hand.
    const stale = match === undefined ? known : known.slice(0, known.indexOf(match));
    for (const one of stale) one.writers = one.writers.filter((other) => other !== writer);
    record.outcomes = record.outcomes.filter(({ writers }) => writers.length > 0);
    return match;
  }
}

function add(record: Record, outcome: Outcome): void {
  record.outcomes = [...record.outcomes, outcome].slice(-MAX_OUTCOMES);
}

function newRecord(): Record {
  return { outcomes: [], pending: [], count: 0, lastFiredId: undefined };
}

function toLeft(what: WrittenFile | "removed"): Left {
  if (what === "removed") return { removed: true };
  const { size, sha256, version } = what;
  return sha256 === null ? { size, version } : { size, sha256 };
}

/** Returns the newest outcome that describes the present state of the path. */
async function matching(path: string, outcomes: readonly Outcome[]): Promise<Outcome | undefined> {
  if (outcomes.length === 0) return undefined;
  let info;
  try {
    info = await lstat(path, { bigint: true });
  } catch {
    // The path is gone or inaccessible. No write describes it, but a removal may.
    return outcomes.findLast((outcome) => "removed" in outcome);
  }
  const [version, size] = [versionOf(info), Number(info.size)];
  const files = outcomes.filter((outcome) => "size" in outcome && outcome.size === size);
  // The content decides where it is known: two writes within one tick of the file system's clock have one version.
  const sha256 = files.some((file) => "sha256" in file) && info.isFile()
    ? await digestOfFile(path)
    : undefined;
  return files.findLast((file) =>
    "sha256" in file ? file.sha256 === sha256 : "version" in file && file.version === version
  );
}
