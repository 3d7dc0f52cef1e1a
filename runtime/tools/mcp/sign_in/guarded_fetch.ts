// Sends the requests of a sign-in to addresses that a remote server names. Checks each address, and reports the errors of
// the authorization server without their texts, which could contain a token.
import type { FetchLike } from "@modelcontextprotocol/client";
import { withinTime } from "../../../../base/bounded_wait.ts";
import type { Clock } from "../../../../base/clock.ts";
import { isJsonObject, type JsonValue } from "../../../../base/json.ts";
import { ToolFailure } from "../../failures/tool_failure.ts";
import { resolveHostBySystem } from "../../http/host_lookup.ts";
import { exchange, type ExchangeReply } from "../../http/http_exchange.ts";
import { normalizeHost } from "../../http/http_policy.ts";
import { classifyAddress } from "../../http/ip_address.ts";
import { SignInFailure } from "./sign_in_needed.ts";

const MAX_BYTES = 1024 * 1024;
const LIMIT_MS = 30_000;
/** The statuses whose responses have no body. */
const EMPTY: readonly number[] = [204, 205, 304];
/** The statuses with which an authorization server refuses the token or the client, if it sends no error code. */
const REFUSALS: readonly number[] = [400, 401, 403];

/** A `fetch` for the client package that refuses forbidden addresses. */
export interface GuardedFetch {
  fetch: FetchLike;
  /**
   * The first refusal. The client package treats it as missing metadata and continues, so the caller throws it.
   */
  readonly refusal: SignInFailure | undefined;
}

/**
 * Creates the `fetch` for a sign-in to the server at `url`. Private addresses are allowed only if the server has one
 * itself. Redirects to another host are refused, and plain HTTP except on this machine.
 */
export async function createGuardedFetch(
  { url, clock, signal }: { url: string; clock: Clock; signal?: AbortSignal },
): Promise<GuardedFetch> {
  const isPrivate = await isPrivateHost(new URL(url).hostname);
  const policy = { allow: [], deny: isPrivate ? [] : ["private"], ownPorts: () => [] };
  let refusal: SignInFailure | undefined;
  const refuse = (reason: string): never => {
    const failure = new SignInFailure(reason);
    refusal ??= failure;
    throw failure;
  };
  return {
    get refusal() {
      return refusal;
    },
    async fetch(target, init = {}) {
      const address = new URL(target);
      const method = init.method ?? "GET";
      const isOwn = method === "GET" && address.origin === new URL(url).origin;
      if (!isOwn && !isSafeAddress(address)) {
        refuse(`its sign-in uses ${address.origin}, which is not https`);
      }
      const sent = new Request(address, { ...init, method, redirect: "manual" });
      const body = sent.body === null ? undefined : await sent.bytes();
      const headers = Object.fromEntries(sent.headers);
      const reason = new SignInFailure(`${address.origin} did not answer within 30 s`);
      let reply: ExchangeReply;
      try {
        reply = await withinTime(
          { clock, ms: LIMIT_MS, reason, ...(signal && { signal }) },
          (limited) =>
            exchange({ url: address, method, headers, body }, {
              policy,
              maxBytes: MAX_BYTES,
              signal: limited,
              resolveHost: resolveHostBySystem,
            }),
        );
      } catch (error) {
        if (!(error instanceof ToolFailure)) throw error;
        return refuse(error.message.replace(/\.$/, "").replace(/^C/, "c"));
      }
      const location = reply.headers.get("location");
      const next = location === undefined ? null : URL.parse(location, address);
      if (reply.status >= 300 && reply.status < 400 && next !== null) {
        if (next.host !== address.host) {
          refuse(`${address.host} redirects to ${next.host}, which is not followed`);
        }
      } else if (method === "POST") requireAnswer(reply, address);
      return new Response(EMPTY.includes(reply.status) ? null : new Uint8Array(reply.body), {
        status: reply.status,
        headers: [...reply.headers].filter(([name]) => name !== "content-encoding"),
      });
    },
  };
}

/** Returns true for an https address, and for any web address on this machine. */
export function isSafeAddress({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
}

function isLoopback(hostname: string): boolean {
  const host = normalizeHost(hostname);
  return host === "localhost" || classifyAddress(host) === "loopback";
}

async function isPrivateHost(hostname: string): Promise<boolean> {
  if (isLoopback(hostname)) return true;
  const host = normalizeHost(hostname);
  const own = classifyAddress(host);
  if (own !== undefined) return own !== "public";
  // An unknown name counts as public: the connection to the server reports it.
  const addresses = await resolveHostBySystem(host).catch(() => []);
  return addresses.some(({ address }) => classifyAddress(address) !== "public");
}

/** Throws SignInFailure unless the response to a POST is a success with JSON. The error contains no text of the response. */
function requireAnswer({ status, body }: ExchangeReply, { origin, pathname }: URL): void {
  let content: JsonValue | undefined;
  try {
    content = JSON.parse(new TextDecoder().decode(body));
  } catch { /* The error is dropped, because its message contains a part of the text. */ }
  const code = isJsonObject(content) && typeof content["error"] === "string" &&
      /^[a-z0-9_]{1,60}$/.test(content["error"])
    ? content["error"]
    : undefined;
  const place = `${origin}${pathname}`;
  if (code !== undefined) throw new SignInFailure(`${place} answered "${code}"`, { code });
  if (status >= 400) {
    const refused = REFUSALS.includes(status) ? { code: "refused" } : {};
    throw new SignInFailure(`${place} answered HTTP ${status}`, refused);
  }
  if (content === undefined && body.length > 0) {
    throw new SignInFailure(`${place} answered without JSON`);
  }
}
