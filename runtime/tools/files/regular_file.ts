// What tools take for a file: no folder, no pipe, no device.
import type { BigIntStats } from "node:fs";
import { PlaceChanged } from "./place_changed.ts";
import { ToolFailure } from "../tool_failure.ts";

/**
 * Throws ToolFailure saying that it cannot do `action` with `text` when that is no regular file, and PlaceChanged when it
 * is a symlink: the path was real when it was checked.
 */
export function refuseUnlessFile(
  info: BigIntStats,
  { action, text }: { action: string; text: string },
): void {
  if (info.isFile()) return;
  // A symlink where a real path was: it was put there after the check.
  if (info.isSymbolicLink()) throw new PlaceChanged();
  if (info.isDirectory()) {
    throw new ToolFailure(
      `Cannot ${action} "${text}": it is a folder. Use file_glob to see what is in it.`,
    );
  }
  throw new ToolFailure(
    `Cannot ${action} "${text}": it is not a regular file (a pipe, socket or device).`,
  );
}
