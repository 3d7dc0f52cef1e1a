// The outer boundary of a compiled binary, as far as it reaches: kinds of permission that a host process gives up for good.
// From source the process never had them.

type Kind = "run" | "ffi" | "sys" | "net" | "env";

/** Gives up these kinds of permission, but for those that are kept. */
export function dropPermissions(
  kinds: readonly Kind[],
  { keeps = [] }: { keeps?: readonly Kind[] } = {},
): void {
  for (const name of kinds) {
    if (!keeps.includes(name)) Deno.permissions.revokeSync({ name });
  }
}
