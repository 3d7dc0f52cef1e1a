// An OpenID provider on a port of this machine (the package oidc-provider), in front of which a person is always signed in.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";

/** A person at the provider. */
export interface ProvidedPerson {
  email?: string;
  email_verified?: boolean;
  name?: string;
  groups?: string[];
}

/** A listening provider. Each authorization request signs in the person `current`. */
export class TestProvider implements AsyncDisposable {
  readonly issuer: string;
  /** The people by `sub`. */
  readonly people = new Map<string, ProvidedPerson>();
  /** The `sub` of the person in front of the browser. */
  current = "";
  /** False if the provider issues no refresh tokens. */
  issuesRefreshTokens = true;
  /** The paths of the requests. */
  readonly requests: string[] = [];
  /** A status that replaces each answer. */
  brokenStatus: number | undefined;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Starts a provider that knows the client `inkling`. `inToken` puts the groups into ID tokens. */
  static async start(
    options: { callback: string; resource: string; secret: string; inToken?: boolean },
  ): Promise<TestProvider> {
    const server = createServer();
    const listening = Promise.withResolvers<void>();
    server.listen(0, "127.0.0.1", listening.resolve);
    await listening.promise;
    const made = new TestProvider(server);
    const provider = made.#configure(options);
    const respond = provider.callback();
    const handle = async (request: IncomingMessage, response: ServerResponse) => {
      made.requests.push(request.url ?? "");
      if (made.brokenStatus !== undefined) {
        response.writeHead(made.brokenStatus);
        response.end("broken");
        return;
      }
      if (!request.url?.startsWith("/interaction/")) return await respond(request, response);
      const result = { login: { accountId: made.current }, consent: {} };
      await provider.interactionFinished(request, response, result);
    };
    server.on("request", (request, response) => void handle(request, response));
    return made;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = Promise.withResolvers<void>();
    this.#server.close(() => closed.resolve());
    this.#server.closeAllConnections();
    await closed.promise;
  }

  #configure(
    { callback, resource, secret, inToken = false }: {
      callback: string;
      resource: string;
      secret: string;
      inToken?: boolean;
    },
  ): Provider {
    return new Provider(this.issuer, {
      clients: [{
        client_id: "inkling",
        client_secret: secret,
        application_type: "native",
        redirect_uris: [callback],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
      }],
      scopes: ["openid", "offline_access", "mcp"],
      claims: { openid: ["sub"], email: ["email", "email_verified"], groups: ["groups"] },
      conformIdTokenClaims: !inToken,
      cookies: { keys: ["a key of this test"] },
      features: {
        devInteractions: { enabled: false },
        registration: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: (_context: unknown, address: string) => ({
            scope: "mcp",
            audience: address,
            accessTokenFormat: "jwt",
          }),
        },
      },
      interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
      issueRefreshToken: () => this.issuesRefreshTokens,
      findAccount: (_context: unknown, sub: string) => {
        const person = this.people.get(sub);
        if (person === undefined) return undefined;
        return { accountId: sub, claims: () => ({ sub, ...person }) };
      },
      extraTokenClaims: (_context: unknown, { accountId }: { accountId?: string }) => ({
        ...this.people.get(accountId ?? ""),
      }),
      // deno-lint-ignore no-explicit-any -- the package has no types
      loadExistingGrant: async ({ oidc }: any) => {
        const { client, session } = oidc;
        const grant = new oidc.provider.Grant({
          clientId: client?.clientId,
          accountId: session?.accountId,
        });
        grant.addOIDCScope("openid email groups offline_access mcp");
        grant.addResourceScope(resource, "mcp");
        await grant.save();
        return grant;
      },
    });
  }
}
