// Finds the secrets among the values of an entry in mcp-servers.json, by their names or forms. Most other values are
// ordinary words, and must not be redacted wherever they occur.
import { isJsonObject } from "../../../../base/json.ts";
import { decodePercents } from "../../../../base/text/percent_encoding.ts";
import { hiddenParts, type Secret } from "../../../secrets/secret.ts";
import { URL_KEYS } from "./server_entries.ts";

/** Matches a name of a variable, header, option or URL parameter whose last word says that its value is secret. */
const SECRET_NAME =
  /(key|token|secret|password|passwd|(^|[^a-z])(pass|passphrase|pwd|pat|auth|authorization|cookie|credentials?|signature|sig))$/i;
/** Match a password in a URL, and the token after `Bearer`, each with the name of a secret in a place without a name. */
const SECRET_FORMS = [
  [/\/\/[^\s/:@]*:([^\s/@]+)@/g, "password"],
  [/\bBearer\s+([^\s"']+)/gi, "token"],
] as const;

/**
 * Returns the secrets of an entry, which need not be valid. `fill` returns a text with its variables filled in; `place` is
 * the text's path in the entry.
 */
export function declaredSecrets(
  entry: unknown,
  fill: (text: string, place: string) => string,
): Secret[] {
  if (!isJsonObject(entry)) return [];
  const found = new Map<string, Secret>();
  const hide = (name: string, value: string) => {
    for (const part of hiddenParts(value)) found.set(part, { name, value: part });
  };
  const look = (name: string, value: string) => {
    if (isSecretPlace(name)) {
      hide(name, value);
      // The parts of `Bearer TOKEN` or `session=TOKEN; …` are added, too, because an error message of the server may repeat
      // only the token.
      for (const part of value.split(/[\s;,]+/)) hide(name, part.replace(/^[\w-]+=(?=.)/, ""));
    }
    for (const [form, kind] of SECRET_FORMS) {
      for (const [, secret = ""] of value.matchAll(form)) hide(name || kind, secret);
    }
  };
  for (const place of ["env", "headers"]) {
    for (const [name, value] of Object.entries(isJsonObject(entry[place]) ? entry[place] : {})) {
      if (typeof value === "string") look(name, fill(value, `${place}.${name}`));
    }
  }
  const args = Array.isArray(entry["args"]) ? entry["args"] : [];
  let option = "";
  for (const written of args) {
    if (typeof written !== "string") continue;
    const value = fill(written, "args");
    const isOption = /^--?[\w.-]+$/.test(value);
    const [, name, rest] = /^-*([\w.-]+)=(.*)$/s.exec(value) ?? [];
    if (!isOption) look(name ?? option, rest ?? value);
    option = isOption ? value.replace(/^-+/, "") : "";
  }
  for (const key of URL_KEYS) {
    const written = entry[key];
    if (typeof written !== "string") continue;
    const url = fill(written, "url");
    look("url", url);
    for (const [, name = "", value = ""] of url.matchAll(/[?&]([^=&#]+)=([^&#]*)/g)) {
      look(name, value);
      look(name, decodePercents(value));
    }
  }
  return [...found.values()];
}

/** Returns true if the value of a variable, header, option or URL parameter with this name is secret. */
export function isSecretPlace(name: string): boolean {
  // The underscore splits names such as `apiKey` and `accessPass` into two words.
  return SECRET_NAME.test(name.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2"));
}
