// Defines the cookie that binds a sign-in to an MCP server to the browser that began it.
import { SECOND_MS } from "../../base/time_units.ts";

/** The beginning of the cookies' names. The rest is a part of the sign-in's `state`. */
export const SIGN_IN_COOKIE = "inkling_sign_in_";

/** Returns the name of the cookie for a sign-in with this `state`. */
export function nameSignInCookie(state: string): string {
  return SIGN_IN_COOKIE + state.slice(0, 16);
}

/**
 * Returns the value of `Set-Cookie`. A browser sends the cookie also when another site's page leads to the callback. The
 * cookie has no path, so the browser uses the folder of the request, which a proxy may have moved.
 */
export function writeSignInCookie(
  { state, proof, lifeMs }: { state: string; proof: string; lifeMs: number },
  { isSecure = false } = {},
): string {
  return `${nameSignInCookie(state)}=${proof}; HttpOnly; SameSite=Lax; Max-Age=${
    lifeMs / SECOND_MS
  }${isSecure ? "; Secure" : ""}`;
}
