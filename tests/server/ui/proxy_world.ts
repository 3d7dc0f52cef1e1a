// The proxy of `inkling ui` for tests: a function is the service, and one browser is the client.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createUiLink, type UiLink } from "../../../server/ui/ui_links.ts";
import { openUiProxy, type UiProxy } from "../../../server/ui/ui_proxy.ts";
import { freePort } from "../../support/machine/free_port.ts";
import { sendRaw } from "../raw_http.ts";

/** A proxy in front of a function, with a browser's cookie. */
export class ProxyWorld implements AsyncDisposable {
  readonly proxy: UiProxy;
  readonly link: UiLink;
  readonly origin: string;
  readonly #directory: string;
  readonly #socketFile: string;
  #service: Deno.HttpServer | undefined;
  #cookie = "";

  private constructor(directory: string, socketFile: string, proxy: UiProxy, link: UiLink) {
    this.#directory = directory;
    this.#socketFile = socketFile;
    this.proxy = proxy;
    this.link = link;
    this.origin = `http://127.0.0.1:${proxy.port}`;
  }

  static async open(handler?: Deno.ServeHandler): Promise<ProxyWorld> {
    const directory = await Deno.makeTempDir({ prefix: "inkling-ui-" });
    const socketFile = join(directory, "service.sock");
    // Without a saved port, the system chooses one, which another test may get right after the proxy's end.
    await Deno.writeTextFile(join(directory, "ui.port"), `${freePort()}\n`);
    const proxy = await openUiProxy({
      stateDir: directory,
      socketFile,
      home: "/ui",
      warn: () => {},
    });
    const link = await createUiLink({ stateDir: directory, port: proxy.port });
    const world = new ProxyWorld(directory, socketFile, proxy, link);
    if (handler !== undefined) world.start(handler);
    return world;
  }

  start(handler: Deno.ServeHandler): void {
    this.#service = Deno.serve({ path: this.#socketFile, onListen: () => {} }, handler);
  }

  async stop(): Promise<void> {
    await this.#service?.shutdown();
    this.#service = undefined;
  }

  /** Opens the address with the token like a browser, and keeps the cookie. */
  async enter(): Promise<void> {
    const { status, headers } = await discard(
      await fetch(this.link.address, { redirect: "manual" }),
    );
    assert.equal(status, 303);
    this.#cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
  }

  get port(): number {
    return Number(new URL(this.origin).port);
  }

  get directory(): string {
    return this.#directory;
  }

  get cookie(): string {
    return this.#cookie;
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("cookie", this.#cookie);
    return fetch(this.origin + path, { ...init, headers });
  }

  /** Sends a request with exactly these header lines, and returns the response. */
  raw(path: string, lines: readonly string[]): ReturnType<typeof sendRaw> {
    return sendRaw(
      () => Deno.connect({ hostname: "127.0.0.1", port: this.port }),
      `GET ${path} HTTP/1.1\r\n${lines.map((line) => `${line}\r\n`).join("")}\r\n`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.proxy[Symbol.asyncDispose]();
    await this.#service?.shutdown();
    await Deno.remove(this.#directory, { recursive: true });
  }
}

/** Cancels the body of a response, and returns the response. */
export async function discard(response: Response): Promise<Response> {
  await response.body?.cancel();
  return response;
}
