// No process of a tool gets more than this process has itself. Deno does not see to that: a program that is started has
// the flags that it is started with.
import { FLAGS_REMEDY } from "../../../base/denied_permission.ts";
import { ToolFailure } from "../tool_failure.ts";
import type { WorkerPermissions } from "./host_messages.ts";

/**
 * Throws ToolFailure for the first path or host that this process may not reach itself. Variables are not looked at: a
 * tool's process has none but those that it was given, most of them from environment files.
 */
export function requireOwnPermissions({ read, write, net }: WorkerPermissions): void {
  for (const path of read) requireOwn({ name: "read", path }, path);
  for (const path of write) requireOwn({ name: "write", path }, path);
  for (const host of net) requireOwn({ name: "net", host }, host);
}

function requireOwn(descriptor: Deno.PermissionDescriptor, value: string): void {
  if (Deno.permissions.querySync(descriptor).state === "granted") return;
  const { name } = descriptor;
  const first = name === "net" ? "name the host under http.allow in config.yaml, then " : "";
  throw new ToolFailure(
    `Cannot start the tool's process: it needs ${name} access to ${value}, and Inkling was started without ` +
      `--allow-${name}=${value}; ${first}${FLAGS_REMEDY}.`,
  );
}
