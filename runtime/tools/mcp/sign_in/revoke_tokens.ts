// Revokes the tokens of a sign-in at the authorization server (RFC 7009), so that a copy of them is worthless.
import { declaredClient, keyAuthentication } from "./client_authentication.ts";
import type { Credentials } from "./credentials.ts";
import { createGuardedFetch, isSafeAddress } from "./guarded_fetch.ts";
import type { SignInRequest } from "./sign_in.ts";

/**
 * Revokes the refresh token and the access token. Returns false if the authorization server cannot revoke tokens. Throws
 * SignInFailure.
 */
export async function revokeTokens(
  { url, issuer, client, discovery, tokens }: Credentials,
  { oauth, clock, signal }: Pick<SignInRequest, "oauth" | "clock" | "signal">,
): Promise<boolean> {
  const { authorizationServerMetadata: metadata } = discovery;
  if (metadata === undefined || tokens === undefined) return false;
  // The client package's type of OpenID metadata does not declare this field.
  const endpoint = "revocation_endpoint" in metadata ? metadata.revocation_endpoint : undefined;
  if (typeof endpoint !== "string" || !isSafeAddress(new URL(endpoint))) return false;
  const { fetch } = await createGuardedFetch({ url, clock, ...(signal && { signal }) });
  const { addClientAuthentication } = keyAuthentication(oauth);
  const own = declaredClient(oauth, issuer) ?? client;
  for (const hint of ["refresh_token", "access_token"] as const) {
    const token = tokens[hint];
    if (token === undefined) continue;
    const headers = new Headers({ "content-type": "application/x-www-form-urlencoded" });
    const body = new URLSearchParams({ token, token_type_hint: hint, client_id: own.client_id });
    if (addClientAuthentication !== undefined) {
      await addClientAuthentication(headers, body, endpoint, metadata);
    } else if (own.client_secret !== undefined) {
      // Every authorization server has to accept this kind of proof from a client with a secret (RFC 6749, 2.3.1).
      const pair = [own.client_id, own.client_secret].map(encodeURIComponent).join(":");
      headers.set("authorization", `Basic ${btoa(pair)}`);
    }
    await fetch(endpoint, { method: "POST", headers, body });
  }
  return true;
}
