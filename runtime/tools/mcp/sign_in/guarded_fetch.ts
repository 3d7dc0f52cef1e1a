// Sends the requests of a sign-in to addresses that a remote server names. Checks each address, and reports the errors of
// the authorization server without their texts, which could contain a token.
import type { FetchLike } from "@modelcontextprotocol/client";
import { withinTime } from "../../../../base/bounded_wait.ts";
import { isJsonObject, type JsonValue } from "../../../../base/json.ts";
import type { Context } from "../../../config/context.ts";
import { ToolFailure } from "../../failures/tool_failure.ts";
import { resolveHostBySystem } from "../../http/host_lookup.ts";
import { exchange, type ExchangeReply } from "../../http/http_exchange.ts";
import { normalizeHost } from "../../http/http_policy.ts";
import { classifyAddress } from "../../http/ip_address.ts";
import { SignInFailure } from "./sign_in_needed.ts";

const MAX_BYTES = 1024 * 1024;
const LIMIT_MS = 30_000;
/** The statuses with which an authorization server refuses the token or the client, if it sends no error code. */
const REFUSALS: readonly number[] = [400, 401, 403];

/**
 * Creates the `fetch` for a sign-in to the server at `url`. Private addresses are allowed only if the server has one
 * itself. Redirects to another host are refused, and plain HTTP except on this machine. `refusal` is the first refusal. The
 * client package treats it as missing metadata and continues, so the caller throws it.
 */
export async function createGuardedFetch(
  { url, clock, signal }: Pick<Context, "clock"> & { url: string; signal?: AbortSignal },
): Promise<{ fetch: FetchLike; readonly refusal: SignInFailure | undefined }> {
  const server = new URL(url);
  const deny = await isPrivateHost(server.hostname) ? [] : ["private"];
  const policy = { allow: [], deny, ownPorts: () => [] };
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
    async fetch(target, init) {
      const address = new URL(target);
      const sent = new Request(address, { ...init, redirect: "manual" });
      const { method } = sent;
      const isOwn = method === "GET" && address.origin === server.origin;
      if (!isOwn && !isSafeAddress(address)) {
        refuse(`its sign-in uses ${address.origin}, which is not https`);
      }
      const request = {
        url: address,
        method,
        headers: Object.fromEntries(sent.headers),
        body: sent.body === null ? undefined : await sent.bytes(),
      };
      const reason = new SignInFailure(`${address.origin} did not answer within 30 s`);
      const reply = await withinTime(
        { clock, ms: LIMIT_MS, reason, ...(signal && { signal }) },
        (signal) =>
          exchange(request, {
            policy,
            maxBytes: MAX_BYTES,
            signal,
            resolveHost: resolveHostBySystem,
          }),
      ).catch((error) => {
        if (!(error instanceof ToolFailure)) throw error;
        return refuse(error.message.replace(/\.$/, "").replace(/^C/, "c"));
      });
      const { status, headers, body } = reply;
      if (status >= 300 && status < 400) {
        const next = URL.parse(headers.get("location") ?? "", address);
        if (next !== null && next.host !== address.host) {
          refuse(`${address.host} redirects to ${next.host}, which is not followed`);
        }
      } else if (method === "POST") requireAnswer(reply, address);
      return new Response(body.length === 0 ? null : new Uint8Array(body), {
        status,
        headers: [...headers].filter(([name]) => name !== "content-encoding"),
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

/** Throws SignInFailure if the response to a POST is an error. The failure contains no text of the response. */
function requireAnswer({ status, body }: ExchangeReply, { origin, pathname }: URL): void {
  let content: JsonValue = null;
  try {
    content = JSON.parse(new TextDecoder().decode(body));
  } catch { /* The error is dropped, because its message contains a part of the text. */ }
  const error = isJsonObject(content) ? content["error"] : undefined;
  const place = `${origin}${pathname}`;
  if (typeof error === "string" && /^[a-z0-9_]{1,60}$/.test(error)) {
    throw new SignInFailure(`${place} answered "${error}"`, { code: error });
  }
  if (status < 400) return;
  const refused = REFUSALS.includes(status) ? { code: "refused" } : {};
  throw new SignInFailure(`${place} answered HTTP ${status}`, refused);
}
