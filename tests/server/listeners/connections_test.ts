// Tests of the limits of connections over a real socket, with a manual clock.
import assert from "node:assert/strict";
import {
  Connections,
  FIRST_REQUEST_MS,
  GRACE_MS,
  MOST_WAITING,
  NEXT_REQUEST_MS,
} from "../../../server/listeners/connections.ts";
import { LogLines } from "../../support/log_lines.ts";
import { TestClock } from "../../support/test_clock.ts";
import { until } from "../../support/until.ts";

interface Stage extends AsyncDisposable {
  clock: TestClock;
  log: LogLines;
  connections: Connections;
  connect(bytes?: string): Promise<Client>;
}

interface Client {
  send(text: string): Promise<unknown>;
  /** Returns the next bytes as text, or "closed" at the end. */
  read(): Promise<string>;
  close(): void;
}

const REQUEST = "GET /x HTTP/1.1\r\nhost: localhost\r\n\r\n";

function stage(
  respond: () => Response = () => new Response("ok"),
  options: { mostStreams?: number } = {},
): Stage {
  const clock = new TestClock();
  const log = new LogLines();
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const connections = new Connections(listener, {
    ...options,
    clock,
    log,
    handler: () => respond(),
  });
  const open: Deno.Conn[] = [];
  return {
    clock,
    log,
    connections,
    async connect(bytes = "") {
      const before = clock.sleeping;
      const connection = await Deno.connect({
        hostname: "127.0.0.1",
        port: (listener.addr as Deno.NetAddr).port,
      });
      open.push(connection);
      const send = (text: string) => connection.write(new TextEncoder().encode(text));
      if (bytes !== "") await send(bytes);
      else await until(() => clock.sleeping > before, "it is accepted");
      const buffer = new Uint8Array(1_000);
      return {
        send,
        async read() {
          let count: number | null | undefined;
          void connection.read(buffer).catch(() => null).then((read) => count = read);
          await until(() => count !== undefined, "bytes, or the end of the connection");
          return typeof count === "number"
            ? new TextDecoder().decode(buffer.subarray(0, count))
            : "closed";
        },
        close: () => connection.close(),
      };
    },
    async [Symbol.asyncDispose]() {
      connections.abort();
      await connections.close();
      for (const one of open) {
        try {
          one.close();
        } catch {
          // The test has already closed this connection.
        }
      }
      assert.equal(clock.sleeping, 0);
    },
  };
}

for (const [what, bytes] of [["nothing", ""], ["half a head", REQUEST.slice(0, 20)]] as const) {
  Deno.test(`Connections closes a connection that sends ${what} in time`, async () => {
    await using on = stage();
    const silent = await on.connect(bytes);
    await until(() => on.clock.awaits(FIRST_REQUEST_MS), "it is accepted");
    await on.clock.advance(FIRST_REQUEST_MS - 1);
    assert.equal(on.clock.sleeping, 1);
    await on.clock.advance(1);
    await on.clock.advance(GRACE_MS - 1);
    assert.equal(on.clock.sleeping, 1);
    await on.clock.advance(1);
    assert.equal(await silent.read(), "closed");
  });
}

Deno.test("Connections answers a request that it reads only after the limit, because the process did not run", async () => {
  await using on = stage();
  const client = await on.connect();
  await on.clock.advance(FIRST_REQUEST_MS);
  await client.send(REQUEST);
  assert.match(await client.read(), /^HTTP\/1\.1 200 OK/);
  await on.clock.advance(NEXT_REQUEST_MS);
  await client.send(REQUEST);
  assert.match(await client.read(), /^HTTP\/1\.1 200 OK/);
});

Deno.test("Connections keeps a connection open for its next request", async () => {
  await using on = stage();
  const client = await on.connect(REQUEST);
  assert.match(await client.read(), /^HTTP\/1\.1 200 OK/);
  await on.clock.advance(NEXT_REQUEST_MS - 1);
  await client.send(REQUEST);
  assert.match(await client.read(), /^HTTP\/1\.1 200 OK/);
  await on.clock.advance(NEXT_REQUEST_MS - 1);
  await client.send(REQUEST.slice(0, 10));
  await on.clock.advance(1);
  await on.clock.advance(GRACE_MS);
  assert.equal(await client.read(), "closed");
});

