// Lists the formats that `inkling import` reads. The first one that fits a file reads it.
import type { Shape } from "../reading/shape.ts";
import { CLAUDE_CODE } from "./claude_code.ts";
import { CRONTAB } from "./crontab.ts";
import { DATA_SHAPES } from "./data_shapes.ts";
import { GITHUB_WORKFLOW } from "./github_workflow.ts";
import { MARKDOWN_SHAPES } from "./markdown_shapes.ts";
import { OPENCODE_CONFIG } from "./opencode_config.ts";

/** The formats of other tools, those that a path identifies before those that only the content identifies. */
export const SHAPES: readonly Shape[] = [
  CRONTAB,
  GITHUB_WORKFLOW,
  OPENCODE_CONFIG,
  ...MARKDOWN_SHAPES,
  ...CLAUDE_CODE,
  ...DATA_SHAPES,
];

/** Returns the format of a file, or undefined. */
export function findShape(path: string, text: string): Shape | undefined {
  return SHAPES.find((shape) => shape.fits(path, text));
}
