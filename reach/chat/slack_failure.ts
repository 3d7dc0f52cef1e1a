// Converts the errors of Slack's packages. Their texts can contain tokens and addresses, so they are not shown.
import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError } from "@slack/web-api";
import { SECOND_MS } from "../../base/time_units.ts";
import { AppFailure } from "./chat_app.ts";

/** The refusals that can end without a change of the request: Slack's own trouble, and tokens that are replaced. */
const PASSING: ReadonlySet<string> = new Set([
  ...["internal_error", "fatal_error", "service_unavailable", "request_timeout"],
  ...["ratelimited", "rate_limited", "team_added_to_org"],
  ...["invalid_auth", "not_authed", "token_expired", "token_revoked", "account_inactive"],
]);

/** Returns the failure of a request or of the socket. */
export function toFailure(error: unknown): AppFailure {
  if (error instanceof WebAPIRateLimitedError) {
    return new AppFailure("Slack asks for a pause", { retryAfterMs: error.retryAfter * SECOND_MS });
  }
  if (error instanceof WebAPIHTTPError) {
    return new AppFailure(`Slack refused a request with status ${error.statusCode}`);
  }
  if (error instanceof WebAPIPlatformError) {
    const { error: code = "", needed } = error.data as { error?: string; needed?: string };
    // A reply that is not JSON has its whole text here.
    if (!/^[a-z_]{1,60}$/.test(code)) return new AppFailure("Slack's reply cannot be read");
    const missing = /^[a-z:,_.]{1,100}$/.test(needed ?? "") ? `; the app needs ${needed}` : "";
    return new AppFailure(`Slack refused a request: ${code}${missing}`, {
      isFinal: !PASSING.has(code),
    });
  }
  return new AppFailure("Slack cannot be reached");
}
