// Listens on a socket where every file is open to everyone by default; prints the modes of the socket and of its folder at the
// moment at which it is bound, and afterwards; then what becomes of a socket for datagrams, to which nobody can connect though
// a process holds it. A process of its own: the threads of a test run share one umask, and datagrams need a flag.
import { dirname, join } from "node:path";
import { listenOnSocket } from "../../../server/listeners/unix_socket.ts";
import { TestClock } from "../../support/test_clock.ts";

const [path = ""] = Deno.args;
const modes: Record<string, string[]> = { bound: [], listening: [] };

/** Before anything else can run: the system calls of a bind and of this look follow each other. */
const note = (when: string) => {
  for (const one of [path, dirname(path)]) {
    modes[when]?.push(((Deno.lstatSync(one).mode ?? 0) & 0o777).toString(8));
  }
};

// Whichever of them binds.
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
// A socket that was taken over would keep the process.
Deno.exit();
