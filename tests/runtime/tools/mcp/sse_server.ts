// The fixture server over the older HTTP transport, on a port of this machine.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { once } from "node:events";
import { SSEServerTransport } from "@modelcontextprotocol/server-legacy/sse";
import type { Transport } from "@modelcontextprotocol/server";
import { createFixtureServer } from "./fixture_server.ts";

/** A listening server. It refuses the requests of the newer transport with status 405, like the servers of its time. */
export class FixtureSseServer implements AsyncDisposable {
  /** The method, path and authorization of every request. */
  readonly requests: { method: string; path: string; authorization: string | undefined }[] = [];
  /** Replies instead of the server if it returns true. */
  intercept: ((request: IncomingMessage, reply: ServerResponse) => boolean) | undefined;
  readonly #sessions = new Map<string, SSEServerTransport>();
  readonly #server: Server;
  #refusal = 405;

  private constructor() {
    this.#server = createServer((request, reply) => void this.#answer(request, reply));
  }

  static async open({ refusal = 405 } = {}): Promise<FixtureSseServer> {
    const server = new FixtureSseServer();
    server.#refusal = refusal;
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/sse`;
  }

  /** The number of open event streams. */
  get sessions(): number {
    return this.#sessions.size;
  }

  /** Ends every event stream, as a restarted server does. */
  async forget(): Promise<void> {
    for (const transport of this.#sessions.values()) await transport.close();
    this.#sessions.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.forget();
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #answer(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const { method = "", headers: { authorization } } = request;
    const { pathname: path, searchParams } = new URL(request.url ?? "", this.url);
    this.requests.push({ method, path, authorization });
    if (this.intercept?.(request, reply)) return;
    if (path === "/sse" && method === "GET") {
      const transport = new SSEServerTransport("/messages", reply);
      this.#sessions.set(transport.sessionId, transport);
      reply.on("close", () => this.#sessions.delete(transport.sessionId));
      await createFixtureServer().connect(transport as Transport);
      return;
    }
    const transport = this.#sessions.get(searchParams.get("sessionId") ?? "");
    if (path === "/messages" && transport !== undefined) {
      await transport.handlePostMessage(request, reply);
    } else reply.writeHead(path === "/sse" ? this.#refusal : 404).end("no");
  }
}
