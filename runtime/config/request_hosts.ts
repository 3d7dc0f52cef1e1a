// Parses http.allow and http.deny in config.yaml: the hosts of the tool http_request. An entry that can match no host is
// refused, so that every rule has an effect.
import { z } from "zod";

const RULE = "without scheme, port, path or network mask";

/** The list of allowed hosts. */
export const allowedHosts = z.array(
  z.string().transform((text, context) => {
    const host = toRequestHost(text);
    // The word `private` is valid only in `deny`. In `allow` it would be a host name that allows nothing useful.
    if (host !== undefined && host !== "private") return host;
    return refuse(context, text, `must be a host, an address or *.name, ${RULE}`);
  }),
);

/** The list of denied hosts. `private` means loopback and private networks. */
export const deniedHosts = z.array(
  z.string().transform((text, context) =>
    toRequestHost(text) ??
      refuse(context, text, `must be private, a host, an address or *.name, ${RULE}`)
  ),
);

/**
 * Returns an entry in the form that requests use: lower case, ASCII, an address without brackets, and `*.name` for all
 * subdomains. Returns undefined for an invalid entry.
 */
export function toRequestHost(text: string): string | undefined {
  const below = /^\*?\./.exec(text)?.[0] ?? "";
  const name = text.slice(below.length).replace(/^\[(.*:.*)\]$/, "$1");
  const isIpv6 = /^[0-9a-f.]*:[0-9a-f:.]*$/i.test(name);
  if (!isIpv6 && /[\s/\\?#@:,*%[\]]/.test(name)) return undefined;
  const hostname = URL.parse(`http://${isIpv6 ? `[${name}]` : name}/`)?.hostname
    .replace(/^\[|\]$|\.$/g, "");
  if (hostname === undefined || hostname === "") return undefined;
  const isAddress = isIpv6 || /^[\d.]+$/.test(hostname);
  // For example, 10.0 would mean the address 10.0.0.0, which nobody intends.
  if (isAddress && (below !== "" || !isIpv6 && hostname !== name)) return undefined;
  return below === "" ? hostname : `*.${hostname}`;
}

/** Adds an issue for an entry. The message omits a value that may contain a password. */
function refuse(context: z.RefinementCtx, text: string, message: string): never {
  context.addIssue({ code: "custom", message, params: { hideValue: text.includes("@") } });
  return z.NEVER;
}
