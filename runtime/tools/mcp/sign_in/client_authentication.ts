// Provides the client that an entry declares, and its proof: a secret or a private key.
import { createPrivateKeyJwtAuth } from "@modelcontextprotocol/client";
import type { AddClientAuthentication, OAuthClientMetadata } from "@modelcontextprotocol/client";
import { createPrivateKey } from "node:crypto";
import type { ServerOAuth } from "../servers_file/declared_oauth.ts";
import { SignInFailure } from "./sign_in_needed.ts";

/** The lifetime of a signed assertion. It is valid even if this machine's clock is five minutes late. */
const ASSERTION_SECONDS = 600;
const CURVES: Readonly<Record<string, string>> = {
  "P-256": "ES256",
  "P-384": "ES384",
  "P-521": "ES512",
  Ed25519: "EdDSA",
};

/** Returns the metadata with which Inkling registers. */
export function clientMetadata(oauth: ServerOAuth, redirectUrl?: string): OAuthClientMetadata {
  return {
    client_name: "Inkling",
    redirect_uris: redirectUrl === undefined ? [] : [redirectUrl],
    grant_types: redirectUrl === undefined
      ? ["client_credentials"]
      : ["authorization_code", "refresh_token"],
    response_types: redirectUrl === undefined ? [] : ["code"],
    ...(oauth.client_id === undefined && { token_endpoint_auth_method: "none" }),
    ...(oauth.scopes !== undefined && { scope: oauth.scopes.join(" ") }),
  };
}

/** Returns the client that the entry declares, or undefined if Inkling must register. */
export function declaredClient(
  { client_id, clientSecret }: ServerOAuth,
  issuer: string,
): { client_id: string; client_secret?: string; issuer: string } | undefined {
  return client_id === undefined ? undefined : {
    client_id,
    ...(clientSecret !== undefined && { client_secret: clientSecret }),
    issuer,
  };
}

/**
 * Returns an object with the function that signs the requests of a client with a private key. The object is empty for
 * other clients. Throws SignInFailure if the key is not valid.
 */
export function keyAuthentication(
  { client_id: clientId = "", privateKey }: ServerOAuth,
): { addClientAuthentication?: AddClientAuthentication } {
  if (privateKey === undefined) return {};
  let jwk: Record<string, unknown>;
  try {
    const key = privateKey.trimStart().startsWith("{")
      ? createPrivateKey({ key: JSON.parse(privateKey), format: "jwk" })
      : createPrivateKey(privateKey);
    jwk = { ...key.export({ format: "jwk" }) };
  } catch {
    // The error is dropped, because its message could contain a part of the key.
    throw new SignInFailure("oauth.private_key_env contains no private key in PEM or JWK notation");
  }
  const alg = jwk["kty"] === "RSA" ? "RS256" : CURVES[String(jwk["crv"])];
  if (alg === undefined) {
    throw new SignInFailure("oauth.private_key_env has an unknown kind of key");
  }
  return {
    addClientAuthentication: createPrivateKeyJwtAuth({
      issuer: clientId,
      subject: clientId,
      privateKey: jwk,
      alg,
      lifetimeSeconds: ASSERTION_SECONDS,
    }),
  };
}
