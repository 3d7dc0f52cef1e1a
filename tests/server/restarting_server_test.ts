import assert from "node:assert/strict";
import { listenWithRestarts } from "../../server/restarting_server.ts";
import { LogLines } from "../support/log_lines.ts";
import { TestClock } from "../support/test_clock.ts";
import { until } from "../support/until.ts";

type Server = Deno.HttpServer<Deno.NetAddr>;

/** A server that fails when told to. */
function createServer(): { server: Server; fail: (error: Error) => void; isShut: () => boolean } {
  const { promise: finished, resolve, reject } = Promise.withResolvers<void>();
  let isShut = false;
  const server: Partial<Server> = {
    finished,
    addr: { transport: "tcp", hostname: "127.0.0.1", port: 4_711 },
    shutdown() {
      isShut = true;
      resolve();
      return Promise.resolve();
    },
  };
  return { server: server as Server, fail: reject, isShut: () => isShut };
}

Deno.test("listenWithRestarts() listens anew when the system refuses to accept, as soon as it can, and tells it", async () => {
  const clock = new TestClock();
  const log = new LogLines();
  const servers = [createServer(), createServer()];
  let opened = 0;
  let refusals = 1;
  const listener = await listenWithRestarts<Server>({
    address: ({ addr }) => `tcp://${addr.hostname}:${addr.port}`,
    open(before) {
      if (before !== undefined && refusals-- > 0) throw new Error("Too many open files");
      return servers[opened++]?.server as Server;
    },
  }, { clock, log });
  servers[0]?.fail(new Error("Too many open files"));
  await until(() => clock.awaits(100), "the first try");
  await clock.advance(100);
  await until(() => clock.awaits(200), "the second try");
  await clock.advance(200);
  await until(() => opened === 2, "the second server");
  assert.deepEqual(log.lines.map(({ level, message }) => `${level} ${message}`), [
    "warn Connections cannot be accepted; listening again",
    "warn Cannot listen yet",
    "info Listening again",
  ]);
  await listener.close();
  assert.equal(servers[1]?.isShut(), true);
});

Deno.test("listenWithRestarts() opens nothing any more once it is closed", async () => {
  const clock = new TestClock();
  const { server, fail } = createServer();
  let opened = 0;
  const listener = await listenWithRestarts<Server>({
    address: () => "here",
    open() {
      opened++;
      return server;
    },
  }, { clock, log: new LogLines() });
  fail(new Error("Too many open files"));
  await until(() => clock.awaits(100), "the first try");
  await listener.close();
  await clock.advance(60_000);
  assert.equal(opened, 1);
});
