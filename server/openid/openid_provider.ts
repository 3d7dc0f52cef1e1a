// Talks with an OpenID provider: discovery, the authorization code with PKCE, the renewal of a session, and the access
// tokens of clients of /mcp. Loaded at the first request that needs it.
import { createRemoteJWKSet, errors, jwtVerify } from "jose";
import * as openid from "openid-client";
import type { SignInSettings } from "../../runtime/config/sign_in_schema.ts";

/** The seconds after which a request to the provider fails. */
const TIMEOUT_S = 10;

/** A person as the provider describes it. */
export interface Identity {
  /** The id of the person at the provider. */
  sub: string;
  /** The mail address in lower case, if the provider has verified it. */
  mail?: string;
  /** Undefined if the provider did not send the claim with the groups. */
  groups: readonly string[] | undefined;
}

/** A signed-in person, with the tokens that show later that the person still has access. */
export interface Grant {
  identity: Identity;
  accessToken: string;
  refreshToken: string | undefined;
  /** True if the groups are in the ID token, so that a request for the person's data may not contain them. */
  isInToken: boolean;
}

/** The secrets of one sign-in until the browser returns. */
export interface BegunSignIn {
  state: string;
  nonce: string;
  verifier: string;
}

/** The kinds of failed requests to a provider. */
export type ProviderFailure = "refused" | "invalid" | "unreachable";

/**
 * Returns `refused` if the provider answered with a refusal, `invalid` if its answer breaks the protocol, and `unreachable`
 * if there was no answer, or only an error of the server. Releases an answer that was not read.
 */
export function classifyFailure(error: unknown): ProviderFailure {
  if (error instanceof openid.AuthorizationResponseError) return "refused";
  if (error instanceof openid.WWWAuthenticateChallengeError) return "refused";
  if (error instanceof openid.ResponseBodyError) return classifyStatus(error.status);
  if (!(error instanceof openid.ClientError)) return "unreachable";
  if (error.cause instanceof Response) {
    // Ignore the error of a body that is read already.
    error.cause.body?.cancel().catch(() => {});
    return classifyStatus(error.cause.status);
  }
  return error.code === "OAUTH_TIMEOUT" || error.code === "OAUTH_PARSE_ERROR"
    ? "unreachable"
    : "invalid";
}

function classifyStatus(status: number): ProviderFailure {
  return status >= 400 && status < 500 && status !== 429 ? "refused" : "unreachable";
}

/** Error: the provider answered a renewal for another person. */
class OtherPerson extends openid.ClientError {}

/** The client of one provider. */
export class OpenIdProvider {
  readonly #settings: SignInSettings;
  readonly #secret: string | undefined;
  #found: Promise<openid.Configuration> | undefined;
  #keys: ReturnType<typeof createRemoteJWKSet> | undefined;

  constructor(settings: SignInSettings, secret: string | undefined) {
    this.#settings = settings;
    this.#secret = secret;
  }

