// Reads and checks skill.lock, which contains the source of an added skill and the digest of each of its files. A skill
// without a lock was written by the user, and is not checked.
import { join } from "../../../base/plain_path.ts";
import { z } from "zod";
import { ignoreMissing } from "../../../base/files/missing.ts";
import { isFileFailure } from "../../../base/files/unreadable.ts";
import { readWholeFile } from "../../../base/files/whole_file.ts";
import { LOCK_NAME, readSkillFiles, type SkillContent } from "./skill_files.ts";

const LARGEST_LOCK_BYTES = 1_024 * 1_024;
/** The maximum number of files that a message about changes lists. */
const NAMED = 5;

const schema = z.object({
  source: z.string(),
  files: z.record(z.string(), z.string()),
});

/** The content of a skill.lock. */
export type SkillLock = z.output<typeof schema>;

/** Returns the text of a skill.lock. */
export function formatLock(
  source: string,
  files: readonly Pick<SkillContent, "path" | "digest">[],
): string {
  const digests = Object.fromEntries(files.map(({ path, digest }) => [path, digest]));
  return `${JSON.stringify({ source, files: digests }, null, 2)}\n`;
}

/** Reads the lock in a skill's folder. Returns undefined if the lock does not exist, and "broken" if it is invalid. */
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
    return "broken"; // The kind of fault does not matter: the file is not as Inkling wrote it.
  }
}

/** The paths at which a skill's files differ from its lock. */
export interface SkillChanges {
  changed: string[];
  added: string[];
  missing: string[];
}

/** Returns the differences between a skill's files and the digests in its lock. */
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
 * Returns the reason that a skill's lock forbids its use, as a sentence. Returns undefined if there is no lock, or the
 * files match it. Throws ToolFailure if a limit is exceeded or a file cannot be read.
 */
export async function describeLockViolation(folder: string): Promise<string | undefined> {
  const lock = await readLock(folder);
  if (lock === undefined) return undefined;
  if (lock === "broken") {
    return `Its ${LOCK_NAME} is invalid. ${REMEDY}`;
  }
  const { files, oddities } = await readSkillFiles(folder, { skip: [".DS_Store"] });
  const { changed, added, missing } = compareFiles(lock, files);
  const differences = [
    ...changed.map((path) => `${path} has changed`),
    ...added.map((path) => `${path} is new`),
    ...missing.map((path) => `${path} is missing`),
    ...oddities.map(({ path }) => `${path} is not a file`),
  ];
  if (differences.length === 0) return undefined;
  const more = differences.length - NAMED;
  const named = differences.slice(0, NAMED).map((one) => one.replaceAll(/\p{Cc}/gu, "?"));
  const all = [...named, ...(more > 0 ? [`${more} more differ`] : [])];
  return `The skill has changed since it was added: ${all.join(", ")}. ${REMEDY}`;
}

const REMEDY = 'Check it, then add it again ("inkling skill add"), or remove its ' +
  `${LOCK_NAME} to use it as it is`;
