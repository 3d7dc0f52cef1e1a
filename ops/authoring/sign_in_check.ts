// Checks for `validate` and `doctor` if a remote MCP server needs a sign-in. Sends at most one request to each server.
import { withinTime } from "../../base/bounded_wait.ts";
import { type Clock, SystemClock } from "../../base/clock.ts";
import type { Diagnostic } from "../../base/diagnostics.ts";
import { RuntimeError } from "../../base/errors.ts";
import { lazyModule } from "../../base/lazy_module.ts";
import type { ServerEndpoint } from "../../runtime/tools/mcp/servers_file/server_definition.ts";
import type { Credentials } from "../../runtime/tools/mcp/sign_in/credentials.ts";
import {
  describeSignInNeeded,
  isSignInError,
} from "../../runtime/tools/mcp/sign_in/sign_in_needed.ts";
import type { CredentialOptions } from "../../runtime/storage/open_credentials.ts";

const loadCredentials = lazyModule(() => import("../../runtime/storage/open_credentials.ts"));

const LIMIT_MS = 2_000;
/** A request without effect, which a server answers with 401 if it wants a token. */
const PING = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });

/** Returns a warning if the server needs a sign-in. */
export type CheckSignIn = (
  server: string,
  definition: ServerEndpoint,
) => Promise<(Pick<Diagnostic, "code"> & { severity: "warning"; problem: string })[]>;

/** Returns the check for one validation. Several agents with the same server cause one request. */
export function createSignInCheck(
  settings: CredentialOptions["settings"],
  clock: Clock = new SystemClock(),
): CheckSignIn {
  const asked = new Map<string, Promise<boolean>>();
  return async (server, { url, headers, oauth }) => {
    if (oauth?.grant !== "authorization_code") return [];
    const warn = (problem: string) => [{ severity: "warning" as const, problem }];
    const warning = warn(describeSignInNeeded(server))
      .map((one) => ({ ...one, code: `sign_in_needed:${server}` as const }));
    let stored: Credentials | undefined;
    try {
      const { withCredentials } = await loadCredentials();
      stored = await withCredentials(
        { settings, clock },
        (credentials) => credentials.read(server),
      );
    } catch (error) {
      if (error instanceof RuntimeError || isSignInError(error)) return warn(error.message);
      throw error;
    }
    if (stored?.url === url) {
      return stored.tokens === undefined ? warning : [];
    }
    if (oauth.isDeclared) return warning;
    // The server may want a key in a header of the entry.
    if (Object.keys(headers).length > 0) return [];
    const answer = asked.get(url) ?? wantsToken(url, clock);
    asked.set(url, answer);
    return await answer ? warning : [];
  };
}

/** Returns true if the server refuses a request without a token. A server that does not answer in time is not reported. */
async function wantsToken(url: string, clock: Clock): Promise<boolean> {
  const limit = new DOMException("No answer in time", "TimeoutError");
  try {
    return await withinTime({ clock, ms: LIMIT_MS, reason: limit }, async (signal) => {
      const reply = await fetch(url, {
        method: "POST",
        redirect: "manual",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body: PING,
        signal,
      });
      await reply.body?.cancel();
      return reply.status === 401;
    });
  } catch (error) {
    // The start of the server explains a failed connection better.
    if (error === limit || error instanceof TypeError) return false;
    if (error instanceof Deno.errors.PermissionDenied) return false;
    if (error instanceof Deno.errors.NotCapable) return false;
    throw error;
  }
}
