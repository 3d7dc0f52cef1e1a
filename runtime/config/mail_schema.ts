// Defines `mail` in config.yaml: the mail accounts that agents may use.
import { z } from "zod";
import { addressOf } from "../../base/text/mail_address.ts";
import { channelName, field, filledText, optional, textList, variableName } from "./fields.ts";
import { issuerAddress, LOOPBACK } from "./sign_in_schema.ts";

/** The encryption of a connection. `starttls`: it begins without encryption, and is refused if the server offers none. */
export type MailSecurity = "tls" | "starttls" | "none";

/** The address of a mail server. */
export interface MailServer {
  host: string;
  port: number;
  security: MailSecurity;
}

/** The sign-in of a mail account with OAuth. */
export interface MailOAuth {
  /** The address of the authorization server. */
  issuer: string;
  clientId: string;
  /** The variable with the client's secret. Undefined: the client has none. */
  clientSecretEnv: string | undefined;
  /** The scopes. Undefined: those that the authorization server gives by itself. */
  scopes: readonly string[] | undefined;
  /** The parameter `prompt` with which the provider issues a refresh token. Undefined: none is necessary. */
  prompt: string | undefined;
}

/** The settings of one mail account. It has a password or a sign-in with OAuth. */
export interface MailAccount {
  /** The name that config.yaml gives the account. */
  name: string;
  /** The mail address, in lower case. */
  address: string;
  imap: MailServer;
  smtp: MailServer;
  user: string;
  /** The name of the variable with the password. */
  passwordEnv?: string | undefined;
  oauth?: MailOAuth | undefined;
  /** The name with which the account's server begins its `Authentication-Results`. Undefined: no sender is proven. */
  authServer?: string | undefined;
}

/** The ports on which encryption begins with STARTTLS. On all others it begins with the connection. */
const STARTTLS_PORTS: readonly number[] = [25, 143, 587];
/** The sign-in of large providers, by the host of IMAP. From their documentation. */
const PROVIDERS: readonly {
  host: RegExp;
  issuer: string;
  scopes: readonly string[];
  prompt: string;
}[] = [
  {
    host: /(^|\.)(gmail|googlemail)\.com:/i,
    issuer: "https://accounts.google.com",
    scopes: ["https://mail.google.com/"],
    prompt: "consent",
  },
  {
    host: /(^|\.)(office365|outlook)\.com:/i,
    issuer: "https://login.microsoftonline.com/common/v2.0",
    scopes: [
      "https://outlook.office.com/IMAP.AccessAsUser.All",
      "https://outlook.office.com/SMTP.Send",
      "offline_access",
    ],
    // With `consent`, organizations whose members may not consent themselves would refuse them.
    prompt: "select_account",
  },
];

const SERVER = /^([A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\]):(\d{1,5})$/;

const hostAndPort = z.string().refine(
  (text) => Number(SERVER.exec(text)?.[2] ?? 0) >= 1 && Number(SERVER.exec(text)?.[2]) <= 65_535,
  "must be a host with a port such as imap.example.com:993",
);

/** The schema of the sign-in of a mail account. */
export const writtenMailOAuth = z.object({
  client_id: filledText.meta({
    description: "The id of a client that you created at the provider",
    default: "required",
  }),
  client_secret_env: optional(variableName).meta({
    description: "The **variable** that holds the client's secret",
    default: "the client has no secret",
  }),
  issuer: optional(issuerAddress).meta({
    description: "The authorization server of the provider",
    default: "that of Google or Microsoft, by the host of `imap`",
  }),
  scopes: optional(textList).meta({
    description: "The scopes",
    default: "those of Google or Microsoft for mail",
  }),
});

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
  password_env: optional(variableName).meta({
    description: "The **variable** that holds the password, often an app password",
    default: "required without `oauth`",
  }),
  oauth: optional(writtenMailOAuth).meta({
    description: "The sign-in with OAuth, instead of a password",
    values: "map",
  }),
  auth_server: optional(filledText).meta({
    description:
      "The name with which the account's server begins `Authentication-Results`, which proves senders; `inkling doctor` finds it",
    default: "no sender is proven",
  }),
  tls: field(z.boolean(), true, "`false`: without encryption, only for servers on this machine"),
});

/** The schema of `mail`. */
export const MAIL = z.preprocess(
  (value) => value ?? {},
  z.record(
    channelName,
    writtenAccount.superRefine((account, context) => {
      const lack = (message: string) => context.addIssue({ code: "custom", message });
      const { password_env: password, oauth } = account;
      if (password === undefined && oauth === undefined) lack("must have password_env or oauth");
      if (password !== undefined && oauth !== undefined) {
        lack("has both password_env and oauth: keep one");
      }
      if (oauth !== undefined && (oauth.issuer ?? providerOf(account)) === undefined) {
        const path = ["oauth"];
        const message = "must have issuer: the address of the provider's authorization server, " +
          "which is known only for Google and Microsoft";
        context.addIssue({ code: "custom", message, path });
      }
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

/** Returns the name of the variable with the account's secret: its password, or that of its client. */
export function secretVariableOf({ passwordEnv, oauth }: MailAccount): string | undefined {
  return passwordEnv ?? oauth?.clientSecretEnv;
}

/** Converts `mail` of a file without errors. */
export function toMailAccounts(written: z.output<typeof MAIL>): MailAccount[] {
  return Object.entries(written).map(([name, account]) => ({
    name,
    address: account.address.trim().toLowerCase(),
    imap: toServer(account.imap, account.tls),
    smtp: toServer(account.smtp, account.tls),
    user: account.user ?? account.address.trim(),
    ...(account.password_env !== undefined && { passwordEnv: account.password_env }),
    ...(account.oauth !== undefined && { oauth: toMailOAuth(account.oauth, account) }),
    ...(account.auth_server !== undefined && { authServer: account.auth_server }),
  }));
}

function toMailOAuth(
  written: z.output<typeof writtenMailOAuth>,
  account: { imap: string },
): MailOAuth {
  const provider = providerOf(account);
  return {
    issuer: written.issuer ?? provider?.issuer ?? "",
    clientId: written.client_id,
    clientSecretEnv: written.client_secret_env,
    scopes: written.scopes ?? provider?.scopes,
    prompt: provider?.prompt,
  };
}

function providerOf({ imap }: { imap: string }): typeof PROVIDERS[number] | undefined {
  return PROVIDERS.find(({ host }) => host.test(imap));
}

function toServer(text: string, isEncrypted: boolean): MailServer {
  const [, host = "", digits] = SERVER.exec(text) ?? [];
  const port = Number(digits);
  const security = STARTTLS_PORTS.includes(port) ? "starttls" : "tls";
  return { host: host.replace(/^\[|\]$/g, ""), port, security: isEncrypted ? security : "none" };
}
