// The one IMAP connection of an account. The trigger and the tools share it. It is opened when it is needed.
import type { ImapFlow } from "imapflow";
import { sleepUnlessAborted } from "../../base/bounded_wait.ts";
import { type Clock, NO_LONGER_NEEDED } from "../../base/clock.ts";
import { lazyModule } from "../../base/lazy_module.ts";
import { SerialQueue } from "../../base/serial_queue.ts";
import type { MailAccount } from "../config/mail_schema.ts";
import { MailError, toMailError } from "./mail_error.ts";
import { type FindSecret, type MailSecret, withSecret } from "./mail_secret.ts";

const loadImap = lazyModule(() => import("imapflow"));

/** The time without a received byte after which an operation fails and the connection is closed. */
export const SILENT_MS = 60_000;
/** The time after which a connection that nobody uses or follows is closed. */
const UNUSED_MS = 60_000;
const CONNECT_MS = 30_000;
/** The limit of one response in memory. A mail over 100 MB is never requested. */
const MAX_RESPONSE_BYTES = 128 * 1024 * 1024;

/** The IMAP connection of an account. Its operations run one at a time. */
export class ImapConnection implements AsyncDisposable {
  readonly account: MailAccount;
  readonly #secret: FindSecret;
  readonly #clock: Clock;
  readonly #work = new SerialQueue();
  readonly #over = new AbortController();
  #client: ImapFlow | undefined;
  #announced = 0;
  #followers = 0;
  #waiting = 0;
  #resting: Promise<void> | undefined;

  constructor(account: MailAccount, { secret, clock }: { secret: FindSecret; clock: Clock }) {
    this.account = account;
    this.#secret = secret;
    this.#clock = clock;
  }

  /** True if the connection is open. */
  get isOpen(): boolean {
    return this.#client?.usable ?? false;
  }

  /** The number of times that the server has announced new mails, or that a connection was opened. */
  get announced(): number {
    return this.#announced;
  }

  /** Keeps the connection open until the result is disposed. */
  follow(): Disposable {
    this.#followers++;
    return {
      [Symbol.dispose]: () => {
        this.#followers--;
        this.#closeLater();
      },
    };
  }

