// skill.lock: where a skill that was added comes from, and the digest of each of its files. A skill without one is as its
// owner wrote it.
import { join } from "node:path";
import { z } from "zod";
import { ignoreMissing } from "../../../base/files/missing.ts";
import { isFileFailure } from "../../../base/files/unreadable.ts";
import { readWholeFile } from "../../../base/files/whole_file.ts";
import { LOCK_NAME, readSkillFiles, type SkillContent } from "./skill_files.ts";

const LARGEST_LOCK_BYTES = 1_024 * 1_024;
/** Of the files that differ, so many are named. */
const NAMED = 5;

const schema = z.object({
  source: z.string(),
  files: z.record(z.string(), z.string()),
});

/** What a lock says. */
export type SkillLock = z.output<typeof schema>;

/** The text of a lock. */
export function formatLock(
  source: string,
  files: readonly Pick<SkillContent, "path" | "digest">[],
): string {
  const digests = Object.fromEntries(files.map(({ path, digest }) => [path, digest]));
  return `${JSON.stringify({ source, files: digests }, null, 2)}\n`;
}

/** The lock in a skill's folder; undefined where there is none, "broken" where it is none. */
export async function readLock(folder: string): Promise<SkillLock | "broken" | undefined> {
  let bytes: Uint8Array | undefined;
  try {
    bytes = await readWholeFile(join(folder, LOCK_NAME), { maxBytes: LARGEST_LOCK_BYTES })
      .catch(ignoreMissing);
  } catch (error) {
    if (isFileFailure(error)) return "broken";
    throw error;
  }
  if (bytes === undefined) return undefined;
  try {
    return schema.parse(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)));
  } catch {
    return "broken"; // Whatever is wrong with it: it is not what we wrote.
  }
}

/** How files differ from digests, by path. */
export interface SkillChanges {
  changed: string[];
  added: string[];
  missing: string[];
}

/** Compares files with the digests of a lock. */
export function compareFiles(
  { files: locked }: Pick<SkillLock, "files">,
  files: readonly Pick<SkillContent, "path" | "digest">[],
): SkillChanges {
  const known = new Map(Object.entries(locked));
  const present = new Set(files.map(({ path }) => path));
  return {
    changed: files.filter(({ path, digest }) => known.has(path) && known.get(path) !== digest)
      .map(({ path }) => path),
    added: files.filter(({ path }) => !known.has(path)).map(({ path }) => path),
    missing: [...known.keys()].filter((path) => !present.has(path)),
  };
}

/**
 * Why a skill may not be used although nothing else is wrong with it, as a sentence; undefined: it has no lock, or is as that
 * says. Throws ToolFailure for more files than a skill may have, and for what cannot be read.
 */
export async function describeUnlocked(folder: string): Promise<string | undefined> {
  const lock = await readLock(folder);
  if (lock === undefined) return undefined;
  if (lock === "broken") {
    return `Its ${LOCK_NAME} is not one: ${WHAT_TO_DO}`;
  }
  const { files, oddities } = await readSkillFiles(folder, { skip: [".DS_Store"] });
  const { changed, added, missing } = compareFiles(lock, files);
  const differences = [
    ...changed.map((path) => `${path} has changed`),
    ...added.map((path) => `${path} is new`),
    ...missing.map((path) => `${path} is missing`),
    ...oddities.map(({ path }) => `${path} is no file`),
  ];
  if (differences.length === 0) return undefined;
  const more = differences.length - NAMED;
  const named = differences.slice(0, NAMED).map((one) => one.replaceAll(/\p{Cc}/gu, "?"));
  const all = [...named, ...(more > 0 ? [`${more} more differ`] : [])];
  return `It is not as it was when it was added: ${all.join(", ")}. ${WHAT_TO_DO}`;
}

const WHAT_TO_DO = 'Look at it; then add it again ("inkling skill add"), or remove its ' +
  `${LOCK_NAME} to use it as it is`;
