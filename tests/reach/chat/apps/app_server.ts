// The parts that the local servers of all chat apps share: the record of the bot's requests, and prepared refusals.

/** A file that the bot sent. */
export interface ShownFile<Place> {
  place: Place;
  name: string;
  text: string;
}

/** A running server of a chat app. `Shown` is a message that the bot sent, as it is shown now. */
export abstract class AppServer<Place, Shown extends { place: Place }> {
  readonly shown: Shown[] = [];
  readonly files: ShownFile<Place>[] = [];
  /** The texts that only the person sees who pressed a button. */
  readonly whispers: { person: string; text: string }[] = [];
  /** The names of all requests, in order. */
  readonly calls: string[] = [];
  /** Refusals to give, by request: each is used once. */
  readonly refusals: { method: string; response: () => Response }[] = [];
  /** The files that people sent, by id. */
  readonly uploads = new Map<string, string>();
  /** Returns false if a request is lost before its effect. */
  isReceived: (method: string) => Promise<boolean> | boolean = () => true;
  /** Called before the response to a request, after its effect. */
  afterEffect: (method: string) => Promise<void> | void = () => {};
  readonly #server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (request) => this.answer(request),
  );

  get apiRoot(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** Returns the messages in a place that are shown now. */
  in(place: Place): Shown[] {
    return this.shown.filter((one) => one.place === place);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }

  /** Answers a request. */
  protected abstract answer(request: Request): Promise<Response>;

  /** Returns the prepared refusal of a request, or undefined. */
  protected refusalOf(method: string): Response | undefined {
    const at = this.refusals.findIndex((one) => one.method === method);
    return at < 0 ? undefined : this.refusals.splice(at, 1)[0]?.response();
  }
}

/** Returns the fields of a JSON body or a form. */
export async function readBody(request: Request): Promise<Record<string, unknown>> {
  const type = request.headers.get("content-type") ?? "";
  if (type.startsWith("multipart/")) return Object.fromEntries(await request.formData());
  return type.startsWith("application/json") ? await request.json() : {};
}
