// Tests of downloads: their time limits, and the refused redirects.
import assert from "node:assert/strict";
import { fetchChunks } from "../../../cli/update/release_fetch.ts";
import { TestClock } from "../../support/test_clock.ts";
import { until } from "../../support/until.ts";

async function read(address: URL, clock: TestClock): Promise<void> {
  const { signal } = new AbortController();
  await Array.fromAsync(fetchChunks(address, { clock, signal, limit: 1_000 }));
}

const HEAD = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nConnection: close\r\n\r\n";

for (const [when, answer] of [["before it answers", ""], ["in the middle", `${HEAD}12345`]]) {
  Deno.test(`fetchChunks() fails if the server stops sending ${when}`, async () => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const connecting = listener.accept().then(async (connection) => {
      await connection.read(new Uint8Array(4_096));
      await connection.write(new TextEncoder().encode(answer));
      return connection;
    });
    const clock = new TestClock();
    const failed = assert.rejects(
      read(new URL(`http://127.0.0.1:${listener.addr.port}/file`), clock),
      /Cannot fetch .*: the server stopped sending/,
    );
    using _open = await connecting;
    let isOver = false;
    failed.finally(() => isOver = true);
    await until(async () => {
      // The time limit is per chunk, and the wait for the next chunk may have begun just now.
      await clock.advance(60_000);
      return isOver;
    }, "it gives up");
    await failed;
  });
}

Deno.test("fetchChunks() follows no redirect from the web to this machine", async () => {
  const asked: string[] = [];
  const fetchFromNetwork = globalThis.fetch;
  // A fake response, because a test has no https server with a trusted certificate.
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
