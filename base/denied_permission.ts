// What Deno's own permissions refused, as text for a person: which flag would have allowed it, and where flags come from.

/** Where the flags stand that config.yaml and the agents ask for: the end of a sentence. */
export const FLAGS_REMEDY =
  `start it again with the flags that "inkling permissions" prints for config.yaml and the agents`;

const REFUSAL = /Requires ([a-z]+) access(?: to "([^"]*)")?/;

const KINDS = ["read", "write", "net", "env", "run", "sys"] as const;

/** Whether Deno's flags close anything of what Inkling uses. */
export function isConfined(): boolean {
  return KINDS.some((name) => Deno.permissions.querySync({ name }).state !== "granted");
}

/** What was refused. */
export interface DeniedPermission {
  /** `read`, `net`…; `all` for what Deno gives only to who may do everything. */
  kind: string;
  /** The path, host, variable or program; undefined where Deno names none. */
  value: string | undefined;
}

/** What Deno refused with this error, or with one that caused it; undefined for every other error. */
export function deniedPermission(error: unknown): DeniedPermission | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    // A module that may not be loaded comes as TypeError. The messages of other errors may come from anybody.
    if (!(at instanceof Deno.errors.NotCapable || at instanceof TypeError)) continue;
    const found = REFUSAL.exec(at.message);
    if (found?.[1] !== undefined) return { kind: found[1], value: found[2] };
  }
  return undefined;
}

/**
 * The end of a sentence for what Deno refused: which flag is missing, and what to do about it. With `hidden` the value
 * (a path of this machine) is not named. Undefined for every other error.
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
