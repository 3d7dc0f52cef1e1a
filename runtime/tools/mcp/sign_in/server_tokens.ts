// Adds the token of a sign-in to the requests to one remote MCP server, and renews it: before its end, and once after the
// server refused it.
import { lazyModule } from "../../../../base/lazy_module.ts";
import type { Secret } from "../../../secrets/secret.ts";
import type { Context } from "../../../config/context.ts";
import type { ServerEndpoint } from "../servers_file/server_definition.ts";
import { type Credentials, type CredentialStore, lifetimeOf, secretsOf } from "./credentials.ts";
import { SignInFailure, SignInNeeded } from "./sign_in_needed.ts";

const loadRenewal = lazyModule(() => import("./renew_tokens.ts"));

/** The server that the tokens are for. It may expect a key in one of the `headers` of its entry instead of a token. */
type TokenServer = Required<Pick<ServerEndpoint, "url" | "headers" | "oauth">> & { name: string };

/** The tokens of one server. */
export class ServerTokens {
  readonly #server: TokenServer;
  readonly #credentials: CredentialStore;
  readonly #context: Pick<Context, "clock" | "log">;
  /** True while the server has answered without a token, and no token is stored. */
  #isOpen = false;
  /** The values that this server's messages must not contain. */
  secrets: readonly Secret[] = [];

  constructor(
    server: TokenServer,
    { credentials, ...context }: Pick<Context, "clock" | "log"> & { credentials: CredentialStore },
  ) {
    this.#server = server;
    this.#credentials = credentials;
    this.#context = context;
  }

  /**
   * Sends a request with `ask`, which adds the token. Renews the token and sends the request once more if the server refused
   * the token. Throws SignInNeeded or SignInFailure. Both mean that the server did not execute the request.
   */
  async send(ask: (token: string | undefined) => Promise<Response>): Promise<Response> {
    const token = await this.#current();
    const reply = await ask(token);
    if (reply.status === 403) await this.#requireScope(reply);
    if (reply.status !== 401) {
      this.#isOpen = token === undefined;
      return reply;
    }
    this.#isOpen = false;
    const isBearer = /^(bearer|dpop)\b/i.test(reply.headers.get("www-authenticate") ?? "");
    const { headers, oauth, name } = this.#server;
    const isDeclared = oauth.isDeclared || token !== undefined;
    if (Object.keys(headers).length > 0 && !isBearer && !isDeclared) return reply;
    await reply.body?.cancel();
    const stored = await this.#read();
    if (stored?.tokens === undefined && oauth.grant === "authorization_code") {
      throw new SignInNeeded(name);
    }
    const again = await ask(await this.#renew(token));
    if (again.status !== 401) return again;
    await again.body?.cancel();
    if (oauth.grant !== "client_credentials") throw new SignInNeeded(name);
    throw new SignInFailure("it refuses the token that its authorization server gave");
  }

  /** Returns a valid token, which is not `refused`. Throws SignInNeeded or SignInFailure. */
  async get(refused?: string): Promise<string> {
    const token = await this.#current();
    if (token === undefined) throw new SignInNeeded(this.#server.name);
    return token === refused ? await this.#renew(token) : token;
  }

  /** Returns a valid token. Returns undefined if the server may need none. */
  async #current(): Promise<string | undefined> {
    if (this.#isOpen) return undefined;
    const stored = await this.#read();
    const token = stored?.tokens?.access_token;
    const { oauth, name } = this.#server;
    if (stored === undefined || token === undefined) {
      if (oauth.grant === "client_credentials") return await this.#renew(undefined);
      // Without tokens, but with a former sign-in, the server would only refuse the request.
      if (stored !== undefined) throw new SignInNeeded(name);
      return undefined;
    }
    const { dueAt, endsAt } = lifetimeOf(stored);
    const { clock, log } = this.#context;
    if (clock.now() < dueAt) return token;
    const isRenewable = oauth.grant === "client_credentials" || stored.tokens?.refresh_token;
    // The server decides when a token without a refresh token ends.
    if (!isRenewable) return token;
    try {
      return await this.#renew(token);
    } catch (error) {
      if (!(error instanceof SignInFailure) || clock.now() >= endsAt) throw error;
      const message = `The token could not be renewed, and is valid for ${
        Math.floor((endsAt - clock.now()) / 1_000)
      } s: ${error.message}`;
      log.write("warn", message, { server: name });
      return token;
    }
  }

  /**
   * Returns another token than `used`. Many runs, processes and machines may call this at once: the first one sends the
   * request, and the others get its result.
   */
  async #renew(used: string | undefined): Promise<string> {
    const { name: server, url, oauth } = this.#server;
    const { clock } = this.#context;
    return await this.#credentials.change(server, async (stored, save) => {
      const former = this.#own(stored);
      const known = former?.tokens?.access_token;
      if (known !== undefined && known !== used) return known;
      const { renewTokens } = await loadRenewal();
      try {
        const renewed = await renewTokens({ server, url, oauth, former, clock });
        await save(renewed);
        this.secrets = secretsOf(renewed);
        return renewed.tokens?.access_token ?? "";
      } catch (error) {
        if (error instanceof SignInNeeded && former !== undefined) {
          const { tokens: _refused, ...rest } = former;
          await save(rest);
          // Another node has renewed the tokens after this one had lost its lease.
          const token = (await this.#read())?.tokens?.access_token;
          if (token !== undefined) return token;
        }
        throw error;
      }
    });
  }

  async #read(): Promise<Credentials | undefined> {
    return this.#own(await this.#credentials.read(this.#server.name));
  }

  /** Returns the credentials if they are for the URL of the entry. A changed entry needs another sign-in. */
  #own(stored: Credentials | undefined): Credentials | undefined {
    if (stored?.url !== this.#server.url) return undefined;
    this.secrets = secretsOf(stored);
    return stored;
  }

  /** Throws SignInFailure if the server refused a request because the token has too few scopes. */
  async #requireScope(reply: Response): Promise<void> {
    const challenge = reply.headers.get("www-authenticate") ?? "";
    if (!/\binsufficient_scope\b/.test(challenge)) return;
    const scope = /\bscope="([\w:/.\s-]{1,200})"/.exec(challenge)?.[1];
    await reply.body?.cancel();
    const wanted = scope === undefined ? "more scopes" : `the scope "${scope}"`;
    throw new SignInFailure(
      `it wants ${wanted}: add it to oauth.scopes in its entry, then: inkling mcp login ${this.#server.name}`,
    );
  }
}
