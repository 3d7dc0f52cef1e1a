// Parses the first request of a proxy's client: RFC 9112 section 3.2.2 (absolute form), RFC 9110 section 9.3.6 (CONNECT).

const MAX_HEAD_BYTES = 32 * 1024;
/** Fields of the connection between the program and the proxy. They are not forwarded. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  ...["connection", "host", "keep-alive", "proxy-authorization", "proxy-connection", "upgrade"],
]);
/** A header field (RFC 9110 section 5.1). Other lines are not forwarded, because another server could read them as fields. */
const FIELD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([^\0\r\n]*)$/;
const END: readonly number[] = [13, 10, 13, 10];
const REASONS: Readonly<Record<number, string>> = {
  200: "Connection established",
  400: "Bad Request",
  403: "Forbidden",
  407: "Proxy Authentication Required",
  502: "Bad Gateway",
  503: "Service Unavailable",
};

/** A client's request for a connection. */
export interface ProxyRequest {
  /** In a URL's notation: IPv6 addresses in brackets. */
  hostname: string;
  port: number;
  /** Empty if none was sent. */
  password: string;
  /** The bytes to send to the host first. Undefined for a tunnel, whose client waits for a confirmation. */
  forwardedHead: Uint8Array | undefined;
  /** The bytes received after the head. */
  rest: Uint8Array;
}

/** Reads a proxy request. Returns undefined for another kind of request, or a connection that ended early. */
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
  const forwardedHead = isTunnel ? undefined : toBytes([
    `${method} ${url.pathname}${url.search} HTTP/1.1`,
    `host: ${url.host}`,
    ...fields.filter(([name]) => !OWN_FIELDS.has(name)).map(([name, value]) => `${name}: ${value}`),
    // Otherwise a second request to another host would go to this one.
    "connection: close",
    ...["", ""],
  ].join("\r\n"));
  return {
    hostname: url.hostname,
    port,
    password: passwordOf(fields),
    forwardedHead,
    rest: read.rest,
  };
}

/** Returns the head of an answer, or a complete answer with `text`. */
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
  const bytes = new Uint8Array(MAX_HEAD_BYTES);
  for (let length = 0; length < bytes.length;) {
    const count = await connection.read(bytes.subarray(length));
    if (count === null) return undefined;
    const from = Math.max(0, length - END.length + 1);
    length += count;
    for (let at = from; at <= length - END.length; at++) {
      if (!END.every((byte, index) => bytes[at + index] === byte)) continue;
      return { head: toText(bytes.subarray(0, at)), rest: bytes.slice(at + END.length, length) };
    }
  }
  return undefined;
}

/** Decodes one character per byte, as HTTP fields are encoded. */
function toText(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

function toBytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
