// Stores the sign-ins to remote MCP servers in the database that several nodes share, encrypted with the key of the nodes.
// A lease in the database allows one change of a server's sign-in at a time.
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import { type Clock, NO_LONGER_NEEDED } from "../../base/clock.ts";
import { KeyedQueue } from "../../base/serial_queue.ts";
import { TOKEN_KEY_VARIABLE } from "../config/database_settings.ts";
import { type Database, StorageUnavailable } from "../database/database.ts";
import { NOW } from "../database/instances.ts";
import { get, run } from "../database/operation.ts";
import {
  type Credentials,
  type CredentialStore,
  parseCredentials,
  type SaveCredentials,
  secretsOf,
} from "../tools/mcp/sign_in/credentials.ts";
import { commandOf, SignInFailure } from "../tools/mcp/sign_in/sign_in_needed.ts";
import type { TokenSecrets } from "../tools/mcp/sign_in/token_secrets.ts";

/** The duration of a lease, which its holder renews. After the end of its process, the others wait for this time. */
const LEASE_MS = 10_000;
/** The time between two attempts to acquire a lease that another node holds. */
const POLL_MS = 100;
/** The attempts to store new tokens while the database is unavailable, one each second: the former ones may be invalid. */
const SAVE_ATTEMPTS = 300;
const NONCE_BYTES = 12;

/** A row of the table of settings. The issuer is not encrypted, but the encryption includes it. */
interface SealedCredentials {
  issuer: string;
  /** The nonce and the encrypted credentials, as base64. */
  sealed: string;
}

/** The options of SharedCredentials. */
export interface SharedCredentialsOptions {
  db: Database;
  /** The 32 bytes with which the nodes encrypt. */
  key: Uint8Array<ArrayBuffer>;
  clock: Clock;
  secrets: TokenSecrets;
}

/** The sign-ins in a shared PostgreSQL database. */
export class SharedCredentials implements CredentialStore {
  readonly #options: SharedCredentialsOptions;
  readonly #key: Promise<CryptoKey>;
  readonly #queue = new KeyedQueue();

