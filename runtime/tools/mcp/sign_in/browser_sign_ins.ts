// Signs a person in to a remote MCP server through the browser that shows the page, and continues the runs that wait for it.
import { RuntimeError, type RuntimeErrorCode } from "../../../../base/errors.ts";
import type { JsonObject } from "../../../../base/json.ts";
import { sha256Of } from "../../../../base/sha256.ts";
import { MINUTE_MS } from "../../../../base/time_units.ts";
import type { SqlAudit } from "../../../audit/audit.ts";
import { describeLocalSignIns } from "../../../config/database_settings.ts";
import type { Context } from "../../../config/context.ts";
import type {
  BegunSignIn,
  CompletedSignIn,
  ServerSignIn,
  SignIns,
} from "./browser_sign_in_types.ts";
import type { CredentialStore } from "./credentials.ts";
import { clientMetadata } from "./client_authentication.ts";
import { isSafeAddress } from "./guarded_fetch.ts";
import { findSignInServer, readSignInServers } from "./sign_in_servers.ts";
import { type StartedSignIn, startSignIn } from "./sign_in.ts";
import { isSignInError } from "./sign_in_needed.ts";
import type { Caller } from "../../../vocabulary/callers.ts";
import { SIGN_IN_PATHS } from "../../../vocabulary/sign_in_paths.ts";
import { SIGN_IN } from "../../../vocabulary/tool_vocabulary.ts";

const LIFE_MS = 10 * MINUTE_MS;
/** The maximum number of open sign-ins; one more ends the oldest. */
const MOST_BEGUN = 16;

/** Error: the sign-in cannot begin or complete. The message contains the reason. */
export class SignInRefused extends RuntimeError {
  override readonly code: RuntimeErrorCode = "conflict";
}

interface OpenSignIn {
  server: string;
  until: number;
  /** The digest of the browser's secret. The comparison of digests reveals nothing about the secret. */
  proofHash: string;
  finish: StartedSignIn["finish"];
  /** The person who began. */
  by: Caller | undefined;
}

/** The parts of the runtime that sign-ins need. */
export interface SignInPorts extends Pick<Context, "settings" | "clock" | "log"> {
  openCredentials(): Promise<CredentialStore>;
  history: {
    /** Returns the open questions of all runs. */
    openRequests(): Promise<
      readonly { executionId: number; requestId: string; toolName: string; toolArgs: JsonObject }[]
    >;
  };
  runtime: {
    respond(
      executionId: number,
      response: { requestId: string; answer: { approved: boolean }; by: Caller },
    ): Promise<unknown>;
    audit: Pick<SqlAudit, "record">;
  };
}

/** The sign-ins of one service. */
export class BrowserSignIns implements SignIns {
  readonly #ports: SignInPorts;
  readonly #open = new Map<string, OpenSignIn>();

  constructor(ports: SignInPorts) {
    this.#ports = ports;
  }

