// The fixture server on a port of this machine. It can forget its sessions.
import {
  createMcpHandler,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import {
  createFixtureServer,
  type EchoDeclaration,
  type FixtureSightings,
} from "./fixture_server.ts";

type MaybeReply = Response | undefined;

/** A listening server. */
export class FixtureHttpServer implements AsyncDisposable {
  readonly seen: FixtureSightings = { cancelled: 0, hanging: 0 };
  /** The declaration of `echo` in new sessions. */
  echo: EchoDeclaration = {};
  /** The method and headers of every request. */
  readonly requests: { method: string; headers: Headers }[] = [];
  /** The number of started sessions. `ended` counts the sessions that the client ended. */
  begun = 0;
  ended = 0;
  /** Returns a reply that replaces the server's, or undefined. */
  intercept: ((request: Request) => MaybeReply | Promise<MaybeReply>) | undefined;
  readonly #sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  readonly #modern: ReturnType<typeof createMcpHandler> | undefined;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  readonly #create: (() => McpServer) | undefined;

  constructor(
    options: {
      modernOnly?: boolean;
      port?: number;
      /** Creates the server of each session, instead of the fixture. */
      create?: () => McpServer;
    } = {},
  ) {
    this.#create = options.create;
    if (options.modernOnly === true) {
      this.#modern = createMcpHandler(() => options.create?.() ?? createFixtureServer(this.seen), {
        legacy: "reject",
      });
    }
    this.#server = Deno.serve(
      { port: options.port ?? 0, hostname: "127.0.0.1", onListen: () => {} },
      (request) => this.#answer(request),
    );
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}/mcp`;
  }

  /** Forgets all sessions, as a restarted server does. */
  async forget(): Promise<void> {
    for (const transport of this.#sessions.values()) await transport.close();
    this.#sessions.clear();
  }

  /** Ends every session and waits for open replies: only then has the client closed its connections. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.forget();
    await this.#modern?.close();
    await this.#server.shutdown();
  }

  async #answer(request: Request): Promise<Response> {
    this.requests.push({ method: request.method, headers: request.headers });
    const instead = await this.intercept?.(request);
    if (instead !== undefined) return instead;
    if (this.#modern !== undefined) return await this.#modern.fetch(request);
    const id = request.headers.get("mcp-session-id");
    if (id === null) return await (await this.#open()).handleRequest(request);
    const transport = this.#sessions.get(id);
    if (transport === undefined) return new Response("Session not found", { status: 404 });
    if (request.method === "DELETE") this.ended++;
    return await transport.handleRequest(request);
  }

  async #open(): Promise<WebStandardStreamableHTTPServerTransport> {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => {
        this.begun++;
        this.#sessions.set(id, transport);
      },
    });
    const server = this.#create?.() ?? createFixtureServer(this.seen, this.echo);
    await server.connect(transport);
    return transport;
  }
}
