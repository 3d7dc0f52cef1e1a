// Listens on a socket with an umask that opens every file to everyone. Prints the modes of the socket and its folder during
// and after the bind, and the result for a datagram socket that another process holds. This is a separate process, because
// a test's threads share one umask and datagrams need a Deno flag.
import { dirname, join } from "node:path";
import { listenOnSocket } from "../../../server/listeners/unix_socket.ts";
import { TestClock } from "../../support/test_clock.ts";

const [path = ""] = Deno.args;
const modes: Record<string, string[]> = { bound: [], listening: [] };

/** The modes are read at once: the bind and this read are consecutive system calls. */
const note = (when: string) => {
  for (const one of [path, dirname(path)]) {
    modes[when]?.push(((Deno.lstatSync(one).mode ?? 0) & 0o777).toString(8));
  }
};

// Deno binds sockets in both of these functions.
for (const name of ["serve", "listen"] as const) {
  const bind = Deno[name] as (...args: unknown[]) => unknown;
  Object.defineProperty(Deno, name, {
    value: (...args: unknown[]) => {
      const bound = bind(...args);
      note("bound");
      return bound;
    },
  });
}

Deno.umask(0);
const options = {
  handler: () => new Response("fine"),
  clock: new TestClock(),
  log: { write: () => {} },
};
const listener = await listenOnSocket(path, options);
note("listening");
const mask = Deno.umask();
await listener.close();
const held = join(dirname(path), "datagrams.sock");
Deno.listenDatagram({ transport: "unixpacket", path: held });
const { ino } = Deno.lstatSync(held);
const refusal = await listenOnSocket(held, options).then(() => "", String);
const isLeft = Deno.lstatSync(held).ino === ino;
console.log(JSON.stringify({ ...modes, mask, refusal, isLeft }));
// An open socket would keep the process alive.
Deno.exit();
