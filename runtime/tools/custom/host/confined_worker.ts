// The inner boundary: a worker with permissions of its own, which it can neither extend nor pass on extended.
import type { WorkerPermissions } from "../host_messages.ts";

/** Deno's addition to a worker's options. It is unstable, so the compiler does not know it. */
interface ConfinedWorkerOptions extends WorkerOptions {
  deno: { permissions: Record<string, boolean | string[]> };
}

/**
 * Starts a worker with these permissions to read, write, connect and read variables: no programs, no native code, no system
 * information, no code from the network. Throws when this process lacks a permission itself.
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

/** An empty list becomes `false`, so that nothing depends on the meaning of an empty list. */
function listed(list: string[]): false | string[] {
  return list.length > 0 && list;
}
