// Describes what Deno's permissions refused: the missing flag, and the source of the flags.

/** The remedy for missing permission flags: the end of a sentence. */
export const FLAGS_REMEDY =
  `start it again with the flags that "inkling permissions" prints for config.yaml and the agents`;

const REFUSAL = /Requires ([a-z]+) access(?: to "([^"]*)")?/;

const KINDS = ["read", "write", "net", "env", "run", "sys"] as const;

/** Returns true when Deno's flags deny anything that Inkling uses. */
export function isConfined(): boolean {
  return KINDS.some((name) => Deno.permissions.querySync({ name }).state !== "granted");
}

/** A refused operation. */
export interface DeniedPermission {
  /** `read`, `net`…; `all` for what Deno allows only with all permissions. */
  kind: string;
  /** The path, host, variable or program; undefined when Deno's message names none. */
  value: string | undefined;
}

/** Returns the refusal that caused an error, directly or as its cause; undefined for every other error. */
export function deniedPermission(error: unknown): DeniedPermission | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    // A refused module load is a TypeError. Messages of other errors may come from any source.
    if (!(at instanceof Deno.errors.NotCapable || at instanceof TypeError)) continue;
    const found = REFUSAL.exec(at.message);
    if (found?.[1] !== undefined) return { kind: found[1], value: found[2] };
  }
  return undefined;
}

/**
 * Returns the end of a sentence about a refused operation: the missing flag and the remedy. With `hidden` it omits the
 * value, a path of this machine. Undefined for every other error.
 */
export function describeDenied(
  error: unknown,
  { hidden = false }: { hidden?: boolean } = {},
): string | undefined {
  const denied = deniedPermission(error);
  if (denied === undefined) return undefined;
  const { kind, value } = denied;
  if (kind === "all") return "Deno keeps the system's own files from every program";
  const flag = hidden
    ? `--allow-${kind} for it`
    : `--allow-${kind}${value === undefined ? "" : `=${value}`}`;
  return `Inkling was started without ${flag}; ${FLAGS_REMEDY}`;
}
