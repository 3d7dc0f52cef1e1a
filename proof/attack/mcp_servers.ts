// Attacks the service with MCP servers that try to use up its memory or fill its log.
import { ToolsUnavailable } from "../../runtime/tools/failures/tools_unavailable.ts";
import { TestClock } from "../../tests/support/test_clock.ts";
import { FixtureHttpServer } from "../../tests/runtime/tools/mcp/http_server.ts";
import { type McpWorld, openMcpWorld } from "../../tests/runtime/tools/mcp/mcp_world.ts";
import type { Attack } from "./attack.ts";

const MB = 1024 * 1024;
/** The allowed memory of the service, several times the limit of one message and far less than the servers send. */
const MAX_MEMORY_MB = 500;

/** Returns the definition of an MCP server that runs a shell script. */
const shell = (script: string) => ({ command: "sh", args: ["-c", script] });
const NOTE =
  '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}';
const PING = '{"jsonrpc":"2.0","id":9,"method":"ping"}';
const PROGRAMS: Readonly<Record<string, Record<string, unknown>>> = {
  "a line": shell("exec cat /dev/zero"),
  "empty lines": { command: "yes", args: [""] },
  notes: { command: "yes", args: [NOTE] },
  questions: { command: "yes", args: [PING] },
  "error output": shell("timeout 2 cat /dev/zero >&2; exit 1"),
};

const endless = (text: string) => {
  const bytes = new TextEncoder().encode(text.repeat(Math.ceil(64 * 1024 / text.length)));
  return new ReadableStream<Uint8Array>({ pull: (controller) => controller.enqueue(bytes) });
};
const REPLIES: Readonly<Record<string, () => Response>> = {
  "a JSON body": () =>
    new Response(endless(" "), { headers: { "content-type": "application/json" } }),
  "an event": () =>
    new Response(endless("x"), { headers: { "content-type": "text/event-stream" } }),
  events: () =>
    new Response(endless(`data: ${NOTE}\n\n`), {
      headers: { "content-type": "text/event-stream" },
    }),
  "an error": () => new Response(endless("no "), { status: 500 }),
};

export const endlessServers: Attack = {
  name: "endless-mcp-servers",
  claim: "an MCP server that sends endlessly is stopped, within the memory of a few messages",
  tries: { full: 45, sample: 2 },
  async run(tries) {
    const successes = new Set<string>();
    const before = Deno.memoryUsage().rss;
    let most = 0;
    await using remote = new FixtureHttpServer();
    await using world: McpWorld = await openMcpWorld({ clock: new TestClock() });
    const watch = setInterval(() => most = Math.max(most, Deno.memoryUsage().rss - before), 20);
    const kinds = [...Object.keys(REPLIES), ...Object.keys(PROGRAMS)];
    try {
      for (let round = 0; round < tries; round++) {
        const kind = kinds[round % kinds.length] ?? "";
        const reply = REPLIES[kind];
        remote.intercept = reply;
        const name = `server${round}`;
        await world.define({ [name]: PROGRAMS[kind] ?? { url: `${remote.url}?${round}` } });
        const outcome = await world.tools([name]).catch((error: unknown) => error);
        if (!(outcome instanceof ToolsUnavailable)) successes.add(`${kind}: ${outcome}`);
      }
    } finally {
      clearInterval(watch);
    }
    if (most > MAX_MEMORY_MB * MB) successes.add(`${Math.round(most / MB)} MB were taken`);
    return { tried: tries, successes: [...successes], note: `${Math.round(most / MB)} MB at most` };
  },
};
