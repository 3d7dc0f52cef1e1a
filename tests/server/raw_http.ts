// Sends requests as raw bytes, which no HTTP client would send.

/** A response: its status, or null if the connection closed without a response, and the whole received text. */
export interface RawAnswer {
  status: number | null;
  text: string;
}

export type Connect = () => Promise<Deno.Conn>;

/**
 * Sends bytes, and reads until the connection closes or one response is complete. `half`: closes the sending side after the
 * bytes.
 */
export async function sendRaw(
  connect: Connect,
  request: string | Uint8Array<ArrayBuffer>,
  options: { half?: boolean } = {},
): Promise<RawAnswer> {
  const connection = await connect();
  let closed = false;
  const close = () => {
    if (!closed) connection.close();
    closed = true;
  };
  try {
    const bytes = typeof request === "string" ? new TextEncoder().encode(request) : request;
    const sending = writeAll(connection, bytes, options.half ?? false);
    let text = "";
    const decoder = new TextDecoder();
    const buffer = new Uint8Array(65_536);
    while (!isWhole(text)) {
      const read = await connection.read(buffer).catch(() => null);
      if (read === null) break;
      text += decoder.decode(buffer.subarray(0, read), { stream: true });
    }
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1];
    // The service no longer reads, so the rest is not sent.
    close();
    await sending;
    return { status: status === undefined ? null : Number(status), text };
  } finally {
    close();
  }
}

async function writeAll(connection: Deno.Conn, bytes: Uint8Array, half: boolean): Promise<void> {
  try {
    for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
    if (half) await connection.closeWrite();
  } catch {
    // The service or the test closed the connection early. Only the received response counts.
  }
}

/** Returns true if a response with an announced length is complete. */
function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1];
  return length !== undefined &&
    new TextEncoder().encode(text.slice(end + 4)).length >= Number(length);
}
