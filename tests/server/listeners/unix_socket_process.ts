// Listens on a socket where every file is open to everyone by default; prints the modes of the socket and of its folder at the
// moment at which it is bound, and afterwards. A process of its own: the threads of a test run share one umask.
import { dirname } from "node:path";
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
const listener = await listenOnSocket(path, {
  handler: () => new Response("fine"),
  clock: new TestClock(),
  log: { write: () => {} },
});
note("listening");
const mask = Deno.umask();
await listener.close();
console.log(JSON.stringify({ ...modes, mask }));
