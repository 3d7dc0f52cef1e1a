// Signs people in with OpenID Connect: the browser's way to the provider and back, the roles of groups, the sessions, and
// the owners of access tokens for /mcp. Loaded at the first request that needs it.
import { RequestRefused } from "../../api/errors.ts";
import { nameSignInCookie, writeSignInCookie } from "../../api/operations/sign_in_cookie.ts";
import { MINUTE_MS } from "../../base/time_units.ts";
import type { Runtime } from "../../runtime/interface/runtime.ts";
import type { SignInSettings } from "../../runtime/config/sign_in_schema.ts";
import type { AnswerPlace, Caller } from "../../runtime/vocabulary/callers.ts";
import { toPersonCaller } from "../../runtime/vocabulary/persons.ts";
import { ROLE_NAMES } from "../../runtime/vocabulary/rights.ts";
import { OPENID_PATHS } from "../../runtime/vocabulary/sign_in_paths.ts";
import { returnPage, toVisibleHtml } from "../html/notice_page.ts";
import type { Logins } from "../login/logins.ts";
import { cookieValues, createSecret, createSecretMatch } from "../login/secret_text.ts";
import { withAddress } from "../middleware/caller.ts";
import { openSession } from "./openid_session.ts";
import {
  type BegunSignIn,
  classifyFailure,
  type Grant,
  type Identity,
  OpenIdProvider,
} from "./openid_provider.ts";
import { ownValue } from "../../base/json.ts";

/** The milliseconds that a person has to sign in at the provider. */
export const SIGN_IN_MS = 10 * MINUTE_MS;
/** The maximum number of sign-ins whose browser has not returned. One more ends the oldest. */
const MOST_BEGUN = 1_000;

/** The parts of the service that the sign-in uses. */
export interface OpenIdPorts {
  runtime: Pick<Runtime, "config" | "clock" | "log">;
  /** Returns the value of an environment variable. */
  lookup: (name: string) => string | undefined;
  startLogin: Logins["start"];
  /** Records a log-in, before its cookie is sent. */
  signedIn: (caller: Caller) => Promise<void>;
}

const REFUSAL = "no group of the person has a role, or the person was removed";

interface Waiting extends BegunSignIn {
  until: number;
  provider: OpenIdProvider;
  settings: SignInSettings;
  isProof: (text: string) => boolean;
}

/** The sign-in with the provider of config.yaml. */
export class OpenIdSignIn {
  readonly #ports: OpenIdPorts;
  /** The sign-ins whose browser has not returned, by `state`. */
  readonly #waiting = new Map<string, Waiting>();
  #provider: { key: string; client: OpenIdProvider } | undefined;

  constructor(ports: OpenIdPorts) {
    this.#ports = ports;
  }

  /** Sends the browser to the provider. */
  async begin(): Promise<Response> {
    const settings = this.#settings();
    const provider = this.#open(settings);
    let begun: BegunSignIn & { address: string };
    try {
      begun = await provider.begin(this.#publicUrl() + OPENID_PATHS.callback);
    } catch (error) {
      return await this.#failurePage(settings, error);
    }
    const proof = createSecret();
    const now = this.#ports.runtime.clock.now();
    for (const [state, { until }] of this.#waiting) {
      if (until <= now || this.#waiting.size >= MOST_BEGUN) this.#waiting.delete(state);
    }
    const { address, state } = begun;
    this.#waiting.set(state, {
      ...begun,
      ...{ provider, settings, isProof: createSecretMatch(proof), until: now + SIGN_IN_MS },
    });
    const cookie = writeSignInCookie({ state, proof, lifeMs: SIGN_IN_MS }, {
      isSecure: this.#isSecure(),
    });
    const headers = { location: address, "set-cookie": cookie, "cache-control": "no-store" };
    return new Response(null, { status: 302, headers });
  }

