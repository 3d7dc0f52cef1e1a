// An OAuth 2.1 authorization server on a port of this machine, with a switch for each failure. It protects a resource, such
// as an MCP server, and can act as the person in front of the browser.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHash, createPublicKey, verify } from "node:crypto";

/** A request that the server received, with its parameters. */
export interface OAuthRequest {
  path: string;
  body: URLSearchParams;
  headers: Headers;
}

interface Grant {
  clientId: string;
  redirectUri: string;
  challenge: string;
  resource: string;
}

const random = () => crypto.getRandomValues(new Uint8Array(24)).toHex();

/** A listening authorization server. */
export class AuthorizationServer implements AsyncDisposable {
  /** The lifetime of an access token in seconds. */
  lifetime: number | undefined = 3_600;
  /** Returns the time of this server, which may differ from the client's. */
  now: () => number = Date.now;
  /** Fields that replace those of the metadata. */
  metadata: Record<string, unknown> = {};
  /** The `iss` of the redirect. Default: the issuer. */
  iss: string | undefined;
  /** Returns a reply that replaces the server's, or undefined. */
  intercept: (request: OAuthRequest) => Promise<Response | undefined> | Response | undefined = () =>
    undefined;
  /** True if each refresh replaces the refresh token. */
  rotates = true;
  /** The clients' secrets and public keys, by client id. */
  readonly clients = new Map<string, { secret?: string; publicKey?: JsonWebKey }>();
  readonly requests: OAuthRequest[] = [];
  /** The end of each access token. */
  readonly accessTokens = new Map<string, number>();
  readonly refreshTokens = new Set<string>();
  readonly revoked: string[] = [];
  /** Every secret value that this server has created. */
  readonly secrets: string[] = [];
  readonly #grants = new Map<string, Grant>();
  readonly #server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    (request) => this.#answer(request),
  );

  get issuer(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** Returns the requests to a path. */
  to(path: string): OAuthRequest[] {
    return this.requests.filter((one) => one.path === path);
  }

  /** Returns the reply to a request of a protected resource, or undefined if its token is valid. */
  guard(request: Request): Response | undefined {
    const { origin, pathname } = new URL(request.url);
    const resource = `${origin}/mcp`;
    if (pathname.startsWith("/.well-known/oauth-protected-resource")) {
      return Response.json({ resource, authorization_servers: [this.issuer] });
    }
    if (pathname !== "/mcp") return new Response("Not found", { status: 404 });
    const token = request.headers.get("authorization")?.replace(/^Bearer /, "") ?? "";
    if ((this.accessTokens.get(token) ?? 0) > this.now()) return undefined;
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
    return new Response("no", {
      status: 401,
      headers: { "www-authenticate": `Bearer resource_metadata="${metadata}"` },
    });
  }

  /** Does what a browser and a person do with the address of a sign-in. Returns the redirect address. */
  async consent(address: string): Promise<string> {
    const reply = await fetch(address, { redirect: "manual" });
    await reply.body?.cancel();
    assert.equal(reply.status, 302, `${reply.status}`);
    return reply.headers.get("location") ?? "";
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#server.shutdown();
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname: path, searchParams } = new URL(request.url);
    const text = await request.text();
    const isJson = request.headers.get("content-type") === "application/json";
    const body = isJson ? new URLSearchParams({ json: text }) : new URLSearchParams(text);
    const received = { path, body, headers: request.headers };
    this.requests.push(received);
    const instead = await this.intercept(received);
    if (instead !== undefined) return instead;
    switch (path) {
      case "/.well-known/oauth-authorization-server":
        return Response.json({
          issuer: this.issuer,
          authorization_endpoint: `${this.issuer}/authorize`,
          token_endpoint: `${this.issuer}/token`,
          registration_endpoint: `${this.issuer}/register`,
          revocation_endpoint: `${this.issuer}/revoke`,
          response_types_supported: ["code"],
          code_challenge_methods_supported: ["S256"],
          authorization_response_iss_parameter_supported: true,
          ...this.metadata,
        });
      case "/register": {
        const client_id = `client-${random()}`;
        this.clients.set(client_id, {});
        return Response.json({ ...JSON.parse(text), client_id }, { status: 201 });
      }
      case "/authorize":
        return this.#authorize(searchParams);
      case "/token":
        return this.#token(received);
      case "/revoke":
        this.revoked.push(body.get("token") ?? "");
        return new Response();
      default:
        return new Response("Not found", { status: 404 });
    }
  }

  #authorize(query: URLSearchParams): Response {
    const get = (name: string) => query.get(name) ?? "";
    assert.equal(get("response_type"), "code");
    assert.equal(get("code_challenge_method"), "S256");
    assert.ok(this.clients.has(get("client_id")), "an unknown client");
    const code = random();
    this.secrets.push(code);
    this.#grants.set(code, {
      clientId: get("client_id"),
      redirectUri: get("redirect_uri"),
      challenge: get("code_challenge"),
      resource: get("resource"),
    });
    const target = new URL(get("redirect_uri"));
    target.search = String(
      new URLSearchParams({ code, state: get("state"), iss: this.iss ?? this.issuer }),
    );
    return new Response(null, { status: 302, headers: { location: target.href } });
  }

  #token({ body, headers }: OAuthRequest): Response {
    const refuse = (error: string) => Response.json({ error }, { status: 400 });
    const grant = body.get("grant_type");
    if (grant === "refresh_token") {
      const token = body.get("refresh_token") ?? "";
      if (!this.refreshTokens.has(token)) return refuse("invalid_grant");
      if (this.rotates) this.refreshTokens.delete(token);
      return this.#issue(true);
    }
    if (grant === "client_credentials") {
      return this.#knows(body, headers) ? this.#issue(false) : refuse("invalid_client");
    }
    const found = this.#grants.get(body.get("code") ?? "");
    this.#grants.delete(body.get("code") ?? "");
    const challenge = createHash("sha256").update(body.get("code_verifier") ?? "")
      .digest("base64url");
    const isRight = found !== undefined && challenge === found.challenge &&
      body.get("redirect_uri") === found.redirectUri &&
      (body.get("resource") ?? "") === found.resource;
    return isRight ? this.#issue(true) : refuse("invalid_grant");
  }

  /** Checks a client's secret, or its signed assertion by this server's clock. */
  #knows(body: URLSearchParams, headers: Headers): boolean {
    const assertion = body.get("client_assertion");
    if (assertion !== null) {
      const [head = "", claims = "", signature = ""] = assertion.split(".");
      const { sub, aud, exp, iat } = JSON.parse(Buffer.from(claims, "base64url").toString());
      const { publicKey } = this.clients.get(sub) ?? {};
      const now = this.now() / 1_000;
      if (publicKey === undefined || aud !== this.issuer || exp < now || iat > now + 330) {
        return false;
      }
      const key = createPublicKey({ key: publicKey, format: "jwk" });
      const signed = Buffer.from(`${head}.${claims}`);
      const dsaEncoding = "ieee-p1363";
      return verify("sha256", signed, { key, dsaEncoding }, Buffer.from(signature, "base64url"));
    }
    const basic = headers.get("authorization")?.replace(/^Basic /, "") ?? "";
    const [id = "", secret] = atob(basic).split(":");
    return secret !== undefined && this.clients.get(id)?.secret === secret;
  }

  #issue(withRefresh: boolean): Response {
    const access = `access-${random()}`;
    const refresh = `refresh-${random()}`;
    this.secrets.push(access, refresh);
    this.accessTokens.set(access, this.now() + (this.lifetime ?? 3_600) * 1_000);
    const isNew = withRefresh && (this.rotates || this.refreshTokens.size === 0);
    if (isNew) this.refreshTokens.add(refresh);
    return Response.json({
      access_token: access,
      token_type: "Bearer",
      ...(this.lifetime !== undefined && { expires_in: this.lifetime }),
      ...(isNew && { refresh_token: refresh }),
    });
  }
}
