// A service whose people sign in at a real OpenID provider, and browsers with their own cookies.
import assert from "node:assert/strict";
import type { Config } from "../../../runtime/config/config.ts";
import type { Caller } from "../../../runtime/vocabulary/callers.ts";
import { parseConfig } from "../../../runtime/config/parse_config.ts";
import { serve } from "../../../server/mod.ts";
import { FakeRuntime } from "../../support/fake_runtime.ts";
import { LogLines } from "../../support/log_lines.ts";
import { TestProvider } from "../../support/machine/openid_provider.ts";
import { TestClock } from "../../support/test_clock.ts";

export const KEY = "correct horse battery";
const SECRET = "the client's secret";

/** A page in a browser: its address, and its response. */
export interface OpenedPage {
  address: string;
  status: number;
  text: string;
}

/** A browser: it keeps cookies for each host with its port, and follows redirects. */
export class Browser {
  readonly #jar = new Map<string, Map<string, string>>();

  /** Opens an address as a link does. `stopAt` ends the redirects before an address that begins with this text. */
  async open(address: string, { stopAt }: { stopAt?: string } = {}): Promise<OpenedPage> {
    for (let hops = 0; hops < 12; hops++) {
      const { host } = new URL(address);
      const reply = await fetch(address, {
        redirect: "manual",
        headers: { accept: "text/html", "sec-fetch-site": "cross-site", cookie: this.cookie(host) },
      });
      this.#keep(host, reply.headers);
      const text = await reply.text();
      const location = reply.headers.get("location");
      if (location === null) return { address, status: reply.status, text };
      address = new URL(location, address).href;
      if (stopAt !== undefined && address.startsWith(stopAt)) {
        return { address, status: reply.status, text };
      }
    }
    throw new Error("too many redirects");
  }

  /** Returns the `Cookie` header for a host. */
  cookie(host: string): string {
    return [...this.#jar.get(host) ?? []].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  #keep(host: string, headers: Headers): void {
    const kept = this.#jar.get(host) ?? new Map();
    this.#jar.set(host, kept);
    for (const cookie of headers.getSetCookie()) {
      const [pair = ""] = cookie.split(";");
      const [name = "", ...value] = pair.split("=");
      if (/max-age=0|expires=Thu, 01 Jan 1970/i.test(cookie)) kept.delete(name);
      else kept.set(name, value.join("="));
    }
  }
}

/** A running service with its provider. */
export interface OpenIdWorld extends AsyncDisposable {
  provider: TestProvider;
  runtime: FakeRuntime;
  clock: TestClock;
  log: LogLines;
  /** The actions that the audit has recorded, with their senders. */
  audited: [string, Caller][];
  origin: string;
  /** Lines that replace those of `sign_in` in config.yaml. */
  change(signIn: string | undefined): void;
  /** Signs in with a browser. */
  enter(browser: Browser): Promise<OpenedPage>;
  /** Requests a path of the API as the page in the browser does. */
  request(browser: Browser, path: string, init?: RequestInit): Promise<Response>;
  /** Returns the status of a request for the service's data. */
  status(browser: Browser): Promise<number>;
}

/** Starts a service and a provider. The provider knows `ann` (admin and viewer), `bob` (viewer) and `eve` (no role). */
export async function createOpenIdWorld(
  { inToken = false, session = "12h" } = {},
): Promise<OpenIdWorld> {
  await using opened = new AsyncDisposableStack();
  const directory = await Deno.makeTempDir({ prefix: "inkling-openid-" });
  opened.defer(() => Deno.remove(directory, { recursive: true }));
  const clock = new TestClock();
  const runtime = new FakeRuntime({ clock, directory });
  const log = new LogLines();
  let config: Config = runtime.config;
  const audited: OpenIdWorld["audited"] = [];
  const record = (action: string, by: Caller) => Promise.resolve(void audited.push([action, by]));
  Object.defineProperties(runtime, {
    ...{ config: { get: () => config }, log: { value: log } },
    audit: { value: { ...runtime.audit, record } },
  });
  const service = await serve(runtime, {
    keepAlive: true,
    tcp: { host: "127.0.0.1", port: 0, apiKey: KEY },
    lookup: (name) => name === "SIGN_IN_SECRET" ? SECRET : undefined,
  });
  opened.defer(async () => void await service.shutdown("requested"));
  const origin = `http://127.0.0.1:${service.ports[0]}`;
  const provider = opened.use(
    await TestProvider.start({
      callback: `${origin}/openid-callback`,
      resource: `${origin}/mcp`,
      secret: SECRET,
      inToken,
    }),
  );
  provider.people.set("id-1", {
    ...{ email: "Ann@example.com", email_verified: true, name: "root" },
    groups: ["staff", "platform", "other"],
  });
  provider.people.set("id-2", { email: "ann@example.com", name: "Ann", groups: ["staff"] });
  provider.people.set("id-3", { email: "eve@example.com", email_verified: true, groups: ["x"] });
  provider.people.set("id-4", { email: "fay@example.com", email_verified: true });
  provider.current = "id-1";
  const change = (signIn: string | undefined) => {
    const text = `public_url: ${origin}\n${signIn === undefined ? "" : `sign_in:\n${signIn}`}`;
    const parsed = parseConfig(text, { path: "/c/config.yaml", home: "/c" });
    assert.ok("config" in parsed, JSON.stringify(parsed));
    config = { ...runtime.config, ...parsed.config };
  };
  change(`  issuer: ${provider.issuer}
  client_id: inkling
  client_secret_env: SIGN_IN_SECRET
  groups: { staff: viewer, platform: admin }
  session: ${session}
`);
  const kept = opened.move();
  const request: OpenIdWorld["request"] = (browser, path, init = {}) =>
    fetch(origin + path, {
      ...init,
      headers: {
        ...{
          "sec-fetch-site": "same-origin",
          origin,
          cookie: browser.cookie(new URL(origin).host),
        },
        ...init.headers as Record<string, string>,
      },
    });
  return {
    ...{ provider, runtime, clock, log, audited, origin, change, request },
    enter: (browser) => browser.open(`${origin}/openid-login`),
    async status(browser) {
      const reply = await request(browser, "/agents");
      await reply.body?.cancel();
      return reply.status;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