  constructor(options: SharedCredentialsOptions) {
    this.#options = options;
    this.#key = crypto.subtle.importKey("raw", options.key, "AES-GCM", false, [
      "encrypt",
      "decrypt",
    ]);
  }

  async read(server: string): Promise<Credentials | undefined> {
    return await this.#open(server, await this.#select(server));
  }

  async change<T>(
    server: string,
    work: (current: Credentials | undefined, save: SaveCredentials) => Promise<T>,
  ): Promise<T> {
    return await this.#queue.run(server, async () => {
      await using _lease = await this.#lease(`sign_in ${server}`);
      const stored = await this.#select(server);
      const current = await this.#open(server, stored);
      return await work(current, (changed) => this.#save(server, stored, changed));
    });
  }

  async forget(server: string): Promise<void> {
    await this.#run("DELETE FROM settings WHERE key = ?", settingOf(server));
  }

  async #select(server: string): Promise<string | undefined> {
    const row = await this.#options.db.read(() =>
      get<{ value: string }>("SELECT value FROM settings WHERE key = ?", settingOf(server))
    );
    return row?.value;
  }

  /** Stores credentials. Credentials without tokens do not replace those that another node has stored meanwhile. */
  async #save(
    server: string,
    stored: string | undefined,
    credentials: Credentials | undefined,
  ): Promise<void> {
    if (credentials === undefined) return await this.forget(server);
    this.#options.secrets.add(secretsOf(credentials));
    const sealed = await this.#seal(server, credentials);
    if (credentials.tokens === undefined) {
      const sql = "UPDATE settings SET value = ? WHERE key = ? AND value = ?";
      await this.#run(sql, sealed, settingOf(server), stored ?? "");
      return;
    }
    const sql = "INSERT INTO settings (key, value) VALUES (?1, ?2) " +
      "ON CONFLICT (key) DO UPDATE SET value = ?2";
    for (let attempt = 1;; attempt++) {
      try {
        return void await this.#run(sql, settingOf(server), sealed);
      } catch (error) {
        if (!(error instanceof StorageUnavailable) || attempt === SAVE_ATTEMPTS) throw error;
      }
      await this.#options.clock.sleep(1_000);
    }
  }

  /** Waits for a lease and renews it until the dispose. */
  async #lease(name: string): Promise<AsyncDisposable> {
    const { clock } = this.#options;
    const holder = crypto.randomUUID();
    const acquire = async () =>
      await this.#run(
        `INSERT INTO leases (name, instance_id, until) VALUES (?1, ?2, ${NOW} + ${LEASE_MS}) ` +
          "ON CONFLICT (name) DO UPDATE SET instance_id = ?2, until = excluded.until " +
          `WHERE leases.instance_id = ?2 OR leases.until < ${NOW}`,
        name,
        holder,
      ) === 1;
    while (!await acquire()) await clock.sleep(POLL_MS);
    const over = new AbortController();
    const renew = async () => {
      while (await sleepUnlessAborted(clock, LEASE_MS / 3, over.signal)) {
        // Without the database, no other node can acquire the lease either.
        await acquire().catch(ignoreOutage);
      }
    };
    const renewing = renew();
    return {
      [Symbol.asyncDispose]: async () => {
        over.abort(NO_LONGER_NEEDED);
        await renewing;
        const sql = "DELETE FROM leases WHERE name = ? AND instance_id = ?";
        await this.#run(sql, name, holder).catch(ignoreOutage);
      },
    };
  }

  #run(sql: string, ...values: string[]): Promise<number> {
    return this.#options.db.change("power", () => run(sql, ...values));
  }

  async #seal(server: string, credentials: Credentials): Promise<string> {
    const { issuer } = credentials;
    const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const text = new TextEncoder().encode(JSON.stringify(credentials));
    const encrypted = await crypto.subtle.encrypt(
      cipherOf(nonce, { server, issuer }),
      await this.#key,
      text,
    );
    const sealed = new Uint8Array([...nonce, ...new Uint8Array(encrypted)]).toBase64();
    return JSON.stringify({ issuer, sealed } satisfies SealedCredentials);
  }

  async #open(server: string, stored: string | undefined): Promise<Credentials | undefined> {
    if (stored === undefined) return undefined;
    let text: ArrayBuffer;
    try {
      const { issuer, sealed } = JSON.parse(stored) as SealedCredentials;
      const bytes = Uint8Array.fromBase64(sealed);
      text = await crypto.subtle.decrypt(
        cipherOf(bytes.subarray(0, NONCE_BYTES), { server, issuer }),
        await this.#key,
        bytes.subarray(NONCE_BYTES),
      );
    } catch (cause) {
      throw new SignInFailure(
        `its sign-in in the database was not encrypted with the ${TOKEN_KEY_VARIABLE} of this machine: ` +
          `give every node the same key, or forget the sign-in: ${commandOf("logout", server)}`,
        { cause },
      );
    }
    const credentials = parseCredentials(new TextDecoder().decode(text));
    if (credentials !== undefined) this.#options.secrets.add(secretsOf(credentials));
    return credentials;
  }
}

function settingOf(server: string): string {
  return `sign_in:${server}`;
}

/** Returns the parameters of the encryption, which bind the credentials to their server and authorization server. */
function cipherOf(
  iv: Uint8Array<ArrayBuffer>,
  { server, issuer }: { server: string; issuer: string },
): AesGcmParams {
  const additionalData = new TextEncoder().encode(JSON.stringify([server, issuer]));
  return { name: "AES-GCM", iv, additionalData };
}

function ignoreOutage(error: unknown): void {
  if (!(error instanceof StorageUnavailable)) throw error;
}
