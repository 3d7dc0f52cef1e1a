// Starts workers with their own permissions, and gives up the process's other permissions. Code in such a worker cannot
// extend its permissions, nor start a worker with more.
import type { WorkerPermissions } from "../host_messages.ts";

/**
 * Starts a worker with these permissions to read, write, connect and read variables. It can start no programs, load no
 * native code, read no system information, and import no code from the network. Throws if this process lacks one of the
 * permissions.
 *
 * This process gives up the kinds of permission that no worker gets, and `net` and `env` if this worker does not get them.
 * That is needed in a compiled executable, which starts with all of Inkling's permissions. A process from source never has
 * the permissions that are given up.
 */
export function confinedWorker(url: URL, permissions: WorkerPermissions): Worker {
  const { read, write, net, env } = permissions;
  for (const name of ["run", "ffi", "sys"] as const) Deno.permissions.revokeSync({ name });
  if (net.length === 0) Deno.permissions.revokeSync({ name: "net" });
  if (env.length === 0) Deno.permissions.revokeSync({ name: "env" });
  // Deno's field for permissions is unstable, so the compiler does not know it.
  const options: WorkerOptions & { deno: object } = {
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
