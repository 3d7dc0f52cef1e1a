// Attacks the endpoints for programs, /mcp and /v1, over TCP: without the key, with another key, from foreign pages, and
// under a foreign name of this machine (DNS rebinding).
import { serve } from "../../server/mod.ts";
import { fakeAgent } from "../../tests/support/fake_agent.ts";
import { FakeRuntime } from "../../tests/support/fake_runtime.ts";
import { TestClock } from "../../tests/support/test_clock.ts";
import type { Attack } from "./attack.ts";

const KEY = "a key that nobody guesses";
const SECRET = "zanzibar";
const CALL = { jsonrpc: "2.0", id: 1, method: "tools/call" };
const MESSAGES = [{ role: "user", content: "Go" }];

/** The requests that run or list the exposed agent, if they are let in. */
const REQUESTS: readonly { path: string; body?: object }[] = [
  { path: "/mcp", body: { ...CALL, params: { name: SECRET, arguments: { message: "Go" } } } },
  { path: "/mcp", body: { ...CALL, method: "tools/list", params: {} } },
  { path: "/v1/chat/completions", body: { model: SECRET, messages: MESSAGES, stream: true } },
  { path: "/v1/responses", body: { model: SECRET, input: "Go", stream: true } },
  { path: "/v1/models" },
  { path: `/v1/models/${SECRET}` },
];

/** The kinds of tries: the headers of a request, and the status with which the service refuses it. */
const TRIES: readonly { kind: string; status: number; headers: () => Record<string, string> }[] = [
  { kind: "no key", status: 401, headers: () => ({}) },
  {
    kind: "another key",
    status: 401,
    headers: () => pick([bearer(change(KEY)), { "x-api-key": change(KEY) }, bearer("")]),
  },
  {
    kind: "another scheme",
    status: 401,
    headers: () => ({
      authorization: pick([KEY, `Basic ${btoa(`user:${KEY}`)}`, `Token ${KEY}`, `Bearer: ${KEY}`]),
    }),
  },
  { kind: "the key in a cookie", status: 401, headers: () => ({ cookie: `key=${btoa(KEY)}` }) },
  {
    kind: "a foreign page",
    status: 403,
    headers: () => ({
      ...bearer(KEY),
      ...pick<Record<string, string>>([
        { origin: pick(["https://evil.example", "http://127.0.0.1:1", "null"]) },
        { "sec-fetch-site": "cross-site" },
      ]),
    }),
  },
  {
    kind: "a rebound name",
    status: 421,
    headers: () => ({
      ...bearer(KEY),
      host: pick(["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:8420"]),
    }),
  },
];

export const foreignPrograms: Attack = {
  name: "foreign-programs",
  claim: "/mcp and /v1 answer only to a program with the key, and neither to foreign pages",
  tries: { full: 5_000, sample: 80 },
  async run(tries) {
    const directory = await Deno.makeTempDir({ prefix: "inkling-attack-" });
    const runtime = new FakeRuntime({ clock: new TestClock(), directory });
    runtime.addAgent(fakeAgent(SECRET, { expose: true }));
    const service = await serve(runtime, { tcp: { port: 0, apiKey: KEY } });
    const port = service.ports[0] ?? 0;
    const successes = new Set<string>();
    try {
      for (let n = 0; n < tries; n++) {
        const { kind, status, headers } = TRIES[n % TRIES.length] ?? pick(TRIES);
        const { path, body } = pick(REQUESTS);
        const answer = await send(port, { path, body, headers: headers() });
        if (answer.status !== status) successes.add(`${kind} at ${path}: ${answer.status}`);
        // The id in the path of the request may be repeated.
        if (answer.text.replaceAll(path, "").includes(SECRET)) {
          successes.add(`${kind} at ${path} has seen the agent`);
        }
      }
      if (runtime.runs.length > 0) successes.add("an agent has run");
      const own = await send(port, { path: "/v1/models", headers: bearer(KEY) });
      if (!own.text.includes(SECRET)) successes.add(`the owner was refused: ${own.status}`);
    } finally {
      await service.shutdown("requested");
      await Deno.remove(directory, { recursive: true });
    }
    return { tried: tries, successes: [...successes] };
  },
};

/** Sends a request over a connection of its own, because fetch() sets the header `Host` itself. */
async function send(
  port: number,
  { path, body, headers }: {
    path: string;
    body?: object | undefined;
    headers: Record<string, string>;
  },
): Promise<{ status: number; text: string }> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const sent = body === undefined ? "" : JSON.stringify(body);
  const all = {
    host: `127.0.0.1:${port}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "content-length": `${sent.length}`,
    ...headers,
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const method = body === undefined ? "GET" : "POST";
  // HTTP/1.0 ends the response with the connection.
  await connection.write(
    new TextEncoder().encode(`${method} ${path} HTTP/1.0\r\n${head}\r\n${sent}`),
  );
  let text = "";
  // A request that is let in streams without an end, so only its first piece is read.
  for await (const piece of connection.readable.pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (/^HTTP\/1\.[01] 200 /.test(text)) break;
  }
  return { status: Number(text.split(" ", 2)[1]), text };
}

function bearer(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` };
}

/** Returns the key with one other character, without its end, or with more at its end. */
function change(key: string): string {
  const at = Math.floor(Math.random() * key.length);
  return pick([`${key.slice(0, at)}~${key.slice(at + 1)}`, key.slice(0, at), `${key}~`]);
}

function pick<Item>(items: readonly Item[]): Item {
  const item = items[Math.floor(Math.random() * items.length)];
  if (item === undefined) throw new TypeError("There is nothing to pick");
  return item;
}
