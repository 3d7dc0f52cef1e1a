// Decides who has sent a mail, by the words of the account's own server, and detects mails that programs have written.
import { domainOf } from "../../base/text/mail_address.ts";
import type { MailHead } from "./read_mail.ts";

/**
 * Returns true if the account's server has checked that the sender's domain has sent the mail: in its topmost
 * `Authentication-Results`, DMARC has passed for the domain, or DKIM has passed for it or a domain above it. Headers of
 * other servers, and those below the topmost, may be forged.
 */
export function isProven(
  { sender, headers }: Pick<MailHead, "sender" | "headers">,
  authServer: string | undefined,
): boolean {
  if (sender === undefined || authServer === undefined) return false;
  const own = authServer.toLowerCase();
  const results = headers.values()
    .filter(({ key }) => key === "authentication-results")
    .map(({ value }) => readResults(value))
    .find(({ server }) => server === own)?.results ?? [];
  const domain = domainOf(sender);
  return results.some((result) => {
    if (!result[0]?.endsWith("=pass")) return false;
    const valueOf = (name: string) =>
      result.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
    if (result[0] === "dmarc=pass") return valueOf("header.from") === domain;
    if (result[0] !== "dkim=pass") return false;
    const signer = valueOf("header.d") ?? valueOf("header.i")?.replace(/^.*@/, "");
    return signer !== undefined && signer.includes(".") &&
      (domain === signer || domain.endsWith(`.${signer}`));
  });
}

/** Returns the name of the server in the topmost `Authentication-Results`, or undefined. */
export function authServerOf(headers: MailHead["headers"]): string | undefined {
  const topmost = headers.find(({ key }) => key === "authentication-results");
  return topmost === undefined ? undefined : readResults(topmost.value).server;
}

/**
 * Parses the value of a header `Authentication-Results`: the server's name, and each result as a list of its words, such as
 * `dkim=pass`, `header.d=example.com`. Comments are left out. Some servers write no name; theirs is `unnamed`.
 */
export function readResults(value: string): { server: string; results: string[][] } {
  const parts: string[][] = [[]];
  let depth = 0;
  let word = "";
  const endWord = () => {
    if (word !== "") parts.at(-1)?.push(word.toLowerCase());
    word = "";
  };
  for (let at = 0; at < value.length; at++) {
    const char = value.charAt(at);
    if (depth === 0 && char === '"') {
      // A quoted text is part of its word, so that nothing in it is read as a result.
      for (at++; at < value.length && value.charAt(at) !== '"'; at++) {
        if (value.charAt(at) === "\\") at++;
        word += value.charAt(at);
      }
    } else if (depth > 0 && char === "\\") at++;
    else if (char === "(") depth++;
    else if (char === ")" && depth > 0) depth--;
    else if (depth > 0) continue;
    else if (char === ";") {
      endWord();
      parts.push([]);
    } else if (/\s/.test(char)) {
      // A space beside `=` separates no words.
      if (!word.endsWith("=") && !/^\s*=/.test(value.slice(at, at + 20))) endWord();
    } else word += char;
  }
  endWord();
  const [first = [], ...rest] = parts;
  const isNamed = first[0] !== undefined && !first[0].includes("=");
  return isNamed
    ? { server: first[0] ?? "", results: rest }
    : { server: "unnamed", results: [first, ...rest] };
}

const AUTOMATIC_SENDER = /^(mailer-daemon|postmaster|bounces?|no-?reply-bounce)@/;

/** Returns the reason why a mail counts as automatic, or undefined if a person may have written it. */
export function automaticReason(
  { sender, headers }: Pick<MailHead, "sender" | "headers">,
): string | undefined {
  const valueOf = (name: string) =>
    headers.find(({ key }) => key === name)?.value.trim().toLowerCase();
  const submitted = valueOf("auto-submitted");
  if (submitted !== undefined && !/^no\b/.test(submitted)) return "it has Auto-Submitted";
  if (valueOf("list-id") !== undefined) return "it is from a mailing list";
  if (/^(bulk|list|junk|auto_reply)/.test(valueOf("precedence") ?? "")) return "it is bulk mail";
  if (valueOf("x-autoreply") !== undefined || valueOf("x-autorespond") !== undefined) {
    return "it is an automatic reply";
  }
  const isBounce = valueOf("return-path") === "<>" || AUTOMATIC_SENDER.test(sender ?? "") ||
    /^multipart\/report/.test(valueOf("content-type") ?? "");
  return isBounce ? "it is a report about another mail" : undefined;
}
