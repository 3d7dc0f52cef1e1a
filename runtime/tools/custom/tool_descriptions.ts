// What the files of custom tools declare. A file is loaded in a process that can read the tools folder and nothing else,
// and again when something in that folder changed.
import type { Clock } from "../../clock.ts";
import { beginningOf } from "../../cut_text.ts";
import { firstOf } from "../processes/first_of.ts";
import { ToolFailure } from "../tool_failure.ts";
import type { HostPool } from "./host_pool.ts";
import type { HostProcess } from "./host_process.ts";
import { withoutFlagAdvice } from "./permission_refusal.ts";
import { parseDeclarations, type ToolDeclarationOfFile } from "./tool_declaration.ts";
import { stampTools, type ToolFile, toToolModule } from "./tool_files.ts";

/** How long a file may take to load. */
const LOAD_MS = 15_000;
const MAX_PROBLEM_CHARACTERS = 4_000;

/** The tools of a file, or why it cannot be used: the end of a sentence. */
export type DescribedFile = ToolDeclarationOfFile[] | { problem: string };

/** What describing tool files needs. */
export interface ToolDescriptionsOptions {
  /** Real path. */
  toolsDir: string;
  pool: HostPool;
  clock: Clock;
  /** Starts a process that may read the tools folder only. */
  start(): HostProcess;
}

/** Descriptions by file, kept while nothing in the tools folder changes. */
export class ToolDescriptions {
  readonly #options: ToolDescriptionsOptions;
  readonly #known = new Map<string, { stamp: string; described: DescribedFile }>();

  constructor(options: ToolDescriptionsOptions) {
    this.#options = options;
  }

  /** Describes a file. Throws the signal's reason. */
  async describe(file: ToolFile, signal: AbortSignal): Promise<DescribedFile> {
    const stamp = await stampTools(this.#options.toolsDir);
    const known = this.#known.get(file.path);
    if (stamp !== undefined && known?.stamp === stamp) return known.described;
    const described = await this.#load(file, signal);
    if (stamp === undefined) this.#known.delete(file.path);
    else this.#known.set(file.path, { stamp, described });
    return described;
  }

  async #load(file: ToolFile, signal: AbortSignal): Promise<DescribedFile> {
    const { pool, start, toolsDir } = this.#options;
    // Never shared: what one file leaves behind must not meet the next.
    const key = `describe ${crypto.randomUUID()}`;
    let process: HostProcess;
    try {
      process = await pool.take({ key, owner: "descriptions", start }, signal);
    } catch (error) {
      if (error instanceof ToolFailure) return { problem: error.message };
      throw error;
    }
    try {
      const permissions = { read: [toolsDir], write: [], net: [], env: [] };
      const work = {
        type: "describe" as const,
        id: crypto.randomUUID(),
        module: toToolModule(file),
        permissions,
      };
      process.send(work);
      return await this.#follow(process, signal);
    } finally {
      await pool.discard(process);
    }
  }

  async #follow(process: HostProcess, signal: AbortSignal): Promise<DescribedFile> {
    const within = { clock: this.#options.clock, ms: LOAD_MS };
    for (;;) {
      const first = await firstOf(process.next(), { within, signal });
      if (first.kind === "aborted") throw signal.reason;
      if (first.kind === "late") {
        return { problem: `it does not finish loading (${LOAD_MS / 1_000} s)` };
      }
      const message = first.value;
      if (message === undefined) return { problem: await process.describeEnd() };
      if (message.type === "described") return parseDeclarations(message.tools);
      if (message.type === "failed" || message.type === "ending") {
        return { problem: firstLineOf(withoutFlagAdvice(message.message)) };
      }
    }
  }
}

function firstLineOf(message: string): string {
  return beginningOf(message.split("\n")[0] ?? message, MAX_PROBLEM_CHARACTERS);
}
