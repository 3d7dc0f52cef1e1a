// Defines `mail` in config.yaml: the mail accounts that agents may use.
import { z } from "zod";
import { addressOf } from "../../base/text/mail_address.ts";
import { channelName, field, filledText, optional, variableName } from "./fields.ts";

/** The encryption of a connection. `starttls`: it begins without encryption, and is refused if the server offers none. */
export type MailSecurity = "tls" | "starttls" | "none";

/** The address of a mail server. */
export interface MailServer {
  host: string;
  port: number;
  security: MailSecurity;
}

/** The settings of one mail account. */
export interface MailAccount {
  /** The name that config.yaml gives the account. */
  name: string;
  /** The mail address, in lower case. */
  address: string;
  imap: MailServer;
  smtp: MailServer;
  user: string;
  /** The name of the variable with the password. */
  passwordEnv: string;
  /** The name with which the account's server begins its `Authentication-Results`. Undefined: no sender is proven. */
  authServer?: string | undefined;
}

/** The ports on which encryption begins with STARTTLS. On all others it begins with the connection. */
const STARTTLS_PORTS: readonly number[] = [25, 143, 587];
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

const SERVER = /^([A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\]):(\d{1,5})$/;

const hostAndPort = z.string().refine(
  (text) => Number(SERVER.exec(text)?.[2] ?? 0) >= 1 && Number(SERVER.exec(text)?.[2]) <= 65_535,
  "must be a host with a port such as imap.example.com:993",
);

/** The schema of a mail account. */
export const writtenAccount = z.object({
  address: z.string().refine(
    (text) => addressOf(text) !== undefined,
    "must be a mail address such as ann@example.com",
  ).meta({ description: "The mail address of the account", default: "required" }),
  imap: hostAndPort.meta({
    description: "The server that mail is read from: `host:993`, or `host:143` with STARTTLS",
    default: "required",
  }),
  smtp: hostAndPort.meta({
    description: "The server that sends mail: `host:465`, or `host:587` with STARTTLS",
    default: "required",
  }),
  user: optional(filledText).meta({
    description: "The user name at both servers",
    default: "`address`",
  }),
  password_env: variableName.meta({
    description: "The **variable** that holds the password, often an app password",
    default: "required",
  }),
  auth_server: optional(filledText).meta({
    description:
      "The name with which the account's server begins `Authentication-Results`, which proves senders; `inkling doctor` finds it",
    default: "no sender is proven",
  }),
  tls: field(z.boolean(), true, "`false`: without encryption, only for servers on this machine"),
});

const NO_OAUTH = z.unknown().refine(
  (value) => value === undefined,
  "is not available for mail: use password_env with an app password; an account that accepts " +
    "only OAuth cannot be used",
).optional();

/** The schema of `mail`. */
export const MAIL = z.preprocess(
  (value) => value ?? {},
  z.record(
    channelName,
    writtenAccount.extend({ oauth: NO_OAUTH }).superRefine((account, context) => {
      if (account.tls) return;
      for (const key of ["imap", "smtp"] as const) {
        if (LOOPBACK.test(SERVER.exec(account[key])?.[1] ?? "")) continue;
        const message = "must be on this machine (127.0.0.1) with tls: false: passwords and " +
          "mails would travel without encryption";
        context.addIssue({ code: "custom", message, path: [key] });
      }
    }),
  ),
).meta({
  description:
    "The mail accounts, each under a name that you choose: see [mail](reference/mail.md)",
  values: "map",
});

/** Converts `mail` of a file without errors. */
export function toMailAccounts(written: z.output<typeof MAIL>): MailAccount[] {
  return Object.entries(written).map(([name, account]) => ({
    name,
    address: account.address.trim().toLowerCase(),
    imap: toServer(account.imap, account.tls),
    smtp: toServer(account.smtp, account.tls),
    user: account.user ?? account.address.trim(),
    passwordEnv: account.password_env,
    ...(account.auth_server !== undefined && { authServer: account.auth_server }),
  }));
}

function toServer(text: string, isEncrypted: boolean): MailServer {
  const [, host = "", digits] = SERVER.exec(text) ?? [];
  const port = Number(digits);
  const security = STARTTLS_PORTS.includes(port) ? "starttls" : "tls";
  return { host: host.replace(/^\[|\]$/g, ""), port, security: isEncrypted ? security : "none" };
}
