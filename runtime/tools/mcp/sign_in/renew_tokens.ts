// Renews the tokens of a server without a person. The file is loaded only when a token has to be renewed.
import { refreshAuthorization } from "@modelcontextprotocol/client";
import { declaredClient, keyAuthentication } from "./client_authentication.ts";
import type { Credentials } from "./credentials.ts";
import { createGuardedFetch } from "./guarded_fetch.ts";
import { signInClient, type SignInRequest } from "./sign_in.ts";
import { SignInFailure, SignInNeeded } from "./sign_in_needed.ts";

/** The error codes after which only another sign-in helps. */
const FINAL: readonly string[] = [
  "invalid_grant",
  "invalid_client",
  "unauthorized_client",
  "access_denied",
  "refused",
];

/**
 * Returns credentials with new tokens: by the refresh token, or by the entry's own client. Throws SignInNeeded if a person
 * must sign in, and SignInFailure if the renewal may succeed later.
 *
 * Decision: the refresh request is sent by itself (rejected: the client package's auth(), which registers and starts another
 * sign-in if the authorization server is unavailable, and prints its error texts).
 */
export async function renewTokens(request: SignInRequest): Promise<Credentials> {
  const { server, oauth, former, clock } = request;
  if (oauth.grant === "client_credentials") return await signInClient(request);
  const refreshToken = former?.tokens?.refresh_token;
  if (former === undefined || refreshToken === undefined) throw new SignInNeeded(server);
  const { issuer, client, discovery } = former;
  const { authorizationServerMetadata: metadata, resourceMetadata } = discovery;
  const guarded = await createGuardedFetch(request);
  try {
    const tokens = await refreshAuthorization(discovery.authorizationServerUrl, {
      ...(metadata !== undefined && { metadata }),
      clientInformation: declaredClient(oauth, issuer) ?? client,
      refreshToken,
      ...(resourceMetadata !== undefined && { resource: resourceMetadata.resource }),
      ...keyAuthentication(oauth),
      fetchFn: guarded.fetch,
    });
    const { scope = former.tokens?.scope } = tokens;
    return {
      ...former,
      tokens: { ...tokens, issuer, ...(scope !== undefined && { scope }) },
      receivedAt: clock.now(),
    };
  } catch (error) {
    if (error instanceof SignInFailure && FINAL.includes(error.code ?? "")) {
      throw new SignInNeeded(server, { cause: error });
    }
    if (error instanceof SignInFailure) throw error;
    throw new SignInFailure("the authorization server sent an answer that is not valid", {
      cause: error,
    });
  }
}
