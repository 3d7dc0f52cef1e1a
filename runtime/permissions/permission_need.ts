// Defines a needed Deno permission, and checks if this process has it.
import { mayConnect } from "../tools/http/net_permission.ts";

/**
 * The kinds of permission. Each is granted for single values, such as paths or hosts. `run` is an exception, see
 * derive_flags.ts.
 */
export type PermissionKind = "read" | "write" | "net" | "env" | "run";

/** A needed permission. */
export interface PermissionNeed {
  kind: PermissionKind;
  /**
   * The value: an absolute path, `host` or `host:port`, or the name of a variable (`NAME_*` for every name that begins so).
   * Empty for `run`.
   */
  value: string;
  /** The purpose of the permission, for a person. */
  why: string;
}

/** Returns the permissions for these values, all with the same purpose. Leaves out missing values. */
export function needsOf(
  why: string,
  values: { readonly [kind in PermissionKind]?: readonly (string | null | undefined)[] },
): PermissionNeed[] {
  return Object.entries(values).flatMap(([kind, list]) =>
    list.filter((value) => value !== null && value !== undefined)
      .map((value) => ({ kind: kind as PermissionKind, value, why }))
  );
}

/** Returns true if this process has the permission. */
export function isGranted({ kind, value }: Pick<PermissionNeed, "kind" | "value">): boolean {
  switch (kind) {
    case "read":
    case "write":
      return state({ name: kind, path: value }) === "granted";
    case "net": {
      const { hostname, port } = splitHost(value);
      return mayConnect(hostname, port ?? 443);
    }
    case "env":
      return state({ name: kind, variable: value }) === "granted";
    case "run":
      return state({ name: kind }) === "granted";
    default:
      return kind satisfies never;
  }
}

/** Splits an address such as `example.com:443` or `[::1]` into host and port. */
export function splitHost(value: string): { hostname: string; port: number | undefined } {
  const port = /:(\d+)$/.exec(value.replace(/\[.*\]/, ""))?.[1];
  if (port === undefined) return { hostname: value, port };
  return { hostname: value.slice(0, -port.length - 1), port: Number(port) };
}

function state(descriptor: Deno.PermissionDescriptor): Deno.PermissionState {
  return Deno.permissions.querySync(descriptor).state;
}
