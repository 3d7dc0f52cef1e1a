// The tools that a server lists, as they were last fetched, and whether that can still be trusted.
import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { Clock } from "../../../base/clock.ts";
import { MAX_TOOLS } from "./mcp_limits.ts";
import { type RemoteTool, toRemoteTools } from "./remote_tool.ts";

/** Where a list comes from. */
export interface ToolListOptions {
  clock: Clock;
  /** How long a list is trusted, in milliseconds; for ever when it is Infinity. */
  maxAgeMs: number;
  /** Page by page, so that no more than one is held as the server wrote it. */
  fetch(signal: AbortSignal): AsyncIterable<readonly unknown[]>;
  /** Called with a sentence for each tool that cannot be offered. */
  onProblem(problem: string): void;
}

/** One server's list. */
export class ToolList {
  readonly #options: ToolListOptions;
  #tools: readonly RemoteTool[] = [];
  #fetchedAt = 0;
  #isDoubtful = true;

  constructor(options: ToolListOptions) {
    this.#options = options;
  }

  /** The tools of the last answer. */
  get tools(): readonly RemoteTool[] {
    return this.#tools;
  }

  /** Whether to ask again before the tools are used. */
  get isStale(): boolean {
    const { clock, maxAgeMs } = this.#options;
    return this.#isDoubtful || Math.abs(clock.now() - this.#fetchedAt) > maxAgeMs;
  }

  /** The server says that it changed, or gives reason to ask whether it still answers. */
  doubt(): void {
    this.#isDoubtful = true;
  }

  /** Asks the server; rejects as it fails, and with RangeError for too many tools or a list without end. */
  async refresh(signal: AbortSignal): Promise<void> {
    const { clock, fetch, onProblem } = this.#options;
    // Before the answer: a change while that is on its way makes it stale again.
    this.#isDoubtful = false;
    this.#fetchedAt = clock.now();
    try {
      const tools: RemoteTool[] = [];
      const problems: string[] = [];
      let count = 0;
      let pages = 0;
      for await (const page of fetch(signal)) {
        signal.throwIfAborted();
        count += page.length;
        if (count > MAX_TOOLS) throw new RangeError(`it lists over ${MAX_TOOLS} tools`);
        if (++pages > MAX_TOOLS) throw new RangeError("its list of tools does not end");
        const found = toRemoteTools(page, tools);
        tools.push(...found.tools);
        problems.push(...found.problems);
      }
      this.#tools = tools;
      problems.forEach(onProblem);
    } catch (error) {
      this.#isDoubtful = true;
      throw error;
    }
  }
}

/** A page of tools, of which each is read by itself: one that is wrong must not cost the others. */
const TOOL_PAGE = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });

/** Requests the pages of a server's list. Not by the client's own listTools(), which gathers all first and writes to the console. */
export async function* fetchToolPages(
  client: Client,
  options: RequestOptions,
): AsyncGenerator<readonly unknown[], void, void> {
  if (client.getServerCapabilities()?.tools === undefined) return;
  let cursor: string | null | undefined;
  do {
    const before = cursor;
    const params = cursor === undefined ? {} : { cursor };
    const page = await client.request({ method: "tools/list", params }, TOOL_PAGE, options);
    yield page.tools;
    cursor = page.nextCursor;
    // Some servers repeat the cursor, or send an empty one, at the end of the list.
    if (cursor === before) return;
  } while (cursor);
}
