// The errors of mail accounts, in words that say what to do.
import { RuntimeError, type RuntimeErrorCode } from "../../base/errors.ts";
import type { MailAccount, MailServer } from "../config/mail_schema.ts";
import { errorCode } from "../../base/error_code.ts";

/**
 * The reason of a mail error. `password`: the server refuses it. `folder`: no such folder. `gone`: the mail is no longer
 * there. `refused`: any other answer.
 */
export type MailErrorKind = "password" | "unreachable" | "tls" | "folder" | "gone" | "refused";

/** Error: a mail account cannot be used. */
export class MailError extends RuntimeError {
  override readonly code: RuntimeErrorCode;
  readonly kind: MailErrorKind;
  /** True if other recipients got the mail, so that another attempt would send it to them again. */
  readonly isPartial: boolean;

  constructor(
    kind: MailErrorKind,
    problem: string,
    { isPartial = false, ...options }: { remedy?: string; cause?: unknown; isPartial?: boolean } =
      {},
  ) {
    super(problem, options);
    this.kind = kind;
    this.isPartial = isPartial;
    this.code = kind === "unreachable" ? "unavailable" : "invalid";
  }
}

/** The places of app passwords. These providers refuse the password of the account itself. */
const APP_PASSWORDS: readonly (readonly [host: RegExp, place: string])[] = [
  [/(^|\.)(gmail|googlemail|google)\.com$/, "https://myaccount.google.com/apppasswords"],
  [/(^|\.)(mail\.me|icloud)\.com$/, "https://account.apple.com (Sign-In and Security)"],
  [/(^|\.)yahoo\.(com|net)$/, "https://login.yahoo.com/account/security"],
  [/(^|\.)fastmail\.com$/, "https://app.fastmail.com/settings/security"],
];

/** The error codes of a connection that cannot be encrypted, or whose certificate is not accepted. */
const TLS_CODES =
  /^(ERR_TLS|ERR_SSL|EPROTO|ETLS|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|ClosedAfterConnectTLS|UPGRADE_|STARTTLS)/;

/** Converts an error of a mail library to a MailError. */
export function toMailError(
  error: unknown,
  { account, server }: { account: MailAccount; server: MailServer },
): MailError {
  if (error instanceof MailError) return error;
  const { host, port } = server;
  const place = `${host}:${port}`;
  const text = answerOf(error);
  const code = codeOfMailer(error);
  const options = { cause: error };
  if (isRefusedSecret(error) && account.oauth !== undefined) {
    const problem = `${place} refuses the user ${account.user} or its token`;
    const remedy = `Sign in again as this user: inkling mail login ${account.name}`;
    return new MailError("password", problem, { ...options, remedy });
  }
  if (isRefusedSecret(error)) {
    const appPassword = APP_PASSWORDS.find(([pattern]) => pattern.test(host))?.[1];
    const remedy = appPassword === undefined
      ? `Correct ${account.passwordEnv} in the environment file; some providers need an app password`
      : `It needs an app password: create one at ${appPassword}, and set ${account.passwordEnv}`;
    const problem = `${place} refuses the user ${account.user} or its password${quoted(text)}`;
    return new MailError("password", problem, { ...options, remedy });
  }
  if (TLS_CODES.test(code) || valueOf(error, "tlsFailed") === true || isCertificate(error)) {
    const remedy = server.security === "starttls"
      ? "The server must offer STARTTLS on this port, and a certificate for this name"
      : `Check the port (${
        port === 993 || port === 465 ? "is it right?" : "usually 993 or 465"
      }) and the name of the host: its certificate must be valid for it`;
    return new MailError(
      "tls",
      `${place} has no connection that is encrypted and trusted${quoted(text)}`,
      {
        ...options,
        remedy,
      },
    );
  }
  const isAnswer = statusOf(error) !== undefined;
  if (isAnswer) return new MailError("refused", `${place} refuses: ${text}`, options);
  const reason = REASONS[code] ?? text;
  return new MailError("unreachable", `${place} cannot be reached: ${reason}`, options);
}

/** The usual reasons of a failed connection, by error code. */
const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: "no host has this name",
  EDNS: "no host has this name",
  ECONNREFUSED: "nothing listens on this port",
  CONNECT_TIMEOUT: "no answer within 30 seconds",
  GREETING_TIMEOUT: "it sends no greeting; is the port right?",
  ETIMEDOUT: "no answer within 30 seconds",
  ETIMEOUT: "no answer for 5 minutes",
  NoConnection: "the connection was closed",
  EConnectionClosed: "the connection was closed",
};

/** Returns true if a server has refused the password or the token. */
export function isRefusedSecret(error: unknown): boolean {
  return valueOf(error, "authenticationFailed") === true || errorCode(error) === "EAUTH";
}

function isCertificate(error: unknown): boolean {
  return error instanceof Deno.errors.InvalidData ||
    error instanceof Error && /invalid peer certificate|corrupt message/.test(error.message);
}

/** Returns the code of a mail library's error, or "". nodemailer keeps the system's code beside its own one. */
export function codeOfMailer(error: unknown): string {
  return String(valueOf(error, "originalCode") ?? errorCode(error) ?? "");
}

/** Returns the status of a server's answer: NO or BAD of IMAP, or the number of SMTP. */
function statusOf(error: unknown): unknown {
  return valueOf(error, "responseStatus") ?? valueOf(error, "responseCode");
}

/** Returns the words of the server's answer, or the message of the error. */
function answerOf(error: unknown): string {
  const answer = valueOf(error, "responseText") ?? valueOf(error, "response");
  const text = typeof answer === "string" ? answer : error instanceof Error ? error.message : "";
  return text.replaceAll(/[\p{C}\s]+/gu, " ").trim().slice(0, 300);
}

function quoted(text: string): string {
  return text === "" ? "" : ` ("${text}")`;
}

function valueOf(error: unknown, key: string): unknown {
  return typeof error === "object" && error !== null ? Reflect.get(error, key) : undefined;
}
