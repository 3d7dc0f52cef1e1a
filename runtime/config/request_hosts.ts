// config.yaml's http.allow and http.deny: the hosts of http_request. What could match no host is refused: a rule that closes
// something is never passed over.
import { z } from "zod";

const RULE = "without scheme, port, path or network mask";

/** The hosts that are opened. */
export const allowedHosts = z.array(
  z.string().transform((text, context) => {
    const host = toRequestHost(text);
    // It is a word of deny only; as a host it would open nothing that anybody means.
    if (host !== undefined && host !== "private") return host;
    return refuse(context, text, `must be a host, an address or *.name, ${RULE}`);
  }),
);

/** The hosts that are closed; `private` for loopback and private networks. */
export const deniedHosts = z.array(
  z.string().transform((text, context) =>
    toRequestHost(text) ??
      refuse(context, text, `must be private, a host, an address or *.name, ${RULE}`)
  ),
);

/**
 * An entry in the form that requests have: lower case, ASCII, an address without brackets, `*.name` for all below a name.
 * Undefined for what is none.
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
  // 10.0 would be the address 10.0.0.0, which nobody means who writes it.
  if (isAddress && (below !== "" || !isIpv6 && hostname !== name)) return undefined;
  return below === "" ? hostname : `*.${hostname}`;
}

/** The value is not repeated where it may hold a password. */
function refuse(context: z.RefinementCtx, text: string, message: string): never {
  context.addIssue({ code: "custom", message, params: { hideValue: text.includes("@") } });
  return z.NEVER;
}
