// Determines the sender of a request: the person or key, the channel, and the address.
import type { Context } from "hono";
import { type Caller, CLIENT_PLACES, PLACE_HEADER } from "../../runtime/vocabulary/callers.ts";

/** The values that belong to one request of the application. */
export interface AppEnv {
  Bindings: {
    /** The client's IP address; null on a socket file. */
    address?: string | null;
    /** The sender, if another application of this process has determined it. */
    caller?: Caller;
  };
  Variables: {
    /** The owner of the request's key or log-in. */
    caller?: Caller;
  };
}

/** Returns the sender of a request, or undefined without one. `fallback` is the sender of requests without a key. */
export function findCaller(c: Context<AppEnv>, fallback: Caller | undefined): Caller | undefined {
  const { caller, address } = c.env ?? {};
  const known = c.get("caller") ?? caller ?? fallback;
  if (known === undefined) return undefined;
  const from = withAddress(known, address);
  if (known.via !== "api") return from;
  const named = c.req.header(PLACE_HEADER);
  const via = CLIENT_PLACES.find((place) => place === named) ??
    // Only browsers send this header.
    (c.req.header("sec-fetch-site") === undefined ? "api" : "page");
  return { ...from, via };
}

/** Returns the sender with the client's IP address, if there is one. */
export function withAddress(owner: Caller, address: string | null | undefined): Caller {
  return address == null ? owner : { ...owner, address };
}
