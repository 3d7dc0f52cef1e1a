// Keeps the list of an MCP server's tools, and detects when it must be fetched again.
import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Context } from "../../../config/context.ts";
import { type RemoteTool, toRemoteTools } from "./remote_tool.ts";

/** The maximum number of tools of one server. */
export const MAX_TOOLS = 1_000;

/** The options of ToolList. */
interface ToolListOptions extends Pick<Context, "clock"> {
  /** The time after which a list must be fetched again, in milliseconds. Infinity: the time alone never makes it stale. */
  maxAgeMs: number;
  /** Fetches the list page by page, so that only one unparsed page is in memory. */
  fetch(signal: AbortSignal): AsyncIterable<readonly unknown[]>;
  /** Called with a sentence for each tool that is left out. */
  onProblem(problem: string): void;
}

/** The list of one server's tools. */
export class ToolList {
  readonly #options: ToolListOptions;
  #tools: readonly RemoteTool[] = [];
  #fetchedAt = 0;
  #isDoubtful = true;

  constructor(options: ToolListOptions) {
    this.#options = options;
  }

  /** True if the server reported a change, or may no longer answer, since the list was fetched. */
  get isDoubtful(): boolean {
    return this.#isDoubtful;
  }

  /** The tools of the list that was fetched last. The array is another one only if a tool is. */
  get tools(): readonly RemoteTool[] {
    return this.#tools;
  }

  /** True if the list must be fetched again before it is used. */
  get isStale(): boolean {
    const { clock, maxAgeMs } = this.#options;
    return this.#isDoubtful || Math.abs(clock.now() - this.#fetchedAt) > maxAgeMs;
  }

  /** Marks the list as stale. Called if the server reported a change, or may no longer answer. */
  markStale(): void {
    this.#isDoubtful = true;
  }

  /** Fetches the list. Rejects with the error of the request, and with RangeError if there are too many tools or pages. */
  async refresh(signal: AbortSignal): Promise<void> {
    const { clock, fetch, onProblem } = this.#options;
    // The list counts as fresh before the response arrives, so that a change that is reported meanwhile makes it stale
    // again.
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
      const digestsOf = (all: readonly RemoteTool[]) => all.map((one) => one.fingerprint.digest);
      if (!isDeepStrictEqual(digestsOf(tools), digestsOf(this.#tools))) this.#tools = tools;
      problems.forEach(onProblem);
    } catch (error) {
      this.#isDoubtful = true;
      throw error;
    }
  }
}

/**
 * The schema of a page of the list. The tools are parsed later, each separately, so that an invalid tool does not make the
 * other tools unavailable.
 */
const TOOL_PAGE = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });

/**
 * Yields the pages of a server's list of tools. The client's listTools() is not used, because it collects all pages and
 * writes to the console.
 */
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
    // At the end of the list, some servers repeat the cursor or send an empty one.
    if (cursor === before) return;
  } while (cursor);
}
