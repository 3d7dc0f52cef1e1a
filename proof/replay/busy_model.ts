// Serves a model that refuses every other request of an agent as overloaded, so that each reply follows a retry.
import { CHAT_COMPLETIONS } from "../../tests/support/models/openai_server.ts";

/** A model server. Its first reply in a conversation calls file tools, its second reply is the answer. */
export class BusyModel implements AsyncDisposable {
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  /** The number of requests so far, by agent. */
  readonly #requests = new Map<string, number>();

  constructor() {
    this.#server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
      return this.#answer(request);
    });
  }

  /** Returns the `base_url` for an agent. */
  urlFor(agent: string): string {
    return `http://127.0.0.1:${this.#server.addr.port}/${agent}`;
  }

  async #answer(request: Request): Promise<Response> {
    const { messages } = await request.json();
    const requests = 1 + (this.#requests.get(request.url) ?? 0);
    this.#requests.set(request.url, requests);
    if (requests % 2 === 1) return new Response("{}", { status: 503 });
    const hasLooked = messages.some(({ role }: { role: string }) => role === "tool");
    const events = CHAT_COMPLETIONS.write(
      hasLooked
        ? { text: "Looked." }
        : { toolCalls: [{ name: "file_glob", arguments: { pattern: "*.md" } }] },
    );
    return new Response(events.join(""), {
      headers: { "content-type": CHAT_COMPLETIONS.contentType },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}
