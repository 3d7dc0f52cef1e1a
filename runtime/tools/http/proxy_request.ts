// What a client says to a proxy first: RFC 9112 section 3.2.2 (absolute form), RFC 9110 section 9.3.6 (CONNECT).

const MAX_HEAD_BYTES = 32 * 1024;
/** Of one connection between the program and us. They are not sent on. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  ...["connection", "host", "keep-alive", "proxy-authorization", "proxy-connection", "upgrade"],
]);
/** RFC 9110 section 5.1. What is no field is not sent on: others could read it as one. */
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

/** A client wants to be connected. */
export interface ProxyRequest {
  /** As it stands in a URL: IPv6 addresses in brackets. */
  hostname: string;
  port: number;
  /** Empty where none was given. */
  password: string;
  /** What to send before all else; undefined: a tunnel, of which the client wants to hear that it is open. */
  toFarSide: Uint8Array | undefined;
  /** What came behind the head. */
  rest: Uint8Array;
}

/** Undefined when that is no request of a proxy, or the connection ends before. */
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
  const toFarSide = isTunnel ? undefined : toBytes([
    `${method} ${url.pathname}${url.search} HTTP/1.1`,
    `host: ${url.host}`,
    ...fields.filter(([name]) => !OWN_FIELDS.has(name)).map(([name, value]) => `${name}: ${value}`),
    // A second request to another host would go to this one.
    "connection: close",
    ...["", ""],
  ].join("\r\n"));
  return { hostname: url.hostname, port, password: passwordOf(fields), toFarSide, rest: read.rest };
}

/** The beginning of an answer, or with `text` a whole one. */
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
    // No base64: as good as none.
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

/** A character a byte, which is what the fields of HTTP are. */
function toText(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}

function toBytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
