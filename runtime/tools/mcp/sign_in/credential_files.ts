// Stores the sign-ins to remote MCP servers in the state folder: one file for each server, readable by its owner only. The
// command line and the service share the files.
import type { Clock } from "../../../../base/clock.ts";
import { writeFileAtomically } from "../../../../base/files/atomic_file.ts";
import { takeLock } from "../../../../base/files/lock_file.ts";
import { ignoreMissing } from "../../../../base/files/missing.ts";
import { join } from "../../../../base/plain_path.ts";
import { KeyedQueue } from "../../../../base/serial_queue.ts";
import { sha256Of } from "../../../../base/sha256.ts";
import {
  type Credentials,
  type CredentialStore,
  parseCredentials,
  type SaveCredentials,
  secretsOf,
} from "./credentials.ts";
import type { TokenSecrets } from "./token_secrets.ts";

/** The time between two attempts to take the lock that another process holds. */
const RETRY_MS = 50;

/** The sign-ins in the state folder. */
export class CredentialFiles implements CredentialStore {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #secrets: TokenSecrets;
  readonly #queue = new KeyedQueue();

  constructor(options: { stateDir: string; clock: Clock; secrets: TokenSecrets }) {
    this.#folder = join(options.stateDir, "mcp-tokens");
    this.#clock = options.clock;
    this.#secrets = options.secrets;
  }

  async read(server: string): Promise<Credentials | undefined> {
    const path = await this.#pathOf(server, "json");
    const text = await Deno.readTextFile(path).catch(ignoreMissing);
    const credentials = text === undefined ? undefined : parseCredentials(text);
    if (credentials !== undefined) this.#secrets.add(secretsOf(credentials));
    return credentials;
  }

  async change<T>(
    server: string,
    work: (current: Credentials | undefined, save: SaveCredentials) => Promise<T>,
  ): Promise<T> {
    return await this.#queue.run(server, async () => {
      await Deno.mkdir(this.#folder, { recursive: true, mode: 0o700 });
      using _lock = await this.#lock(await this.#pathOf(server, "lock"));
      return await work(await this.read(server), (changed) => this.#save(server, changed));
    });
  }

  async forget(server: string): Promise<void> {
    await Deno.remove(await this.#pathOf(server, "json")).catch(ignoreMissing);
  }

  async #save(server: string, credentials: Credentials | undefined): Promise<void> {
    if (credentials === undefined) return await this.forget(server);
    const path = await this.#pathOf(server, "json");
    this.#secrets.add(secretsOf(credentials));
    await writeFileAtomically(path, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  }

  async #lock(path: string): Promise<Disposable> {
    for (;;) {
      const lock = takeLock(path);
      if (lock !== undefined) return lock;
      await this.#clock.sleep(RETRY_MS);
    }
  }

  /** A server's name may contain any characters, so the file is named by its digest. */
  async #pathOf(server: string, suffix: string): Promise<string> {
    return join(this.#folder, `${(await sha256Of(server)).slice(0, 32)}.${suffix}`);
  }
}
