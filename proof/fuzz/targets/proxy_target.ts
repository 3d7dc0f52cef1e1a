// Fuzzes the proxy of sandboxed programs with their requests.
import assert from "node:assert/strict";
import fc from "fast-check";
import { readProxyRequest } from "../../../runtime/tools/http/proxy_request.ts";
import { defineTarget } from "../target.ts";
import { LETTERS, textOf } from "../../../tests/support/any_text.ts";

const piece = fc.oneof(
  fc.constantFrom(
    ...["GET", "CONNECT", " ", "\r\n", "\r\n\r\n", "\n", ":", "http://", "a.example", ":443", "/"],
    ...["@", "HTTP/1.1", "Host: b.example", "Proxy-Authorization: Basic YTpi", "\0", "é", "[::1]"],
    ...["Transfer-Encoding: chunked", "Connection: upgrade", "..", "%0d%0a", "?", "#"],
  ),
  fc.string({ maxLength: 8 }),
);
const wholeRequest = fc.tuple(
  fc.constantFrom("GET", "POST", "CONNECT"),
  fc.oneof(
    fc.webUrl(),
    fc.constantFrom("a.example:443", "http://a.example:81/x?y", "http://[::1]:8"),
  ),
  fc.array(
    fc.tuple(
      fc.oneof(
        fc.constantFrom("Host ", "host", " host", "a b"),
        textOf(`${LETTERS}${LETTERS.toUpperCase()}-`, { minLength: 1, maxLength: 12 }),
      ),
      fc.string({ maxLength: 12 }),
    ),
  ),
).map(([method, target, fields]) =>
  [`${method} ${target} HTTP/1.1`, ...fields.map(([name, value]) => `${name}: ${value}`), "", ""]
    .join("\r\n")
);

/** A text with the places at which the connection splits the text into reads. */
interface SplitText {
  text: string;
  sizes: number[];
}

export const proxyRequests = defineTarget<SplitText>({
  name: "proxy-requests",
  claim:
    "any request of a program to its proxy names one host, and the forwarded bytes begin with one request to that host",
  cases: () =>
    fc.record({
      text: fc.oneof(fc.array(piece, { maxLength: 20 }).map((all) => all.join("")), wholeRequest),
      sizes: fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 1, maxLength: 5 }),
    }),
  async check({ text, sizes }) {
    const bytes = new TextEncoder().encode(text);
    let at = 0;
    let reads = 0;
    const request = await readProxyRequest({
      read(buffer) {
        const size = Math.min(sizes[reads++ % sizes.length] ?? 1, buffer.length);
        const part = bytes.subarray(at, at + size);
        if (part.length === 0) return Promise.resolve(null);
        buffer.set(part);
        at += part.length;
        return Promise.resolve(part.length);
      },
    });
    if (request === undefined) return;
    const { hostname, port, forwardedHead, rest } = request;
    assert.ok(URL.canParse(`http://${hostname}:${port}/`), `no host: ${hostname}:${port}`);
    assert.ok(port >= 0 && port <= 65_535);
    // The bytes after the head must be complete and in order.
    const head = text.indexOf("\r\n\r\n");
    const before = new TextEncoder().encode(text.slice(0, head + 4)).length;
    assert.deepEqual(rest, bytes.slice(before, before + rest.length));
    if (forwardedHead === undefined) return;
    const lines = String.fromCharCode(...forwardedHead).split("\r\n");
    assert.match(lines[0] ?? "", /^[A-Za-z]+ \/\S* HTTP\/1\.1$/);
    assert.equal(lines[1], `host: ${new URL(`http://${hostname}:${port}/`).host}`);
    assert.deepEqual(lines.slice(-2), ["", ""]);
    const others = lines.slice(2, -2);
    assert.equal(others.at(-1), "connection: close");
    for (const line of others.slice(0, -1)) {
      assert.doesNotMatch(line, /^(host|connection|proxy-[a-z]+|)\s*:|[\n\r]|^\s/i);
    }
  },
});
