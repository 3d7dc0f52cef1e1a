// A workspace with the mail account `home`, which accepts only tokens of an authorization server.
import assert from "node:assert/strict";
import { signIn, signOut } from "../../../ops/install/server_sign_in.ts";
import type { MailAccounts } from "../../../runtime/mail/mail_accounts.ts";
import { MailError } from "../../../runtime/mail/mail_error.ts";
import { TokenSecrets } from "../../../runtime/tools/mcp/sign_in/token_secrets.ts";
import { signInNameOf } from "../../../runtime/vocabulary/sign_in_names.ts";
import { mailOpener } from "../../../runtime/wiring/open_mail.ts";
import { AuthorizationServer } from "../../support/machine/authorization_server.ts";
import { startImap, startSmtp, type TestImap } from "../../support/machine/mail_servers.ts";
import { TestClock } from "../../support/test_clock.ts";
import { createTestWorkspace, type TestWorkspace } from "../../support/test_workspace.ts";

/** Returns the MailError with which the work fails. */
export async function errorOf(work: Promise<unknown>): Promise<MailError> {
  const error = await work.then(() => assert.fail("it should fail"), (error) => error);
  assert.ok(error instanceof MailError, Deno.inspect(error));
  return error;
}

/** The world of these tests. */
export class OAuthWorld implements AsyncDisposable {
  readonly clock: TestClock = new TestClock(Date.now());
  readonly secrets: TokenSecrets = new TokenSecrets();
  readonly #stack = new AsyncDisposableStack();

  private constructor(
    readonly auth: AuthorizationServer,
    readonly imap: TestImap,
    readonly smtp: Awaited<ReturnType<typeof startSmtp>>,
    readonly place: TestWorkspace,
  ) {
    for (const one of [auth, imap, smtp, place]) this.#stack.use(one);
    auth.now = () => this.clock.now();
  }

  /** Starts the servers. `oauth` are further lines of the account's `oauth`. */
  static async create(oauth = "", database: Record<string, string> = {}): Promise<OAuthWorld> {
    const auth = new AuthorizationServer();
    auth.clients.set("inkling", { secret: "client-secret" });
    const isValid = (token: string) =>
      (auth.accessTokens.get(token) ?? 0) > auth.now() && !auth.revoked.includes(token);
    const own = auth.intercept;
    auth.intercept = (request) => {
      if (request.path !== "/introspect") return own(request);
      const active = isValid(request.body.get("token") ?? "");
      return Response.json(active ? { active, username: "ann" } : { active });
    };
    const imap = await startImap({ introspection: `${auth.issuer}/introspect` });
    const smtp = await startSmtp({ accepts: isValid });
    const place = await createTestWorkspace({
      shell: { CLIENT_SECRET: "client-secret", ...database },
    });
    await place.configure(`mail:
  home:
    address: ann@example.com
    imap: 127.0.0.1:${imap.port}
    smtp: 127.0.0.1:${smtp.port}
    user: ann
    tls: false
    auth_server: mx.example.com
    oauth:
      issuer: ${auth.issuer}
      client_id: inkling
      client_secret_env: CLIENT_SECRET
      scopes: [mail]
${oauth}`);
    return new OAuthWorld(auth, imap, smtp, place);
  }

  /** Signs in as a person does. Returns the address that the browser opened. */
  async signIn(change: (answer: URL) => void = () => {}): Promise<URL> {
    let opened = "";
    await signIn(signInNameOf("home"), {
      open: async (address) => {
        opened = address;
        const answer = new URL(await this.auth.consent(address));
        change(answer);
        await (await fetch(answer)).body?.cancel();
      },
    }, { ...await this.#options(), signal: new AbortController().signal });
    return new URL(opened);
  }

  async signOut(): ReturnType<typeof signOut> {
    return await signOut(signInNameOf("home"), await this.#options());
  }

  /** Returns the accounts as a process that starts now sees them. */
  async accounts(): Promise<MailAccounts> {
    const options = await this.#options();
    const resources = this.#stack.use(new AsyncDisposableStack());
    return await mailOpener({ ...options, tokenSecrets: this.secrets, resources })();
  }

  /** Asserts that a text contains no token, as it is or in base64. */
  assertNoToken(text: string): void {
    for (const secret of this.auth.secrets) {
      for (const user of ["ann", "ann@example.com"]) {
        const sasl = btoa(`user=${user}\x01auth=Bearer ${secret}\x01\x01`);
        assert.ok(!text.includes(sasl), "the text contains a token in base64");
      }
      assert.ok(!text.includes(secret), "the text contains a token");
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }

  async #options() {
    return { settings: await this.place.settings(), clock: this.clock };
  }
}
