// Starts workers with their own permissions. Code in such a worker cannot extend its permissions, nor start a worker with
// more.
import type { WorkerPermissions } from "../host_messages.ts";

/** The options of a worker with Deno's field for permissions. The field is unstable, so the compiler does not know it. */
interface ConfinedWorkerOptions extends WorkerOptions {
  deno: { permissions: Record<string, boolean | string[]> };
}

/**
 * Starts a worker with these permissions to read, write, connect and read variables. It can start no programs, load no
 * native code, read no system information, and import no code from the network. Throws if this process lacks one of the
 * permissions.
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

/** Returns the list, or `false` for an empty list, so that nothing depends on Deno's meaning of an empty list. */
function listed(list: string[]): false | string[] {
  return list.length > 0 && list;
}
