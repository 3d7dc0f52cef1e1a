// The outer boundary of a compiled binary: kinds of permission that a host process gives up for good. A process from source
// never has them.

type Kind = "run" | "ffi" | "sys" | "net" | "env";

/** Gives up these kinds of permission, except the kept ones. */
export function dropPermissions(
  kinds: readonly Kind[],
  { keeps = [] }: { keeps?: readonly Kind[] } = {},
): void {
  for (const name of kinds) {
    if (!keeps.includes(name)) Deno.permissions.revokeSync({ name });
  }
}
