// Signs in to a remote MCP server with the client package's OAuth client: a person in two steps, before and after the
// browser, and a client without a person in one.
import {
  auth,
  IssuerMismatchError,
  OAuthClientFlowError,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { toPlainLine } from "../../../../base/text/plain_text.ts";
import type { Context } from "../../../config/context.ts";
import { clientMetadata, declaredClient, keyAuthentication } from "./client_authentication.ts";
import type { Credentials } from "./credentials.ts";
import { createGuardedFetch, isSafeAddress } from "./guarded_fetch.ts";
import { SignInFailure } from "./sign_in_needed.ts";
import type { SignInServer } from "./sign_in_servers.ts";

/** The server to sign in to. */
export interface SignInRequest
  extends Pick<SignInServer, "url" | "oauth" | "given">, Pick<Context, "clock"> {
  server: string;
  /** The stored credentials of this server. */
  former: Credentials | undefined;
  /** The address of the document that describes Inkling as a client, if there is one (client id metadata). */
  documentUrl?: string | undefined;
  signal?: AbortSignal;
}

/** A sign-in of a person. The browser opens `address`, and returns to the redirect address with the answer. */
export interface StartedSignIn {
  address: URL;
  /** The random value that the answer must repeat. */
  state: string;
  /** Completes the sign-in with the parameters of the redirect. Returns the credentials, which the caller stores. */
  finish(answer: URLSearchParams): Promise<Credentials>;
}

/**
 * Finds the authorization server, registers if necessary, and returns the address for the browser. Throws SignInFailure.
 */
export async function startSignIn(
  request: SignInRequest,
  redirectUrl: string,
): Promise<StartedSignIn> {
  if (request.oauth.grant === "client_credentials") {
    throw new SignInFailure("it needs no person: it signs in as the client of its entry");
  }
  const draft = await openDraft(request, redirectUrl);
  const address = await draft.authorize({});
  for (const [name, value] of Object.entries(request.given?.parameters ?? {})) {
    address?.searchParams.set(name, value);
  }
  if (address === undefined || !isSafeAddress(address)) {
    throw new SignInFailure(`it wants to open ${address?.protocol}//…, which is not https`);
  }
  return {
    address,
    state: draft.state,
    async finish(answer) {
      if (answer.get("state") !== draft.state) {
        throw new SignInFailure("the answer belongs to another sign-in: it has another `state`");
      }
      const code = answer.get("code");
      const iss = answer.get("iss");
      if (code === null) {
        const reason = toPlainLine(answer.get("error") ?? "it sent no code", 60);
        throw new SignInFailure(`the authorization server refused the sign-in: ${reason}`);
      }
      await draft.authorize({ authorizationCode: code, ...(iss !== null && { iss }) });
      return draft.credentials();
    },
  };
}

/** Gets a token for a client without a person (`client_credentials`). Throws SignInFailure. */
export async function signInClient(request: SignInRequest): Promise<Credentials> {
  const draft = await openDraft(request, undefined);
  await draft.authorize({});
  return draft.credentials();
}

/** Returns a sign-in that is not complete. Nothing of it is stored. */
async function openDraft(request: SignInRequest, redirectUrl: string | undefined) {
  const { server, url, oauth, given, former, documentUrl, clock } = request;
  const guarded = await createGuardedFetch(request);
  const state = crypto.getRandomValues(new Uint8Array(32)).toHex();
  const isRegistered = redirectUrl !== undefined && oauth.client_id === undefined &&
    former?.url === url && former.redirectUrl === redirectUrl;
  let client: StoredOAuthClientInformation | undefined = isRegistered ? former.client : undefined;
  let discovery: OAuthDiscoveryState | undefined = given &&
    { authorizationServerUrl: given.issuer };
  let tokens: StoredOAuthTokens | undefined;
  let verifier = "";
  let address: URL | undefined;
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: clientMetadata(oauth, redirectUrl),
    ...(documentUrl !== undefined && { clientMetadataUrl: documentUrl }),
    state: () => state,
    clientInformation: ({ issuer } = { issuer: "" }) => declaredClient(oauth, issuer) ?? client,
    saveClientInformation: (registered) => void (client = registered),
    tokens: () => tokens,
    saveTokens: (received) => void (tokens = received),
    redirectToAuthorization: (target) => void (address = target),
    saveCodeVerifier: (text) => void (verifier = text),
    codeVerifier: () => verifier,
    discoveryState: () => discovery,
    saveDiscoveryState(found) {
      if (guarded.refusal !== undefined) throw guarded.refusal;
      requireIssuer(found, request, redirectUrl);
      discovery = found;
    },
    ...(redirectUrl === undefined && {
      prepareTokenRequest: (scope?: string) =>
        new URLSearchParams({ grant_type: "client_credentials", ...(scope && { scope }) }),
    }),
    ...keyAuthentication(oauth),
  };
  return {
    state,
    /** Performs the next step. Returns the address for the browser, if the step needs one. */
    async authorize(
      answer: { authorizationCode?: string; iss?: string },
    ): Promise<URL | undefined> {
      const scope = oauth.scopes?.join(" ");
      try {
        await auth(provider, {
          serverUrl: url,
          fetchFn: (target, init) =>
            given !== undefined && isResourceMetadata(new URL(target))
              ? Promise.resolve(new Response(null, { status: 404 }))
              : guarded.fetch(target, init),
          // requireIssuer() checks it.
          skipIssuerMetadataValidation: given !== undefined,
          ...(scope && { scope }),
          ...answer,
        });
      } catch (error) {
        throw guarded.refusal ?? toSignInFailure(error);
      }
      if (given !== undefined && discovery?.authorizationServerMetadata === undefined) {
        throw new SignInFailure(`there is no authorization server at ${given.issuer}`);
      }
      return address;
    },
    credentials(): Credentials {
      const issuer = discovery && issuerOf(discovery);
      const own = declaredClient(oauth, issuer ?? "") ?? client;
      if (discovery === undefined || issuer === undefined || own === undefined) {
        throw new TypeError("The sign-in is not complete");
      }
      // A declared client is in the entry, so its secret is not stored again.
      const { client_secret: secret, ...plain } = own;
      return {
        server,
        url,
        issuer,
        client: oauth.client_id === undefined && secret !== undefined ? own : plain,
        discovery,
        ...(redirectUrl !== undefined && { redirectUrl }),
        ...(tokens !== undefined && { tokens }),
        receivedAt: clock.now(),
      };
    },
  };
}

