// Opens the files of the workspace for requests that may change them.
import type { FilePlace, WorkspaceFiles } from "../../runtime/interface/workspace_files.ts";
import { RequestRefused } from "../errors.ts";
import type { Services } from "./operation.ts";
import { requireRight } from "./required_right.ts";

/**
 * Returns the files of a request that may change them. Who writes a file runs code, so over TCP the key must be a named
 * one, unless `service.edit` is set. config.yaml and MCP servers are for admins. Throws RequestRefused (403).
 */
export async function openFiles(services: Services, place?: FilePlace): Promise<WorkspaceFiles> {
  const { runtime, caller, isLocal } = services;
  requireRight(services, place?.kind === "config" || place?.kind === "mcp" ? "admin" : "edit");
  const isSafe = isLocal === true || runtime.config.service.edit || caller.key !== undefined;
  if (!isSafe || caller.via === "program") throw new RequestRefused(403, MAY_NOT_EDIT);
  return await runtime.files();
}

const MAY_NOT_EDIT = "Over TCP, this key may not change files: " +
  "use a named key, set service: { edit: true } in config.yaml, or use the Unix socket";
