// The operations behind `inkling mcp login`, `inkling mail login` and their `logout`: a person's sign-in to a remote MCP
// server or a mail account. The service finds the stored tokens when a connection needs them.
import { untilAborted } from "../../base/bounded_wait.ts";
import { RuntimeError } from "../../base/errors.ts";
import { lazyModule } from "../../base/lazy_module.ts";
import type { Context } from "../../runtime/config/context.ts";
import { describeLocalSignIns } from "../../runtime/config/database_settings.ts";
import type { CredentialStore } from "../../runtime/tools/mcp/sign_in/credentials.ts";
import {
  describeSignInNeeded,
  isSignInError,
} from "../../runtime/tools/mcp/sign_in/sign_in_needed.ts";
import {
  findSignInServer,
  type SignInServer,
  UnknownSignIn,
} from "../../runtime/tools/mcp/sign_in/sign_in_servers.ts";
import { describePlace } from "../../runtime/vocabulary/sign_in_names.ts";
import { withCredentials } from "../../runtime/storage/open_credentials.ts";
import { Misnamed, NotInstalled } from "./not_installed.ts";
import { listenForRedirect, pasteRedirect } from "./redirect_listener.ts";

// These files load the client package.
const loadStart = lazyModule(() => import("../../runtime/tools/mcp/sign_in/sign_in.ts"));
const loadRevocation = lazyModule(() => import("../../runtime/tools/mcp/sign_in/revoke_tokens.ts"));

/** The workspace, and the clock for the ends of tokens. */
export type SignInOptions = Pick<Context, "settings" | "clock">;

/** The part of a sign-in that a person does. */
export interface SignInDialog {
  /** Shows the address to the person, and opens it in a browser. */
  open(address: string): Promise<void>;
  /** Asks for the address to which the browser was redirected. Undefined: this machine receives the answer. */
  paste?: (() => Promise<string>) | undefined;
}

/** The result of signOut(). */
export interface SignedOut {
  /** False if nothing was stored for the server. */
  wasSignedIn: boolean;
  /** The reason why the tokens may still be valid, as a clause. Undefined if they were revoked. */
  unrevoked: string | undefined;
}

/** The result of signIn(). */
export interface SignedIn {
  /** The authorization server's identifier. */
  issuer: string;
  /** The reason why other nodes do not have the sign-in, and the remedy. Undefined if they have it, or if there are none. */
  localOnly: { problem: string; remedy: string } | undefined;
}

/** Signs a person in to a server and stores the tokens. Throws NotInstalled, or rethrows the signal's reason. */
export async function signIn(
  name: string,
  dialog: SignInDialog,
  { settings, clock, signal }: SignInOptions & { signal: AbortSignal },
): Promise<SignedIn> {
  const { startSignIn } = await loadStart();
  const work = async (store: CredentialStore) => {
    const { url, oauth, given } = findSignInServer(name, settings);
    const former = await store.read(name);
    const formerPort = former?.url === url && URL.parse(former.redirectUrl ?? "")?.port || "0";
    const port = oauth.redirect_port ?? Number(formerPort);
    const { paste } = dialog;
    const mustHave = oauth.redirect_port !== undefined;
    await using redirect = paste === undefined
      ? listenForRedirect({ port, mustHave })
      : pasteRedirect({ port, paste });
    const started = await startSignIn(
      { server: name, url, oauth, given, former, clock, signal },
      redirect.url,
    );
    redirect.expect(started.state);
    await dialog.open(started.address.href);
    const answer = await untilAborted(redirect.answer(), signal);
    const credentials = await started.finish(answer);
    await store.change(name, (_before, save) => save(credentials));
    return { issuer: credentials.issuer, localOnly: describeLocalSignIns(settings) };
  };
  try {
    return await withCredentials({ settings, clock }, work);
  } catch (error) {
    if (!isSignInError(error)) throw error;
    const place = describePlace(name, JSON.stringify(name));
    const message = `The sign-in to ${place} failed: ${error.message}`;
    throw new (error instanceof UnknownSignIn ? Misnamed : NotInstalled)(message, { cause: error });
  }
}

/**
 * Revokes the tokens of a server if possible, and removes them in any case. The server need not be in mcp-servers.json.
 */
export async function signOut(
  name: string,
  { settings, clock, signal }: SignInOptions & { signal?: AbortSignal },
): Promise<SignedOut> {
  let oauth: SignInServer["oauth"] = { isDeclared: false, grant: "authorization_code" };
  try {
    ({ oauth } = findSignInServer(name, settings));
  } catch (error) {
    if (!isSignInError(error)) throw error;
  }
  return await withCredentials({ settings, clock }, async (store) => {
    try {
      // A workspace without a sign-in gets no folder for tokens.
      if (await store.read(name) === undefined) return { wasSignedIn: false, unrevoked: undefined };
    } catch (error) {
      if (!isSignInError(error)) throw error;
      await store.forget(name);
      return { wasSignedIn: true, unrevoked: "this machine cannot decrypt them" };
    }
    return await store.change(name, async (credentials, save) => {
      await save(undefined);
      if (credentials?.tokens === undefined) return { wasSignedIn: true, unrevoked: undefined };
      const { revokeTokens } = await loadRevocation();
      try {
        const isRevoked = await revokeTokens(credentials, {
          oauth,
          clock,
          ...(signal && { signal }),
        });
        const unrevoked = isRevoked ? undefined : `${credentials.issuer} revokes no tokens`;
        return { wasSignedIn: true, unrevoked };
      } catch (error) {
        if (!isSignInError(error)) throw error;
        return { wasSignedIn: true, unrevoked: error.message };
      }
    });
  });
}

/** The stored sign-in to a server. */
export interface StoredSignIn {
  /** `needed` if the authorization server has refused to renew the tokens. Undefined if nobody has signed in. */
  state?: "done" | "needed";
  /** The clause to show below the server. */
  note?: string;
}

/** Reads the stored sign-in to a server. */
export async function readSignIn(name: string, options: SignInOptions): Promise<StoredSignIn> {
  try {
    const stored = await withCredentials(options, (store) => store.read(name));
    if (stored === undefined) return {};
    if (stored.tokens === undefined) return { state: "needed", note: describeSignInNeeded(name) };
    const local = describeLocalSignIns(options.settings);
    return { state: "done", ...(local && { note: local.problem }) };
  } catch (error) {
    if (!isSignInError(error) && !(error instanceof RuntimeError)) throw error;
    return { note: `cannot be used: ${error.message}` };
  }
}
