// The tools that change files. People see a preview of a call before they approve it.
import type { FileChangerName } from "../vocabulary/builtin_tools.ts";
import type { ActionTool } from "./definition/tool.ts";
import { fileDelete } from "./builtin/file_delete.ts";
import { fileEdit } from "./builtin/file_edit.ts";
import { fileMove } from "./builtin/file_move.ts";
import { fileWrite } from "./builtin/file_write.ts";

/** The tools that change files, by name. Custom tools and tools of servers cannot have these names. */
export const FILE_CHANGERS: Readonly<Record<FileChangerName, ActionTool>> = {
  file_write: fileWrite,
  file_edit: fileEdit,
  file_delete: fileDelete,
  file_move: fileMove,
};