  /** Runs `work` with the connection, and opens it before if necessary. Throws MailError. */
  async use<T>(work: (client: ImapFlow) => Promise<T>): Promise<T> {
    this.#waiting++;
    try {
      return await this.#work.run(async () => {
        const client = await this.#open();
        try {
          return await this.#unlessSilent(client, work(client));
        } catch (error) {
          throw this.#toError(error);
        }
      });
    } finally {
      this.#waiting--;
      this.#closeLater();
    }
  }

  /** Runs `work` with the connection in a folder. Throws MailError, of kind `folder` if there is no such folder. */
  inFolder<T>(folder: string, work: (client: ImapFlow) => Promise<T>): Promise<T> {
    return this.use(async (client) => {
      await openFolder(client, folder);
      return await work(client);
    });
  }

  /**
   * Waits for news from a folder, up to `ms`. Resolves earlier if the server has announced new mails since `announced` was
   * read, the connection ends, another operation uses it, or the signal aborts. Without IDLE on the server, only waits.
   */
  async waitForNews(
    folder: string,
    { ms, announced, signal }: { ms: number; announced: number; signal: AbortSignal },
  ): Promise<void> {
    const news = new AbortController();
    const wake = () => news.abort(NO_LONGER_NEEDED);
    const client = await this.use(async (client) => {
      await openFolder(client, folder);
      client.once("exists", wake);
      client.once("close", wake);
      // Announces the mails that arrived after the last operation. The server announces each mail once, in the answer to
      // any command, so the announcements during earlier operations count, too.
      await client.noop();
      if (this.#announced !== announced) wake();
      // The next operation ends the IDLE, so nobody waits for it here.
      if (client.capabilities.has("IDLE")) void client.idle().then(wake, wake);
      return client;
    });
    try {
      await sleepUnlessAborted(this.#clock, ms, AbortSignal.any([signal, news.signal]));
    } finally {
      client.off("exists", wake);
      client.off("close", wake);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort(NO_LONGER_NEEDED);
    this.#client?.close();
    await this.#work.settled();
    await this.#resting;
  }

  async #open(): Promise<ImapFlow> {
    if (this.#client?.usable) return this.#client;
    if (this.#over.signal.aborted) throw new MailError("unreachable", "The service stops");
    this.#client?.close();
    this.#client = undefined;
    try {
      const client = await withSecret(this.#secret, (secret) => this.#connect(secret));
      this.#client = client;
      this.#announced++;
      return client;
    } catch (error) {
      throw this.#toError(error);
    }
  }

  async #connect(secret: MailSecret): Promise<ImapFlow> {
    const { account } = this;
    const { host, port, security } = account.imap;
    const { ImapFlow } = await loadImap();
    const client = new ImapFlow({
      ...{ host, port, secure: security === "tls", doSTARTTLS: security === "starttls" },
      auth: { user: account.user, ...secret },
      logger: false,
      disableAutoIdle: true,
      connectionTimeout: CONNECT_MS,
      maxResponseSize: MAX_RESPONSE_BYTES,
      maxLiteralSize: MAX_RESPONSE_BYTES,
      clientInfo: { name: "Inkling" },
    });
    // The error also rejects the pending operation; without a listener it would end the process.
    client.on("error", () => {});
    client.on("exists", () => this.#announced++);
    const close = () => client.close();
    this.#over.signal.addEventListener("abort", close, { once: true });
    client.once("close", () => this.#over.signal.removeEventListener("abort", close));
    try {
      await this.#unlessSilent(client, client.connect());
      return client;
    } catch (error) {
      client.close();
      throw error;
    }
  }

  /** Returns the result of the work. Closes the connection if nothing arrives for SILENT_MS, so that the work fails. */
  async #unlessSilent<T>(client: ImapFlow, work: Promise<T>): Promise<T> {
    const done = new AbortController();
    let isSilent = false;
    const watch = async () => {
      let before = -1;
      while (await sleepUnlessAborted(this.#clock, SILENT_MS, done.signal)) {
        const { received } = client.stats();
        if (received === before) {
          isSilent = true;
          return client.close();
        }
        before = received;
      }
    };
    const watching = watch();
    try {
      const result = await work;
      // Some operations of the library end without an error when the connection ends.
      if (!client.usable) throw this.#closedError();
      return result;
    } catch (error) {
      throw isSilent ? this.#closedError("no answer for a minute") : error;
    } finally {
      done.abort(NO_LONGER_NEEDED);
      await watching;
    }
  }

  #closedError(reason = "the connection was closed"): MailError {
    const { host, port } = this.account.imap;
    return new MailError("unreachable", `${host}:${port} cannot be reached: ${reason}`);
  }

  #toError(error: unknown): MailError {
    return toMailError(error, { account: this.account, server: this.account.imap });
  }

  /** Closes the connection if nobody uses or follows it for UNUSED_MS. */
  #closeLater(): void {
    if (this.#followers > 0 || this.#waiting > 0) return;
    this.#resting ??= this.#closeUnused().finally(() => this.#resting = undefined);
  }

  async #closeUnused(): Promise<void> {
    await sleepUnlessAborted(this.#clock, UNUSED_MS, this.#over.signal);
    await this.#work.run(async () => {
      if (this.#followers > 0 || this.#waiting > 0) return;
      const client = this.#client;
      this.#client = undefined;
      await client?.logout().catch(() => client.close());
    });
  }
}

/** Opens a folder, unless it is open. Throws MailError of kind `folder`, which names the folders of the account, if there is none. */
async function openFolder(client: ImapFlow, folder: string): Promise<void> {
  if (client.mailbox !== false && client.mailbox.path === folder) return;
  try {
    await client.mailboxOpen(folder);
  } catch (error) {
    if (!client.usable) throw error;
    const folders = (await client.list()).map(({ path }) => path);
    if (folders.includes(folder)) throw error;
    const problem = `The account has no folder ${JSON.stringify(folder)}`;
    const remedy = `Its folders: ${
      folders.slice(0, 30).map((one) => JSON.stringify(one)).join(", ")
    }`;
    throw new MailError("folder", problem, { remedy, cause: error });
  }
}
