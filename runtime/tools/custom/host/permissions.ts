// Gives up permissions of a host process. Needed for a compiled executable, which starts with all of Inkling's permissions.
// A process from source never has the permissions that are given up.

type Kind = "run" | "ffi" | "sys" | "net" | "env";

/** Gives up these kinds of permission for the rest of the process's life, except the kinds in `keeps`. */
export function dropPermissions(
  kinds: readonly Kind[],
  { keeps = [] }: { keeps?: readonly Kind[] } = {},
): void {
  for (const name of kinds) {
    if (!keeps.includes(name)) Deno.permissions.revokeSync({ name });
  }
}
