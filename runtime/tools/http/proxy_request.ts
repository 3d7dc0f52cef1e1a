// Parses the first request on a connection to the proxy: RFC 9112 section 3.2.2 (absolute form), RFC 9110 section 9.3.6
// (CONNECT).
import { Buffer } from "node:buffer";

const MAX_HEAD_BYTES = 32 * 1024;
/** The header fields that apply to the connection between program and proxy. They are not forwarded. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  ...["connection", "host", "keep-alive", "proxy-authorization", "proxy-connection", "upgrade"],
]);
/**
 * Matches a header field (RFC 9110 section 5.1). Other lines are not forwarded, because another server could read them as
 * fields.
 */
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([^\0\r\n]*)$/;
const END = "\r\n\r\n";
const REASONS: Readonly<Record<number, string>> = {
  200: "Connection established",
  400: "Bad Request",
  403: "Forbidden",
  407: "Proxy Authentication Required",
  502: "Bad Gateway",
  503: "Service Unavailable",
};

/** The first request of a program on a connection to the proxy. */
export interface ProxyRequest {
  /** The host as written in a URL: an IPv6 address is in brackets. */
  hostname: string;
  port: number;
  /** The password in the request. Empty if the request has none. */
  password: string;
  /**
   * The head of the request to send to the host. Undefined for CONNECT, after which the program waits for a confirmation.
   */
  forwardedHead: Uint8Array | undefined;
  /** The bytes that were received after the head of the request. */
  rest: Uint8Array;
}

/** Reads a proxy request. Returns undefined if the request is of another kind or its head is incomplete. */
export async function readProxyRequest(
  connection: Pick<Deno.Conn, "read">,
): Promise<ProxyRequest | undefined> {
  const read = await readHead(connection);
  if (read === undefined) return undefined;
  const [first = "", ...lines] = read.head.split("\r\n");
  const [, method = "", target = ""] = /^([A-Za-z]+) (\S+) HTTP\/1\.[01]$/.exec(first) ?? [];
  const fields = lines.flatMap((line): [string, string][] => {
    const [, name, value = ""] = FIELD.exec(line) ?? [];
    return name === undefined ? [] : [[name.toLowerCase(), value.trim()]];
  });
  const isTunnel = method === "CONNECT";
  const address = isTunnel ? `http://${target}` : target;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== "http:" || url.hostname === "" || url.username !== "") return undefined;
  const port = url.port === "" ? 80 : Number(url.port);
  const head = [
    `${method} ${url.pathname}${url.search} HTTP/1.1`,
    `host: ${url.host}`,
    ...fields.filter(([name]) => !OWN_FIELDS.has(name)).map(([name, value]) => `${name}: ${value}`),
    // The host must close the connection after its response. A second request on it could be for another host, but would be
    // sent to this one.
    "connection: close",
    ...["", ""],
  ].join("\r\n");
  return {
    hostname: url.hostname,
    port,
    password: passwordOf(fields),
    forwardedHead: isTunnel ? undefined : Buffer.from(head, "latin1"),
    rest: read.rest,
  };
}

/** Returns the head of a response without a body. With `text`, returns a complete response. */
export function answerHead(status: number, text?: string): Uint8Array {
  const body = new TextEncoder().encode(text ?? "");
  const head = [
    `HTTP/1.1 ${status} ${REASONS[status] ?? ""}`,
    ...(status === 407 ? ['proxy-authenticate: Basic realm="inkling"'] : []),
    ...(text === undefined
      ? []
      : ["content-type: text/plain", `content-length: ${body.length}`, "connection: close"]),
    ...["", ""],
  ].join("\r\n");
  return new Uint8Array([...new TextEncoder().encode(head), ...body]);
}

function passwordOf(fields: readonly [string, string][]): string {
  const value = fields.find(([name]) => name === "proxy-authorization")?.[1] ?? "";
  const [, encoded = ""] = /^basic +(\S+)$/i.exec(value) ?? [];
  try {
    return atob(encoded).replace(/^[^:]*:/, "");
  } catch {
    // Invalid Base64 counts as no password.
    return "";
  }
}

async function readHead(
  connection: Pick<Deno.Conn, "read">,
): Promise<{ head: string; rest: Uint8Array } | undefined> {
  const bytes = Buffer.alloc(MAX_HEAD_BYTES);
  for (let length = 0; length < bytes.length;) {
    const count = await connection.read(bytes.subarray(length));
    if (count === null) return undefined;
    const from = Math.max(0, length - END.length + 1);
    length += count;
    const at = bytes.subarray(0, length).indexOf(END, from);
    if (at < 0) continue;
    // Each byte is one character (Latin-1), because HTTP header fields are bytes.
    const rest = new Uint8Array(bytes.subarray(at + END.length, length));
    return { head: bytes.toString("latin1", 0, at), rest };
  }
  return undefined;
}
