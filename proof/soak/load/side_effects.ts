// Counts, outside the service, how often each unsafe tool call was carried out. Each call has a unique id, its token.
import { join } from "node:path";
import type { BrokenRow } from "../invariants/invariant.ts";
import { readSnapshot, type Violation } from "../invariants/invariants.ts";

/** The tools whose calls write their tokens to a file or send them to a server. */
const COUNTED_TOOLS = ["http_request", "stamp", "skill_run_script"] as const;

/** The prefix of the tokens that are counted. Other calls of the same tools have other prefixes. */
export const COUNTED_PREFIX = "t";

/** A server and a file that receive the tokens of calls. */
export class SideEffects implements AsyncDisposable {
  /** The file to which a custom tool and a skill's script append tokens, one on each line. */
  readonly file: string;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #posted = new Map<string, number>();

  private constructor(file: string) {
    this.file = file;
    this.#server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
      const token = new URL(request.url).pathname.slice(1);
      this.#posted.set(token, (this.#posted.get(token) ?? 0) + 1);
      return new Response("counted");
    });
  }

  /** Creates `folder` with the token file, and starts the server. The agents must be allowed to write to `folder`. */
  static async open(folder: string): Promise<SideEffects> {
    await Deno.mkdir(folder, { recursive: true });
    const file = join(folder, "tokens.txt");
    await Deno.writeTextFile(file, "");
    return new SideEffects(file);
  }

  /** The server's address. A call posts its token as the path. */
  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /**
   * Returns, by a call's token, how often the call was carried out. The number is 2 or more if the service repeated an
   * unsafe call.
   */
  async counts(): Promise<ReadonlyMap<string, number>> {
    const counts = new Map(this.#posted);
    for (const token of (await Deno.readTextFile(this.file)).split("\n")) {
      if (token !== "") counts.set(token, (counts.get(token) ?? 0) + 1);
    }
    return counts;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

/**
 * Returns the wrong calls: calls that were carried out twice, calls that were carried out although they were denied, and
 * calls that are reported as done but were not carried out. A call's id is its token.
 */
export async function findWrongEffects(
  path: string,
  { effects, since }: { effects: SideEffects; since: number },
): Promise<Violation[]> {
  const results = readSnapshot(path, (db) =>
    db.prepare(
      "SELECT execution_id, id AS frame, json_extract(payload, '$.tool_call_id') AS token, " +
        "json_extract(payload, '$.tool_name') AS tool, json_extract(payload, '$.is_error') AS is_error, " +
        "substr(json_extract(payload, '$.content'), 1, 80) AS content FROM frames " +
        "WHERE event = 'tool_result' AND execution_id >= ?1",
    ).all(since)) as { token: string; tool: string; is_error: number; content: string }[];
  // The tokens are counted after the results were read, so the call of every stored result has already been carried out.
  const counts = await effects.counts();
  const counted = results.filter(({ tool, token }) =>
    COUNTED_TOOLS.some((one) => one === tool) && token.startsWith(COUNTED_PREFIX)
  );
  const refused = counted.filter(({ token, content }) =>
    content.startsWith("Action denied") && counts.has(token)
  );
  const lost = counted.filter(({ token, is_error }) => is_error === 0 && !counts.has(token));
  const twice = [...counts].filter(([, count]) => count > 1)
    .map(([token, count]) => ({ token, count }));
  return [
    violation("no unsafe call takes effect twice", twice),
    violation("no call that was denied takes effect", refused),
    violation("every call that is reported as done took effect", lost),
  ].filter(({ rows }) => rows.length > 0);
}

function violation(invariant: string, rows: BrokenRow[]): Violation {
  return { invariant, rows };
}
