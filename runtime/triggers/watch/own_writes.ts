// What agents themselves have written, so that it does not fire them. Known by path and content: a file that somebody
// else has changed since is not theirs any more.
import { lstat } from "node:fs/promises";
import { digestOfFile } from "../../../base/files/file_digest.ts";
import { type FileWrite, versionOf, type WrittenFile } from "../../tools/files/reported_write.ts";

const MAX_RECORDS = 10_000;
/** More are hardly written before the first of their events comes. */
const MAX_LATEST = 1_000;
/** Several changes of one path may be under way before the first of them is seen. */
const MAX_OUTCOMES = 8;

/** The writes of all agents together. No agent has this id. */
const ANYBODY = "";

/** An execution that a write is ascribed to. */
export interface Writer {
  executionId: number;
  agentId: string;
}

/** A write and who counts as its writers: the agents of its lineage, and ANYBODY until that is forgotten. */
interface Ascribed {
  writers: readonly string[];
}

/** An object of its own for each write: an older one is forgotten without a newer one. */
type Outcome = Left & Ascribed & {
  /** The execution at the top: the one that something fired. */
  firedId: number | undefined;
};

/** What a write left; of a file only what it is recognised by, for there are many of them. */
type Left = { removed: true } | { size: number; sha256: string } | {
  size: number;
  version: string;
};

interface Pending extends Ascribed {
  settled: Promise<void>;
}

/** What agents wrote to one path. */
interface Record {
  /** Oldest first. */
  outcomes: Outcome[];
  pending: Pending[];
  /** How many writes there were so far, and the fired execution of the last one. */
  count: number;
  lastFiredId: number | undefined;
}

/** A write as one machine tells it to the others. */
export interface ToldWrite {
  path: string;
  left: Left;
  writers: readonly string[];
  firedId: number | undefined;
}

/** The writes of all agents. What is remembered is bounded; the least recent is forgotten first. */
export class OwnWrites {
  readonly #records = new Map<string, Record>();
  readonly #tell: ((write: ToldWrite) => void) | undefined;

  /** `tell` hears of each write that was made here. */
  constructor(tell?: (write: ToldWrite) => void) {
    this.#tell = tell;
  }

  /** Notes a write for the execution that made it, and all above it: its own first. */
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

  /** Notes a write that another machine tells of. */
  hear({ path, left, writers, firedId }: ToldWrite): void {
    add(this.#next(path, firedId), { ...left, writers, firedId });
  }

  /** Whether a path (absolute, real) is as this agent, or one that it delegated to, has left it. */
  async isOwn(agentId: string, path: string): Promise<boolean> {
    return await this.#find(agentId, path) !== undefined;
  }

  /** The execution, not delegated to by any other, whose tools have left a path (absolute, real) as it is. */
  async writerOf(path: string): Promise<number | undefined> {
    const record = this.#records.get(path);
    // What another agent has under way is not waited for.
    if (record !== undefined && record.pending.length > 0) return record.lastFiredId;
    return (await this.#find(ANYBODY, path))?.firedId;
  }

  /** The paths written last, whose events may not have come yet. */
  latest(): string[] {
    return [...this.#records.keys()].slice(-MAX_LATEST);
  }

  /** The record of a path that is written once more: the most recent one now. */
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
      // Where the agent wrote again meanwhile, what was found may be what that write left, or is about to leave.
    } while (match === undefined && record.count !== count);
    // What is older than the file as it stands can come back only by somebody else's hand.
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

/** The newest outcome that describes the path as it is now. */
async function matching(path: string, outcomes: readonly Outcome[]): Promise<Outcome | undefined> {
  if (outcomes.length === 0) return undefined;
  let info;
  try {
    info = await lstat(path, { bigint: true });
  } catch {
    // Gone, or not to be looked at any more: no write describes it, but perhaps a removal.
    return outcomes.findLast((outcome) => "removed" in outcome);
  }
  const [version, size] = [versionOf(info), Number(info.size)];
  const files = outcomes.filter((outcome) => "size" in outcome && outcome.size === size);
  // Where the content is known it decides: two writes within one tick of the file system's clock have one version.
  const sha256 = files.some((file) => "sha256" in file) && info.isFile()
    ? await digestOfFile(path)
    : undefined;
  return files.findLast((file) =>
    "sha256" in file ? file.sha256 === sha256 : "version" in file && file.version === version
  );
}
