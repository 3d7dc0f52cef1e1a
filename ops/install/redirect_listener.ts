// Receives the browser's answer to a sign-in: on a port of this machine (RFC 8252), or as an address that a person pastes.
import { NotInstalled } from "./not_installed.ts";

const PATH = "/callback";
const HOSTNAME = "127.0.0.1";
const PAGE = "<!doctype html><meta charset=utf-8><title>Inkling</title>" +
  "<p>Inkling has received the answer. Close this page and return to the terminal.";

/** The place to which the browser returns after the sign-in. */
export interface RedirectPlace extends AsyncDisposable {
  /** The redirect address. */
  url: string;
  /** Accepts the answer with this `state` from now on. Called before the browser opens. */
  expect(state: string): void;
  /** Resolves to the parameters of the answer. */
  answer(): Promise<URLSearchParams>;
}

/**
 * Listens on a port of this machine for the answer. Uses `port` if it is free, otherwise any port unless `mustHave` is set.
 * Throws NotInstalled if the port is in use.
 */
export function listenForRedirect(
  { port, mustHave }: { port: number; mustHave: boolean },
): RedirectPlace {
  let wanted = "";
  const { promise, resolve } = Promise.withResolvers<URLSearchParams>();
  const serve = (at: number) =>
    Deno.serve({ port: at, hostname: HOSTNAME, onListen: () => {} }, (request) => {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname !== PATH) return new Response("Not found", { status: 404 });
      // Any page in the browser can send a request to this port, but it does not know the state.
      if (wanted === "" || searchParams.get("state") !== wanted) {
        return new Response("This is not the answer of the sign-in", { status: 400 });
      }
      resolve(searchParams);
      return new Response(PAGE, {
        headers: { "content-type": "text/html", "referrer-policy": "no-referrer" },
      });
    });
  const server = (() => {
    try {
      return serve(port);
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
      if (!mustHave) return serve(0);
      throw new NotInstalled(`Port ${port} of oauth.redirect_port is in use on this machine`);
    }
  })();
  return {
    url: redirectUrl(server.addr.port),
    expect: (state) => void (wanted = state),
    answer: () => promise,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Gets the answer from a person, who pastes the address that the browser could not open. */
export function pasteRedirect(
  { port, paste }: { port: number; paste: () => Promise<string> },
): RedirectPlace {
  return {
    // Nothing listens on this port of the person's machine: the address stays in the browser's address bar.
    url: redirectUrl(port === 0 ? 33_418 : port),
    // The sign-in checks the state of the pasted address.
    expect: () => {},
    async answer() {
      const text = (await paste()).trim();
      const pasted = URL.parse(text) ??
        URL.parse(`?${text.replace(/^\?/, "")}`, "http://127.0.0.1");
      if (pasted === null || pasted.search === "") {
        throw new NotInstalled("That is not the address to which the browser was redirected");
      }
      return pasted.searchParams;
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function redirectUrl(port: number): string {
  return `http://${HOSTNAME}:${port}${PATH}`;
}
