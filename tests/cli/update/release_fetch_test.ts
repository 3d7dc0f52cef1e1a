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

Deno.test("fetchChunks() tells a file that ends before its announced length", async () => {
  await withServer(`${HEAD}12345`, async (address) => {
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
