// The inner boundary: a worker with permissions of its own, which it can neither widen nor hand on widened.
import type { WorkerPermissions } from "../host_messages.ts";

/** Deno's addition to a worker's options; unstable, so the compiler does not know it. */
interface ConfinedWorkerOptions extends WorkerOptions {
  deno: { permissions: Record<string, boolean | string[]> };
}

/**
 * Starts a worker that may read, write, connect and look up as told: no programs, no native code, nothing about the
 * machine, no code from the network. Throws where this process itself may not do what the worker should.
 */
export function confinedWorker(url: URL, permissions: WorkerPermissions): Worker {
  const { read, write, net, env } = permissions;
  const options: ConfinedWorkerOptions = {
    type: "module",
    deno: {
      permissions: {
        read: listed(read),
        write: listed(write),
        net: listed(net),
        env: listed(env),
        run: false,
        ffi: false,
        sys: false,
        import: false,
      },
    },
  };
  return new Worker(url, options);
}

/** Nothing listed, nothing allowed: said outright, so that it does not hang on what an empty list means. */
function listed(list: string[]): false | string[] {
  return list.length > 0 && list;
}
