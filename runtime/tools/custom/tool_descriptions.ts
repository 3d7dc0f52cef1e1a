// Reads the tools that the files of custom tools declare. Each file is loaded in a process that can read only the tools
// folder, and loaded again after a change in that folder.
import { dirname, join } from "../../../base/plain_path.ts";
import type { Clock } from "../../../base/clock.ts";
import { beginningOf } from "../../../base/text/cut_text.ts";
import { firstOf } from "../../../base/first_of.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import { type HostPool, HostUnavailable } from "./host_pool.ts";
import type { HostWork, ToolFile, WorkerPermissions } from "./host_messages.ts";
import type { HostProcess } from "./host_process.ts";
import { withoutFlagAdvice } from "./permission_refusal.ts";
import { type FileToolDeclaration, parseDeclarations } from "./tool_declaration.ts";
import { stampTools } from "./tool_files.ts";

/** The time limit for loading a file in milliseconds. */
const LOAD_MS = 15_000;
const MAX_PROBLEM_CHARACTERS = 4_000;

/** The tools of a file, or its problem as a clause that begins with the file and the position in it. */
type DescribedFile = FileToolDeclaration[] | { problem: string };

/**
 * The tools of a file, or its problem. `place` is the position of the problem, relative to the file's folder. `mayPass` is
 * set if loading the unchanged file again may give another result.
 */
type Loaded = FileToolDeclaration[] | { problem: string; place?: string; mayPass?: true };

/** The options of ToolDescriptions. */
export interface ToolDescriptionsOptions {
  pool: HostPool;
  clock: Clock;
  /** Starts a host process with the permissions that its workers may get. */
  start(work: HostWork, permissions: WorkerPermissions, cwd: string): Promise<HostProcess>;
  /**
   * Returns the paths in the tools folder that a file may read while it is loaded. Throws ToolFailure if the folder cannot
   * be scanned.
   */
  readable(signal: AbortSignal): Promise<string[]>;
}

/** The descriptions of tool files. Each is cached until something in the tools folder changes. */
export class ToolDescriptions {
  readonly #options: ToolDescriptionsOptions;
  readonly #known = new Map<string, { stamp: string; described: DescribedFile }>();

  constructor(options: ToolDescriptionsOptions) {
    this.#options = options;
  }

  /** Returns the tools of a file, or its problem. Throws the signal's reason on abort. */
  async describe(file: ToolFile, signal: AbortSignal): Promise<DescribedFile> {
    const stamp = await stampTools(dirname(file.path));
    const known = this.#known.get(file.path);
    if (stamp !== undefined && known?.stamp === stamp) return known.described;
    const loaded = await this.#load(file, signal);
    if (!("problem" in loaded)) {
      if (stamp !== undefined) this.#known.set(file.path, { stamp, described: loaded });
      return loaded;
    }
    const { problem, place, mayPass } = loaded;
    const where = place === undefined ? file.path : join(dirname(file.path), place);
    const described = { problem: `${where}: ${problem}` };
    if (stamp !== undefined && !mayPass) this.#known.set(file.path, { stamp, described });
    else this.#known.delete(file.path);
    return described;
  }

  async #load(file: ToolFile, signal: AbortSignal): Promise<Loaded> {
    const { pool, start } = this.#options;
    const none = { write: [], net: [], env: [] };
    const folder = dirname(file.path);
    let process: HostProcess;
    try {
      const permissions = { ...none, read: await this.#options.readable(signal) };
      const work = { type: "describe", file, permissions } as const;
      const begin = () => start(work, { ...none, read: [folder] }, folder);
      process = await pool.acquire("descriptions", begin, signal);
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      const reason = error instanceof HostUnavailable ? error.reason : error.message;
      return { problem: `it could not be loaded: ${reason}`, mayPass: true };
    }
    try {
      return await this.#follow(process, signal);
    } finally {
      await pool.discard(process);
    }
  }

  async #follow(process: HostProcess, signal: AbortSignal): Promise<Loaded> {
    const within = { clock: this.#options.clock, ms: LOAD_MS };
    for (;;) {
      const first = await firstOf(process.next(), { within, signal });
      if (first.kind === "aborted") throw signal.reason;
      if (first.kind === "late") {
        return { problem: `it does not finish loading (${LOAD_MS / 1_000} s)`, mayPass: true };
      }
      const message = first.value;
      if (message === undefined) return { problem: await process.describeEnd(), mayPass: true };
      if (message.type === "described") return parseDeclarations(message.tools);
      if (message.type === "failed" || message.type === "ending") {
        const problem = firstLineOf(withoutFlagAdvice(message.message));
        const place = message.type === "failed" ? message.place : undefined;
        return place === undefined ? { problem } : { problem, place };
      }
    }
  }
}

function firstLineOf(message: string): string {
  return beginningOf(message.split("\n")[0] ?? message, MAX_PROBLEM_CHARACTERS);
}
