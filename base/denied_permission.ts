// Describes an operation that Deno's permissions denied: the missing flag, and the place where the flags are set.

/** The remedy for missing permission flags, as a clause in which `it` is Inkling. */
export const FLAGS_REMEDY =
  `start it again with the flags that "inkling permissions" prints for config.yaml and the agents`;

const REFUSAL = /Requires ([a-z]+) access(?: to "([^"]*)")?/;

const KINDS = ["read", "write", "net", "env", "run", "sys"] as const;

/** Returns true if Deno's flags deny any permission that Inkling uses. */
export function isConfined(): boolean {
  return KINDS.some((name) => Deno.permissions.querySync({ name }).state !== "granted");
}

/**
 * Returns true if Deno's flags permit the use of a path, or of another value. Deno keeps the answer for each value until the
 * process ends, so the kind is queried first: then a service that writes many files does not grow with each path.
 */
export function isPermitted(descriptor: Deno.PermissionDescriptor): boolean {
  const { state, partial } = Deno.permissions.querySync({ name: descriptor.name });
  return state === "granted" && !partial ||
    Deno.permissions.querySync(descriptor).state === "granted";
}

/** An operation that Deno's permissions denied. */
export interface DeniedPermission {
  /** The kind of permission, such as `read` or `net`; `all` for an operation that Deno allows only with all permissions. */
  kind: string;
  /** The denied path, host, variable or program; undefined if Deno's message names none. */
  value: string | undefined;
}

/** Returns the denied operation that caused an error, directly or through `cause`; undefined for every other error. */
export function deniedPermission(error: unknown): DeniedPermission | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    // A denied module load is a TypeError. Other kinds of errors are ignored, because their messages may come from any
    // source.
    if (!(at instanceof Deno.errors.NotCapable || at instanceof TypeError)) continue;
    const found = REFUSAL.exec(at.message);
    if (found?.[1] !== undefined) return { kind: found[1], value: found[2] };
  }
  return undefined;
}

/**
 * Describes a denied operation in a clause, to be printed after a colon: the missing flag and the remedy. With `hidden` the
 * value, a path of this machine, is omitted. Returns undefined for every other error.
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