  /**
   * Responds to the browser that returns from the provider: starts a session, or explains why there is none. `address` is
   * the client's IP address.
   */
  async finish(
    { url, headers }: Request,
    address: string | null | undefined,
  ): Promise<Response> {
    const { search, searchParams } = new URL(url);
    const state = searchParams.get("state") ?? "";
    const waiting = this.#waiting.get(state);
    if (waiting === undefined || waiting.until <= this.#ports.runtime.clock.now()) {
      return await refusalPage(
        "This sign-in is unknown: it was used already, or it took longer than ten minutes.",
      );
    }
    if (!cookieValues(headers, nameSignInCookie(state)).some(waiting.isProof)) {
      return await refusalPage("This sign-in began in another browser.");
    }
    // Before the first wait, so that a second request with the same state finds nothing.
    this.#waiting.delete(state);
    const { provider, settings } = waiting;
    let grant: Grant;
    try {
      const returned = new URL(this.#publicUrl() + OPENID_PATHS.callback + search);
      grant = await provider.finish(returned, waiting);
    } catch (error) {
      return await this.#failurePage(settings, error);
    }
    const findOwner = openSession(grant, {
      provider,
      now: () => this.#ports.runtime.clock.now(),
      // A session ends if config.yaml names another provider.
      toCaller: (identity) =>
        this.#isCurrent(settings) ? this.#toCaller(identity, "page") : undefined,
    });
    const { log } = this.#ports.runtime;
    const name = nameOf(grant.identity, settings);
    const owner = await findOwner();
    if (owner === undefined) {
      log.write("warn", `A sign-in was refused: ${REFUSAL}`, { name });
      return await noAccessPage(name, settings);
    }
    await this.#ports.signedIn(withAddress(owner, address));
    log.write("info", "Signed in", { name: owner.name, role: owner.role });
    return await signedInPage(
      this.#ports.startLogin({
        findOwner,
        isSecure: this.#isSecure(),
        lifeMs: settings.sessionMs,
      }),
      writeSignInCookie({ state, proof: "", lifeMs: 0 }),
    );
  }

  /**
   * Returns a function that returns the owner of an access token for /mcp, as long as the owner has access. Returns undefined
   * for an invalid token. Throws RequestRefused.
   */
  async findTokenOwner(token: string): Promise<(() => Caller | undefined) | undefined> {
    const settings = this.#settings();
    let identity: Identity | undefined;
    try {
      identity = await this.#open(settings).readAccessToken(token, `${this.#publicUrl()}/mcp`);
    } catch (error) {
      this.#ports.runtime.log.write("warn", "An access token could not be checked", { error });
      throw new RequestRefused(503, `${hostOf(settings)}, which signs people in, does not respond`);
    }
    if (identity === undefined) return undefined;
    const owner = identity;
    const find = () => this.#isCurrent(settings) ? this.#toCaller(owner, "program") : undefined;
    if (find() !== undefined) return find;
    throw new RequestRefused(403, `No access: ${REFUSAL}: see sign_in.groups and people`);
  }

  /** Returns the sender of a person's requests, or undefined for a person without access. */
  #toCaller(identity: Identity, via: AnswerPlace): Caller | undefined {
    const settings = this.#settings();
    const owned = (identity.groups ?? []).flatMap((one) => ownValue(settings.groups, one) ?? []);
    const role = ROLE_NAMES.findLast((one) => owned.includes(one));
    if (role === undefined) return undefined;
    const { sub, mail: email } = identity;
    const way = { issuer: settings.issuer, sub, email };
    const caller = { via, name: nameOf(identity, settings), role };
    return toPersonCaller(this.#ports.runtime.config.people, caller, way);
  }

  #settings(): SignInSettings {
    const { signIn } = this.#ports.runtime.config;
    if (signIn === null) throw new RequestRefused(404, "Not Found");
    return signIn;
  }

  #isCurrent({ issuer, clientId }: SignInSettings): boolean {
    const { signIn } = this.#ports.runtime.config;
    return signIn?.issuer === issuer && signIn.clientId === clientId;
  }

  #publicUrl(): string {
    return this.#ports.runtime.config.publicUrl ?? "";
  }

  #isSecure(): boolean {
    return this.#publicUrl().startsWith("https:");
  }

  /** Returns the client of the provider. Creates another one after a change of config.yaml. */
  #open(settings: SignInSettings): OpenIdProvider {
    const variable = settings.clientSecretEnv;
    const secret = variable === undefined ? undefined : this.#ports.lookup(variable);
    if (variable !== undefined && !secret) {
      throw new RequestRefused(503, `Nobody can sign in: the variable ${variable} is not set`);
    }
    const key = JSON.stringify([settings, secret]);
    if (this.#provider?.key !== key) {
      this.#provider = { key, client: new OpenIdProvider(settings, secret) };
    }
    return this.#provider.client;
  }

  async #failurePage(settings: SignInSettings, error: unknown): Promise<Response> {
    const host = hostOf(settings);
    this.#ports.runtime.log.write("warn", "A sign-in failed", { host, error });
    switch (classifyFailure(error)) {
      case "refused":
        return await refusalPage(`${host} refused the sign-in.`);
      case "invalid":
        return await refusalPage(`The answer of ${host} is not valid.`);
      case "unreachable":
        return await refusalPage(`${host} does not respond. Try again in a moment.`, 502);
    }
  }
}

/**
 * Returns the name of somebody who is none of `people`. Some providers let people choose their `sub`, so the host follows
 * it: then it is never the name of a key or of a person.
 */
function nameOf({ mail, sub }: Identity, settings: SignInSettings): string {
  return mail ?? `${sub} (${hostOf(settings)})`;
}

function hostOf({ issuer }: SignInSettings): string {
  return new URL(issuer).host;
}

async function refusalPage(reason: string, status = 400): Promise<Response> {
  const again = `<a href=".${OPENID_PATHS.start}">Sign in again</a>`;
  const paragraphs = [toVisibleHtml(reason), again];
  return await returnPage({ heading: "You are not signed in", status, paragraphs });
}

async function noAccessPage(name: string, settings: SignInSettings): Promise<Response> {
  const paragraphs = [
    `You are <b>${toVisibleHtml(name)}</b> at ${
      toVisibleHtml(hostOf(settings))
    }, but none of your groups has a role here, or an admin has removed you.`,
    "An admin can give one of your groups a role under <code>sign_in.groups</code> in <code>config.yaml</code>.",
  ];
  return await returnPage({ heading: "You have no access", status: 403, paragraphs });
}

/**
 * Returns the page that opens the dashboard by itself. A redirect would not do, because it would be a part of the
 * provider's navigation, in which the browser omits the cookie of the log-in.
 */
async function signedInPage(...cookies: string[]): Promise<Response> {
  const script = 'location.replace("ui");';
  const paragraphs = ['<a href="ui">Open Inkling</a>'];
  const page = { heading: "You are signed in", status: 200, script, paragraphs };
  const response = await returnPage(page);
  for (const cookie of cookies) response.headers.append("set-cookie", cookie);
  return response;
}
