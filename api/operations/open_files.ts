// Opens the files of the workspace for requests that may change them.
import type { FilePlace, WorkspaceFiles } from "../../runtime/interface/workspace_files.ts";
import { hasRight } from "../../runtime/vocabulary/rights.ts";
import { RequestRefused } from "../errors.ts";
import type { Services } from "./operation.ts";
import { requireRight } from "./required_right.ts";

/** Returns the files of a request that may change them. Throws RequestRefused (403). */
export async function openFiles(services: Services, place?: FilePlace): Promise<WorkspaceFiles> {
  requireEditor(services, place);
  return await services.runtime.files();
}

/** Throws RequestRefused (403) unless the sender may change files. config.yaml and MCP servers are for admins. */
export function requireEditor(services: Services, place?: FilePlace): void {
  requireRight(services, place?.kind === "config" || place?.kind === "mcp" ? "admin" : "edit");
  if (!mayEditFiles(services)) throw new RequestRefused(403, MAY_NOT_EDIT);
}

/**
 * Returns true if the sender may change agent files. Who writes a file runs code, so over TCP the sender must have a role,
 * as a named key or by a sign-in, unless `service.edit` is set. The service's single key has no role.
 */
export function mayEditFiles({ runtime, caller, isLocal }: Services): boolean {
  const isSafe = isLocal === true || runtime.config.service.edit || caller.role !== undefined;
  return isSafe && caller.via !== "program" && hasRight(caller, "edit");
}

const MAY_NOT_EDIT = "Over TCP, this key may not change files: " +
  "use a named key, set service: { edit: true } in config.yaml, or use the Unix socket";
