// Fetching that does not wait for ever and does not take everything.
import assert from "node:assert/strict";
import { fetchChunks } from "../../../cli/update/release_fetch.ts";
import { TestClock } from "../../support/test_clock.ts";
import { until } from "../../support/until.ts";

async function read(address: URL, clock: TestClock, limit = 1_000): Promise<number> {
  let received = 0;
  const { signal } = new AbortController();
  for await (const chunk of fetchChunks(address, { clock, signal, limit })) {
    received += chunk.length;
  }
  return received;
}

/** A server on loopback that answers with these bytes and then leaves the connection open. */
async function withServer(
  answer: string,
  test: (address: URL) => Promise<void>,
  options: { closes?: boolean } = {},
): Promise<void> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const connections: Deno.TcpConn[] = [];
  const serving = (async () => {
    for await (const connection of listener) {
      await connection.read(new Uint8Array(4_096));
      await connection.write(new TextEncoder().encode(answer));
      if (options.closes) connection.close();
      else connections.push(connection);
    }
  })();
  try {
    await test(new URL(`http://127.0.0.1:${listener.addr.port}/file`));
  } finally {
    for (const connection of connections) connection.close();
    listener.close();
    await serving;
  }
}

const HEAD = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nConnection: close\r\n\r\n";

for (const [when, answer] of [["before it answers", ""], ["in the middle", `${HEAD}12345`]]) {
  Deno.test(`fetchChunks() gives up on a server that falls silent ${when}`, async () => {
    await withServer(answer ?? "", async (address) => {
      const clock = new TestClock();
      const failed = assert.rejects(
        read(address, clock),
        /Cannot fetch .*: the server stopped sending/,
      );
      let isOver = false;
      failed.finally(() => isOver = true);
      await until(async () => {
        // Each chunk has its own time, so the next wait may just have begun.
        await clock.advance(60_000);
        return isOver;
      }, "it gives up");
      await failed;
    });
  });
}

Deno.test("fetchChunks() reports a body that ends in good order before its announced length", async () => {
  // Where a body comes in pieces, the connection ends it by its last piece, whatever length was announced.
  const pieces = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nTransfer-Encoding: chunked\r\n" +
    "Connection: close\r\n\r\n5\r\n12345\r\n0\r\n\r\n";
  await withServer(pieces, async (address) => {
    await assert.rejects(read(address, new TestClock()), /: the connection broke after 5 bytes/);
  }, { closes: true });
});

Deno.test("fetchChunks() takes no more than its limit, announced or not", async () => {
  await withServer(`${HEAD}1234567890`, async (address) => {
    assert.equal(await read(address, new TestClock(), 10), 10);
    await assert.rejects(read(address, new TestClock(), 9), /: it has more than 9 bytes/);
  });
  const unannounced = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n1234567890";
  await withServer(unannounced, async (address) => {
    await assert.rejects(read(address, new TestClock(), 9), /: it has more than 9 bytes/);
  }, { closes: true });
});

Deno.test("fetchChunks() follows no redirect from the web to this machine", async () => {
  const asked: string[] = [];
  const fetchFromNetwork = globalThis.fetch;
  // A server with a certificate that this machine trusts is not available in a test.
  globalThis.fetch = (input) => {
    asked.push(String(input));
    const location = "http://127.0.0.1:9/file";
    return Promise.resolve(new Response(null, { status: 302, headers: { location } }));
  };
  try {
    await assert.rejects(
      read(new URL("https://releases.example/file"), new TestClock()),
      /: it redirects to http:\/\/127\.0\.0\.1:9, which is not trusted/,
    );
  } finally {
    globalThis.fetch = fetchFromNetwork;
  }
  assert.deepEqual(asked, ["https://releases.example/file"]);
});

Deno.test("fetchChunks() follows five redirects, asks for the bytes as they are, and gives up at the sixth", async () => {
  const asked: (readonly [path: string, encoding: string | null])[] = [];
  const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  await using server = Deno.serve(options, ({ url, headers }) => {
    const { pathname } = new URL(url);
    asked.push([pathname, headers.get("accept-encoding")]);
    const left = Number(pathname.slice(1));
    if (left === 0) return new Response("whole");
    return new Response(null, { status: 302, headers: { location: `/${left - 1}` } });
  });
  const base = `http://127.0.0.1:${server.addr.port}`;
  assert.equal(await read(new URL(`${base}/5`), new TestClock()), 5);
  assert.deepEqual(asked, ["/5", "/4", "/3", "/2", "/1", "/0"].map((path) => [path, "identity"]));
  await assert.rejects(
    read(new URL(`${base}/6`), new TestClock()),
    /: there are too many redirects/,
  );
});