  /** Returns the address that the browser opens, and the secrets that finish() needs. */
  async begin(redirectUrl: string): Promise<BegunSignIn & { address: string }> {
    const configuration = await this.#configuration();
    const { scopes_supported: known = [] } = configuration.serverMetadata();
    const verifier = openid.randomPKCECodeVerifier();
    const state = openid.randomState();
    const nonce = openid.randomNonce();
    const { href } = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUrl,
      scope: [
        "openid",
        "email",
        ...["groups", "offline_access"].filter((one) => known.includes(one)),
      ]
        .join(" "),
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      ...{ state, nonce },
    });
    return { address: href, state, nonce, verifier };
  }

  /** Exchanges the code in the address that the browser returned to. Checks `iss`, `state`, the ID token and its nonce. */
  async finish(returned: URL, { state, nonce, verifier }: BegunSignIn): Promise<Grant> {
    const configuration = await this.#configuration();
    const tokens = await openid.authorizationCodeGrant(configuration, returned, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
    const claims: Record<string, unknown> = tokens.claims() ?? {};
    const sub = String(claims["sub"]);
    const isInToken = claims[this.#settings.groupsClaim] !== undefined;
    const isWhole = isInToken && claims["email"] !== undefined;
    const more = isWhole ? {} : await this.#userInfo(configuration, tokens.access_token, sub);
    return {
      identity: this.#read({ ...more, ...claims, sub }),
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token,
      isInToken,
    };
  }

  /** Returns the grant with the person's groups of now. Throws if the provider refuses to renew it. */
  async renew(grant: Grant): Promise<Grant> {
    const configuration = await this.#configuration();
    const { identity: { sub }, refreshToken } = grant;
    if (refreshToken === undefined) {
      const { groups, ...identity } = this.#read({
        sub,
        ...await this.#userInfo(configuration, grant.accessToken, sub),
      });
      const kept = grant.isInToken ? groups ?? grant.identity.groups : groups;
      return { ...grant, identity: { ...identity, groups: kept } };
    }
    const tokens = await openid.refreshTokenGrant(configuration, refreshToken);
    const claims = tokens.claims();
    if (claims !== undefined && claims.sub !== sub) throw new OtherPerson("another sub");
    const isWhole = claims?.[this.#settings.groupsClaim] !== undefined;
    const more = isWhole ? {} : await this.#userInfo(configuration, tokens.access_token, sub);
    return {
      ...grant,
      identity: this.#read({ ...more, ...claims, sub }),
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token ?? refreshToken,
    };
  }

  /** Returns the owner of an access token for the resource, or undefined if the token is not valid for it. */
  async readAccessToken(token: string, resource: string): Promise<Identity | undefined> {
    const { issuer, jwks_uri: keys } = (await this.#configuration()).serverMetadata();
    if (keys === undefined) return undefined;
    this.#keys ??= createRemoteJWKSet(new URL(keys), { timeoutDuration: TIMEOUT_S * 1_000 });
    try {
      const { payload } = await jwtVerify(token, this.#keys, {
        issuer,
        audience: resource,
        requiredClaims: ["exp", "sub"],
      });
      return this.#read(payload);
    } catch (error) {
      if (!(error instanceof errors.JOSEError) || error instanceof errors.JWKSTimeout) throw error;
      return undefined;
    }
  }

  #configuration(): Promise<openid.Configuration> {
    return this.#found ??= this.#discover().catch((error) => {
      this.#found = undefined;
      throw error;
    });
  }

  async #discover(): Promise<openid.Configuration> {
    const { issuer, clientId } = this.#settings;
    return await openid.discovery(new URL(issuer), clientId, {}, this.#authenticate, {
      timeout: TIMEOUT_S,
      // config.yaml accepts http only for this machine.
      ...(issuer.startsWith("http:") && { execute: [openid.allowInsecureRequests] }),
    });
  }

  /** Adds the client's secret to a request in the way that the provider supports. */
  #authenticate: openid.ClientAuth = (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const authenticate = this.#secret === undefined
      ? openid.None()
      : methods.includes("client_secret_basic")
      ? openid.ClientSecretBasic(this.#secret)
      : openid.ClientSecretPost(this.#secret);
    authenticate(server, ...rest);
  };

  async #userInfo(
    configuration: openid.Configuration,
    accessToken: string,
    sub: string,
  ): Promise<Record<string, unknown>> {
    if (configuration.serverMetadata().userinfo_endpoint === undefined) return {};
    return await openid.fetchUserInfo(configuration, accessToken, sub);
  }

  /** Reads a person's claims. A display name is never part of the identity, because people choose it themselves. */
  #read(claims: Record<string, unknown>): Identity {
    const { sub, email, email_verified: isVerified } = claims;
    const groups = claims[this.#settings.groupsClaim];
    return {
      sub: String(sub),
      ...(isVerified === true && typeof email === "string" && { mail: email.toLowerCase() }),
      groups: groups === undefined
        ? undefined
        : [groups].flat().filter((one) => typeof one === "string"),
    };
  }
}