/** Returns true for the document in which an MCP server names its authorization server. Mail servers have none. */
function isResourceMetadata({ pathname }: URL): boolean {
  return pathname.startsWith("/.well-known/oauth-protected-resource");
}

function issuerOf(discovery: OAuthDiscoveryState): string {
  return discovery.authorizationServerMetadata?.issuer ?? discovery.authorizationServerUrl;
}

/**
 * Throws SignInFailure if the server names another authorization server than its entry or the former sign-in, or one where
 * Inkling cannot register.
 */
function requireIssuer(
  found: OAuthDiscoveryState,
  { server, oauth, url, given, former, documentUrl }: SignInRequest,
  redirectUrl = "",
): void {
  const issuer = issuerOf(found);
  const isSame = (other: string) => other.replace(/\/$/, "") === issuer.replace(/\/$/, "");
  const shown = toPlainLine(issuer, 200);
  // Microsoft's document for all organizations names none of them.
  const names = given && [given.issuer, given.issuer.replace("/common/", "/{tenantid}/")];
  if (names?.some(isSame) === false) {
    throw new SignInFailure(`the authorization server at ${given?.issuer} names itself ${shown}`);
  }
  if (oauth.issuer !== undefined && !isSame(oauth.issuer)) {
    throw new SignInFailure(
      `it names the authorization server ${shown}, but oauth.issuer in its entry is ${oauth.issuer}`,
    );
  }
  if (former?.url === url && !isSame(former.issuer)) {
    throw new SignInFailure(
      `it names another authorization server than before: ${shown} instead of ${former.issuer}. ` +
        `If that is right, forget the former one: inkling mcp logout ${server}`,
    );
  }
  const { authorizationServerMetadata: metadata } = found;
  const isOpen = metadata === undefined || metadata.registration_endpoint !== undefined ||
    (documentUrl !== undefined && metadata.client_id_metadata_document_supported === true);
  if (oauth.client_id === undefined && !isOpen) {
    throw new SignInFailure(
      `clients cannot register at ${shown}: create a client there, with the redirect address ` +
        `${
          redirectUrl.replace(/(?<=^http:[/]{2}127.0.0.1):\d+/, "")
        }, and set oauth.client_id in the entry`,
    );
  }
}

function toSignInFailure(error: unknown): unknown {
  if (error instanceof SignInFailure || !(error instanceof Error)) return error;
  // A message about the answer could contain texts of an attacker.
  const isAnswer = error instanceof IssuerMismatchError && error.kind === "authorization_response";
  const message = isAnswer
    ? "the answer names another authorization server than the one that was asked"
    : error instanceof OAuthClientFlowError || error.constructor === Error
    ? toPlainLine(error.message, 300)
    : "the authorization server sent an answer that is not valid";
  return new SignInFailure(message, { cause: error });
}