  async list(): Promise<ServerSignIn[]> {
    const credentials = await this.#ports.openCredentials();
    let servers: ReturnType<typeof readSignInServers>;
    try {
      servers = readSignInServers(this.#ports.settings);
    } catch (error) {
      // The agents that name a server report the invalid file.
      if (!isSignInError(error)) throw error;
      return [];
    }
    const listed = await Promise.all([...servers].map(async ([server, found]) => {
      if ("problem" in found || found.oauth.grant === "client_credentials") return [];
      const stored = await credentials.read(server).catch((error) => {
        // This machine cannot decrypt the stored sign-in, so runs cannot use it, either.
        if (!isSignInError(error)) throw error;
        return { url: found.url, tokens: undefined };
      });
      const isKnown = stored?.url === found.url;
      // A header of the entry may contain a key, so that the server needs no sign-in.
      if (!isKnown && found.hasHeaders && !found.oauth.isDeclared) return [];
      const state: ServerSignIn["state"] = isKnown ? (stored.tokens ? "done" : "needed") : "none";
      return [{ server, state }];
    }));
    return listed.flat();
  }

  async begin(server: string, page: string, by?: Caller): Promise<BegunSignIn> {
    const { settings, clock, openCredentials } = this.#ports;
    const { publicUrl } = settings.config;
    const base = page.replace(/\/+$/, "");
    const url = URL.parse(base);
    const isLoopback = url?.protocol === "http:" && isSafeAddress(url);
    if (base !== publicUrl && !isLoopback) {
      throw new SignInRefused(
        "The page was opened at an address to which no authorization server returns. Open it at " +
          `${publicUrl ?? "127.0.0.1 (inkling ui)"}, or run: inkling mcp login ${server}`,
      );
    }
    const started = await refused(`begin the sign-in to ${JSON.stringify(server)}`, async () => {
      const { url, oauth } = findSignInServer(server, settings);
      const former = await (await openCredentials()).read(server);
      const documentUrl = base === publicUrl ? this.#documentUrl : undefined;
      const request = { server, url, oauth, former, documentUrl, clock };
      return await startSignIn(request, base + SIGN_IN_PATHS.callback);
    });
    const { state, address, finish } = started;
    const proof = crypto.getRandomValues(new Uint8Array(32)).toHex();
    const until = clock.now() + LIFE_MS;
    for (const [one, { until }] of this.#open) {
      if (until <= clock.now() || this.#open.size >= MOST_BEGUN) this.#open.delete(one);
    }
    this.#open.set(state, { server, by, until, proofHash: await sha256Of(proof), finish });
    return { address: address.href, state, proof, lifeMs: LIFE_MS };
  }

  async finish(answer: URLSearchParams, proofs: readonly string[]): Promise<CompletedSignIn> {
    const hashes = await Promise.all(proofs.map((proof) => sha256Of(proof)));
    const state = answer.get("state") ?? "";
    const found = this.#open.get(state);
    const { settings, clock, log, openCredentials } = this.#ports;
    if (found === undefined || found.until <= clock.now()) {
      throw new SignInRefused(
        "This sign-in is over: it is complete, or it took longer than 10 minutes, or the service has restarted since",
        { remedy: "If you are not signed in, begin again on the page" },
      );
    }
    const { server, proofHash, finish } = found;
    if (!hashes.includes(proofHash)) {
      throw new SignInRefused("Another browser began this sign-in, so nothing was stored", {
        remedy: "If you began it yourself, complete it in the same browser, or begin again",
      });
    }
    // From here on the state is used, also if the sign-in fails.
    this.#open.delete(state);
    const { issuer } = await refused(`sign in to ${JSON.stringify(server)}`, async () => {
      const received = await finish(answer);
      await (await openCredentials()).change(server, (_former, save) => save(received));
      return received;
    });
    log.write("info", "A person signed in to an MCP server", { server, issuer });
    await this.#ports.runtime.audit.record("sign_in_server", found.by, { detail: { server } });
    const continuedRuns = await this.#continueRuns(server, found.by ?? { via: "page" });
    return { server, issuer, continuedRuns, limit: describeLocalSignIns(settings)?.problem };
  }

  clientDocument(): Record<string, unknown> | undefined {
    const client_id = this.#documentUrl;
    if (client_id === undefined) return undefined;
    const redirectUrl = this.#ports.settings.config.publicUrl + SIGN_IN_PATHS.callback;
    const oauth = { isDeclared: false, grant: "authorization_code" } as const;
    return { client_id, ...clientMetadata(oauth, redirectUrl) };
  }

  get #documentUrl(): string | undefined {
    const { publicUrl } = this.#ports.settings.config;
    return publicUrl?.startsWith("https:") ? publicUrl + SIGN_IN_PATHS.client : undefined;
  }

  /** Continues the runs that wait for the sign-in. Returns their number. */
  async #continueRuns(server: string, by: Caller): Promise<number> {
    const { history, runtime } = this.#ports;
    const asked = (await history.openRequests()).filter(({ toolName, toolArgs }) =>
      toolName === SIGN_IN && toolArgs["server"] === server
    );
    const [first] = asked;
    if (first === undefined) return 0;
    const { executionId, requestId } = first;
    try {
      // The answer counts for all runs that wait for the same sign-in.
      const answer = { approved: true };
      await runtime.respond(executionId, { requestId, answer, by });
    } catch (error) {
      // A person answered the question, or its execution was cancelled meanwhile.
      if (!(error instanceof RuntimeError && error.code === "conflict")) throw error;
    }
    return asked.length;
  }
}

/** Runs `work`. Throws SignInRefused instead of the error of a sign-in. */
async function refused<T>(aim: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isSignInError(error)) throw error;
    throw new SignInRefused(`Inkling cannot ${aim}: ${error.message}`, { cause: error });
  }
}
