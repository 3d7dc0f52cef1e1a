// Attacks the service with model endpoints that try to get the key or use up the memory.
import type { Attack } from "./attack.ts";
import { failureOf } from "../../tests/support/collect_reply.ts";
import { type Adapter, ADAPTERS, KEY, open } from "../../tests/support/models/model_adapters.ts";
import type { ModelServer } from "../../tests/support/models/model_server.ts";

const PROVIDERS = ADAPTERS.filter(({ provider }) => provider !== "local");
const MB = 1_024 * 1_024;
/** The allowed memory of the service, more than the limits of one reply and far less than the endpoints send. */
const MAX_MEMORY_MB = 400;

/** Calls a provider's model at an address and returns the error of the call. */
async function callAt(adapter: Adapter, origin: string): Promise<string> {
  const model = await open(adapter, { origin } as ModelServer);
  return (await failureOf(model)).message;
}

export const redirectedKeys: Attack = {
  name: "redirected-keys",
  claim: "no redirect of a model endpoint sends a key to another host",
  tries: { full: 40, sample: 1 },
  async run(tries) {
    const successes = new Set<string>();
    let tried = 0;
    await using other = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      (request) => {
        const held = [...request.headers].filter(([, value]) => value.includes(KEY));
        successes.add(`another host was asked, with the key in ${held.map(([name]) => name)}`);
        return new Response(null, { status: 500 });
      },
    );
    const target = `http://127.0.0.1:${other.addr.port}/v1`;
    let status = 302;
    await using first = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      () => new Response(null, { status, headers: { location: target } }),
    );
    for (let round = 0; round < tries; round++) {
      for (const adapter of PROVIDERS) {
        for (status of [301, 302, 307, 308]) {
          tried++;
          const message = await callAt(adapter, `http://127.0.0.1:${first.addr.port}`);
          const both = [first.addr.port, other.addr.port].every((port) =>
            message.includes(`127.0.0.1:${port}`)
          );
          if (!both) successes.add(`${adapter.provider} does not name both hosts: ${message}`);
        }
      }
    }
    return { tried, successes: [...successes] };
  },
};

/** A reply without an end: a status, a content type, and a text that is repeated. */
interface EndlessAnswer {
  name: string;
  status: number;
  type: string;
  begin?: string;
  piece: string;
}

const TOOL_PIECES: Readonly<Record<string, string>> = {
  openai: 'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":' +
    `{"name":"t","arguments":"${"x".repeat(2_000)}"}}]}}]}\n\n`,
  anthropic: 'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":' +
    `{"type":"input_json_delta","partial_json":"${"x".repeat(2_000)}"}}\n\n`,
  google: 'data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"t","args":' +
    `{"a":"${"x".repeat(2_000)}"}}}]}}]}\n\n`,
  ollama: '{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"t",' +
    `"arguments":{"a":"${"x".repeat(2_000)}"}}}]},"done":false}\n`,
};

const ANTHROPIC_BEGIN =
  'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant",' +
  '"content":[],"model":"m","usage":{"input_tokens":1,"output_tokens":1}}}\n\nevent: content_block_start\n' +
  'data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c","name":"t","input":{}}}\n\n';

function endlessAnswers(provider: string): EndlessAnswer[] {
  const stream = provider === "ollama" ? "application/x-ndjson" : "text/event-stream";
  const piece = TOOL_PIECES[provider] ?? TOOL_PIECES["openai"] ?? "";
  const begin = provider === "anthropic" ? ANTHROPIC_BEGIN : "";
  return [
    { name: "error", status: 400, type: "application/json", piece: "no".repeat(1_000) },
    { name: "JSON", status: 200, type: "application/json", piece: `{"a":`.repeat(400) },
    { name: "line", status: 200, type: stream, begin: "data: ", piece: "x".repeat(2_000) },
    { name: "tool arguments", status: 200, type: stream, begin, piece },
  ];
}

export const endlessReplies: Attack = {
  name: "endless-replies",
  claim: "every answer of a model endpoint has a size limit",
  tries: { full: 60, sample: 2 },
  async run(tries) {
    const successes = new Set<string>();
    let [tried, most] = [0, 0];
    let answer: EndlessAnswer | undefined;
    await using server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen: () => {} },
      () => {
        const { status, type, begin = "", piece } = answer ?? { status: 500, type: "", piece: "" };
        const encoder = new TextEncoder();
        const bytes = encoder.encode(piece.repeat(Math.ceil(65_536 / piece.length)));
        let hasBegun = false;
        const body = new ReadableStream<Uint8Array>({
          pull(controller) {
            if (!hasBegun) controller.enqueue(encoder.encode(begin));
            hasBegun = true;
            controller.enqueue(bytes);
          },
        });
        return new Response(body, { status, headers: { "content-type": type } });
      },
    );
    for (; tried < tries; tried++) {
      const adapter = PROVIDERS[tried % PROVIDERS.length];
      if (adapter === undefined) break;
      const answers = endlessAnswers(adapter.provider);
      answer = answers[tried % answers.length];
      const before = Deno.memoryUsage().rss;
      const message = await callAt(adapter, `http://127.0.0.1:${server.addr.port}`);
      const grown = Math.round((Deno.memoryUsage().rss - before) / MB);
      most = Math.max(most, grown);
      if (grown > MAX_MEMORY_MB) {
        successes.add(`${adapter.provider} took ${grown} MB for an endless ${answer?.name}`);
      }
      if (message.length > 1_000 || /[\n\r]/.test(message)) {
        successes.add(`${adapter.provider} tells ${message.length} characters`);
      }
    }
    return { tried, successes: [...successes], note: `at most ${most} MB more` };
  },
};
