// Starts an HTTP server on this machine that receives messages.
/** A received request. */
export interface Received {
  path: string;
  headers: Headers;
  text: string;
  // deno-lint-ignore no-explicit-any -- tests read any body
  body: any;
}

/** A reply: a status, a promise of a status, or a whole response. */
export type Reply = number | Promise<number> | Response;

/** An HTTP server that receives messages. `reply` gets the number of earlier requests. */
export class Receiver implements AsyncDisposable {
  readonly received: Received[] = [];
  reply: (request: Received, place: number) => Reply = () => 200;
  #server: Deno.HttpServer<Deno.NetAddr>;
  readonly port: number;

  constructor(port = 0) {
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port, onListen: () => {} },
      async (request) => {
        const text = await request.text();
        const body = text.startsWith("{") ? JSON.parse(text) : undefined;
        const path = new URL(request.url).pathname;
        const received: Received = { path, headers: request.headers, text, body };
        this.received.push(received);
        const reply = await this.reply(received, this.received.length - 1);
        return reply instanceof Response ? reply : new Response(null, { status: reply });
      },
    );
    this.port = this.#server.addr.port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}
