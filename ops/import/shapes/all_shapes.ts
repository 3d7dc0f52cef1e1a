// Lists the formats that `inkling import` reads. The first one that fits a file reads it.
import { parseFile } from "../reading/front_matter.ts";
import type { ForeignFile, Reading, Shape } from "../reading/shape.ts";
import { CRONTAB } from "./crontab.ts";
import { FILE_SHAPES } from "./formats.ts";

const SHAPES: readonly Shape[] = [CRONTAB, ...FILE_SHAPES];

/** A file of another tool with its format. */
export type RecognizedFile =
  & Reading
  & Pick<Shape, "name" | "context">
  & Pick<ForeignFile, "fields">;

/** Reads a file of another tool. Returns undefined for any other file. */
export function readForeignFile(path: string, text: string): RecognizedFile | undefined {
  const file = parseFile(path, text);
  const shape = SHAPES.find((one) => one.fits(file));
  if (shape === undefined) return undefined;
  const { name, context } = shape;
  return { name, context, fields: file.fields, ...shape.read(file) };
}