Deno.test("Connections keeps a stream open and then waits for the next request", async () => {
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  await using on = stage(() =>
    new Response(new ReadableStream({ start: (controller) => void (stream = controller) }), {
      headers: { "content-type": "text/event-stream" },
    })
  );
  const client = await on.connect(REQUEST);
  assert.match(await client.read(), /^HTTP\/1\.1 200 OK/);
  await on.clock.advance(10 * NEXT_REQUEST_MS);
  stream?.enqueue(new TextEncoder().encode("event"));
  assert.match(await client.read(), /event/);
  stream?.close();
  assert.match(await client.read(), /0\r\n\r\n$/);
  await on.clock.advance(NEXT_REQUEST_MS - 1);
  await client.send(REQUEST);
  assert.match(await client.read(), /^HTTP\/1\.1 200 OK/);
  stream?.close();
});

Deno.test("Connections closes the oldest of too many waiting connections of an address", async () => {
  await using on = stage();
  const first = await on.connect();
  const second = await on.connect();
  const asking = await on.connect(REQUEST);
  assert.match(await asking.read(), /200 OK/);
  for (let n = 3; n < MOST_WAITING.ofOneAddress; n++) await on.connect();
  assert.deepEqual(on.log.lines, []);
  await on.clock.advance(1);
  await on.connect(REQUEST);
  assert.equal(await first.read(), "closed");
  await (await on.connect(REQUEST)).read();
  assert.equal(await second.read(), "closed");
  await asking.send(REQUEST);
  assert.match(await asking.read(), /200 OK/);
  assert.deepEqual(on.log.lines.map(({ level, fields }) => [level, fields["address"]]), [
    ["warn", "127.0.0.1"],
  ]);
});

Deno.test("Connections closes the newest of too many streams, and warns once", async () => {
  const streams: ReadableStreamDefaultController<Uint8Array>[] = [];
  let cancelled = 0;
  await using on = stage(() =>
    new Response(
      new ReadableStream({
        start: (controller) => void streams.push(controller),
        cancel: () => void cancelled++,
      }),
      { headers: { "content-type": "text/event-stream" } },
    ), { mostStreams: 2 });
  const [first, second] = [await on.connect(REQUEST), await on.connect(REQUEST)];
  for (const one of [first, second]) assert.match(await one.read(), /200 OK/);
  for (let n = 1; n <= 2; n++) {
    const newest = await on.connect(REQUEST);
    assert.match(await newest.read(), /200 OK/);
    assert.equal(await newest.read(), "closed");
    assert.equal(cancelled, n);
  }
  assert.deepEqual(on.log.lines.map(({ level, message }) => [level, message]), [
    ["warn", "Too many streams (limit: 2): closing the newest"],
  ]);
  streams[1]?.enqueue(new TextEncoder().encode("event"));
  assert.match(await second.read(), /event/);
  streams[0]?.close();
  assert.match(await first.read(), /0\r\n\r\n$/);
  const third = await on.connect(REQUEST);
  assert.match(await third.read(), /200 OK/);
  for (const one of [streams[1], streams.at(-1)]) one?.close();
});

Deno.test("Connections continues to accept after the system refused to accept once", async () => {
  const clock = new TestClock();
  const log = new LogLines();
  const closed = Promise.withResolvers<never>();
  let tries = 0;
  const listener: Partial<Deno.Listener> = {
    accept: () => ++tries < 3 ? Promise.reject(new Error("Too many open files")) : closed.promise,
    close: () => closed.reject(new Error("closed")),
  };
  const connections = new Connections(listener as Deno.Listener, {
    clock,
    log,
    handler: () => new Response(),
  });
  await until(() => clock.awaits(100), "the first try");
  await clock.advance(100);
  await clock.advance(200);
  assert.equal(tries, 3);
  assert.equal(log.lines.length, 1);
  await connections.close();
});
