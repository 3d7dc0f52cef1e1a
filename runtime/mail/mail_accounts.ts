// The mail accounts of config.yaml, with one connection for each that is used.
import type { Config } from "../config/config.ts";
import type { Context } from "../config/context.ts";
import type { Environment } from "../config/files/environment.ts";
import type { MailAccount } from "../config/mail_schema.ts";
import { ImapConnection } from "./imap_connection.ts";
import { MailError } from "./mail_error.ts";
import { type MailSecret, requirePassword } from "./mail_secret.ts";
import { readHead } from "./read_mail.ts";
import { authServerOf } from "./sender_proof.ts";
import { checkSending, type OutgoingMail, sendMail, writeMail, type WrittenMail } from "./smtp.ts";

/** The objects that the mail of a service needs. */
export interface MailPorts extends Pick<Context, "clock"> {
  settings: { readonly config: Pick<Config, "mail">; environment: Pick<Environment, "get"> };
  /**
   * Returns an access token for an account with OAuth, which is not `refused`: the token that a server of the account has
   * refused. Throws MailError.
   */
  accessToken: (account: MailAccount, refused?: string) => Promise<string>;
}

/** The accounts of a service. */
export class MailAccounts implements AsyncDisposable {
  readonly #ports: MailPorts;
  readonly #connections = new Map<string, ImapConnection>();

  constructor(ports: MailPorts) {
    this.#ports = ports;
  }

  /** Returns the settings of an account. Throws MailError if config.yaml does not name it. */
  get(name: string): MailAccount {
    const account = this.#ports.settings.config.mail.find((one) => one.name === name);
    if (account !== undefined) return account;
    const problem = `config.yaml has no mail account ${JSON.stringify(name)}`;
    throw new MailError("refused", problem, { remedy: `Add mail: { ${name}: ... } to it` });
  }

  /** Returns the connection of an account. It is another one after its settings have changed. Throws MailError. */
  connection(name: string): ImapConnection {
    const account = this.get(name);
    const open = this.#connections.get(name);
    if (open !== undefined && JSON.stringify(open.account) === JSON.stringify(account)) return open;
    void open?.[Symbol.asyncDispose]();
    const connection = new ImapConnection(account, {
      secret: (refused) => this.#secretOf(account, refused),
      clock: this.#ports.clock,
    });
    this.#connections.set(name, connection);
    return connection;
  }

  /** Writes a mail from an account. Sends nothing. Throws MailError. */
  write(name: string, mail: OutgoingMail): Promise<WrittenMail> {
    return writeMail(this.get(name), mail);
  }

  /** Sends a written mail from an account. Throws MailError. */
  async send(name: string, mail: WrittenMail): Promise<void> {
    const account = this.get(name);
    await sendMail(account, mail, (refused) => this.#secretOf(account, refused));
  }

  /** Signs in to the server for sending. Sends nothing. Throws MailError. */
  async checkSending(name: string): Promise<void> {
    const account = this.get(name);
    await checkSending(account, (refused) => this.#secretOf(account, refused));
  }

  /** Returns the name of the server that checked the newest mail, or undefined if no header names it. Throws MailError. */
  async findAuthServer(name: string): Promise<string | undefined> {
    return await this.connection(name).inFolder("INBOX", async (client) => {
      const isEmpty = client.mailbox === false || client.mailbox.exists === 0;
      const newest = isEmpty ? false : await client.fetchOne("*", { headers: true });
      if (newest === false || newest.headers === undefined) return undefined;
      return authServerOf((await readHead(newest.headers)).headers);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#connections.values()].map((one) => one[Symbol.asyncDispose]()));
  }

  async #secretOf(account: MailAccount, refused?: string): Promise<MailSecret> {
    const { accessToken, settings: { environment } } = this.#ports;
    if (account.oauth !== undefined) return { accessToken: await accessToken(account, refused) };
    return { pass: requirePassword(account, environment) };
  }
}
