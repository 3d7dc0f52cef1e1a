// The secret with which an account signs in at its servers: a password, or an access token of OAuth.
import type { Environment } from "../config/files/environment.ts";
import type { MailAccount } from "../config/mail_schema.ts";
import { isRefusedSecret, MailError } from "./mail_error.ts";

/** The secret of an account, in the form that imapflow and nodemailer take. */
export type MailSecret = { pass: string } | { accessToken: string };

/** Returns the secret as it is now, and after `refused` another token. Throws MailError. */
export type FindSecret = (refused?: string) => Promise<MailSecret>;

/** Runs `work` with the secret. If the server refuses a token, runs it once more with another one. */
export async function withSecret<T>(
  find: FindSecret,
  work: (secret: MailSecret) => Promise<T>,
): Promise<T> {
  const secret = await find();
  try {
    return await work(secret);
  } catch (error) {
    if (!("accessToken" in secret) || !isRefusedSecret(error)) throw error;
    return await work(await find(secret.accessToken));
  }
}

/** Returns the password, or throws a MailError that names the missing variable. */
export function requirePassword(
  { name, passwordEnv = "" }: MailAccount,
  environment: Pick<Environment, "get">,
): string {
  const password = environment.get(passwordEnv)?.trim();
  if (password) return password;
  const problem = `The password of the mail account ${name} is missing`;
  throw new MailError("password", problem, {
    remedy: `Set ${passwordEnv} in the environment file`,
  });
}
