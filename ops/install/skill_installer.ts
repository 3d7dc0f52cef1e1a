// The operations behind `inkling skill`: adds a skill with its lock file, and lists and removes skills.
import { basename, dirname, join } from "../../base/plain_path.ts";
import { describeBadName } from "../../runtime/agents/agent_id.ts";
import { writeFileAtomically } from "../../base/files/atomic_file.ts";
import { errorsFirst, formatDiagnostic } from "../../base/diagnostics.ts";
import { ignoreMissing } from "../../base/files/missing.ts";
import { sha256Of } from "../../base/sha256.ts";
import type { Context } from "../../runtime/config/context.ts";
import { splitFrontMatter } from "../../runtime/config/files/front_matter.ts";
import { parseYaml } from "../../runtime/config/files/yaml_document.ts";
import { isWithin } from "../../runtime/tools/files/place.ts";
import { isScriptName } from "../../runtime/tools/skills/script_names.ts";
import { parseSkillFile } from "../../runtime/tools/skills/skill_file.ts";
import { SkillLibrary } from "../../runtime/tools/skills/skill_library.ts";
import {
  LOCK_NAME,
  readSkillFiles,
  type SkillContent,
  type SpecialEntry,
} from "../../runtime/tools/skills/skill_files.ts";
import {
  compareFiles,
  formatLock,
  readLock,
  type SkillChanges,
} from "../../runtime/tools/skills/skill_lock.ts";
import { findNamingAgents } from "./find_naming_agents.ts";
import { NotInstalled, refuseFileErrors } from "./not_installed.ts";
import { fetchSource, parseSkillSource } from "./skill_source.ts";

/** The names of files and folders that are not copied from a skill's source. */
const SKIPPED = [".git", ".DS_Store", "__pycache__"];

/** A request to add a skill. */
export interface SkillRequest {
  /** The source as the person typed it: a folder, an address of git, or `npm:name`. */
  source: string;
  /** The skill's name. The name in SKILL.md if absent. */
  name?: string;
  /** The skill's folder within the source. The source's root if absent. */
  path?: string;
}

/** A downloaded skill that is not added yet. Dispose removes the download. */
export interface PreparedSkill extends AsyncDisposable {
  name: string;
  description: string;
  /** The source with its version, and with a digest or commit. */
  pinned: string;
  /** The relative paths of the skill's files. */
  files: string[];
  bytes: number;
  /** The relative paths of the scripts that agents may start. */
  scripts: string[];
  /** The absolute path of the skill's folder in the workspace. */
  target: string;
  /** The differences to the installed skill. Undefined if the skill is not installed. */
  changes: SkillChanges | undefined;
  /** Installs the skill, and replaces an installed skill with this name. */
  add(): Promise<void>;
}

/** A skill of the workspace. */
export interface ListedSkill {
  name: string;
  description: string;
  /** The source with its version. Undefined for a skill that a person wrote in the workspace. */
  source: string | undefined;
  /** The reason why the skill cannot be used. Undefined if it can. */
  problem: string | undefined;
  /** The absolute path of the skill's folder. */
  target: string;
  /** The ids of the agents that name the skill. */
  agents: string[];
}

/** Adds, lists and removes the skills of one workspace. */
export class SkillInstaller {
  readonly #options: Pick<Context, "settings" | "clock"> & { cwd: string };

  constructor(options: Pick<Context, "settings" | "clock"> & { cwd: string }) {
    this.#options = options;
  }

  /**
   * Downloads and checks a skill, and returns it, ready to be added. Throws NotInstalled, or rethrows the signal's reason.
   */
  async prepare(request: SkillRequest, signal: AbortSignal): Promise<PreparedSkill> {
    const { settings: { shell, home, directories: { skillsDir } }, clock, cwd } = this.#options;
    const source = parseSkillSource(request.source, { cwd, home });
    return await refuseFileErrors(async () => {
      await Deno.mkdir(skillsDir, { recursive: true });
      await using stack = new AsyncDisposableStack();
      const staging = await Deno.makeTempDir({ dir: skillsDir, prefix: ".adding-" });
      stack.defer(() => Deno.remove(staging, { recursive: true }));
      const fetched = await fetchSource(source, { shell, clock, signal, staging });
      const folder = await findFolder(fetched.folder, request.path);
      const files = await readFiles(folder);
      const skillFile = files.find(({ path }) => path === "SKILL.md");
      if (skillFile === undefined) {
        throw new NotInstalled(
          "It has no SKILL.md at its top: name its folder in the source with --path",
        );
      }
      const text = new TextDecoder().decode(skillFile.bytes);
      const name = request.name ?? declaredName(text);
      if (name === undefined) throw new NotInstalled("Its SKILL.md has no name: give --name");
      const badName = describeBadName(name);
      if (badName !== undefined) {
        throw new NotInstalled(`The name of a skill ${badName}: ${JSON.stringify(name)}`);
      }
      const parsed = parseSkillFile({ path: "SKILL.md", text }, name);
      if ("diagnostics" in parsed) {
        const [problem] = parsed.diagnostics.filter(({ severity }) => severity === "error");
        throw new NotInstalled(`It cannot be used: ${problem && formatDiagnostic(problem)}`);
      }
      const target = join(skillsDir, name);
      const pinned = request.path === undefined
        ? fetched.pinned
        : `${fetched.pinned} ${request.path}`;
      const changes = await findChanges(target, files);
      const kept = stack.move();
      return {
        name,
        description: parsed.file.description,
        pinned,
        files: files.map(({ path }) => path),
        bytes: files.reduce((sum, { bytes }) => sum + bytes.length, 0),
        scripts: files.map(({ path }) => path).filter(isScript),
        target,
        changes,
        add: () => refuseFileErrors(() => put({ files, pinned, staging, target })),
        [Symbol.asyncDispose]: () => kept.disposeAsync(),
      };
    }, source.kind === "folder" ? request.source : undefined);
  }

  /** Returns the skills of the workspace, sorted by name. */
  async list(): Promise<ListedSkill[]> {
    const { settings } = this.#options;
    const { skillsDir } = settings.directories;
    return await refuseFileErrors(async () => {
      const entries = await Array.fromAsync(Deno.readDir(skillsDir)).catch(ignoreMissing) ?? [];
      const names = entries.filter(({ isFile }) => !isFile).map(({ name }) => name)
        .filter((name) => describeBadName(name) === undefined).sort();
      if (names.length === 0) return [];
      const library = new SkillLibrary(settings);
      const naming = await findNamingAgents("skills", settings);
      return await Promise.all(names.map(async (name) => {
        const target = join(skillsDir, name);
        const reading = await library.read(name);
        const lock = await readLock(target);
        const [problem] = "skill" in reading ? [] : errorsFirst(reading.diagnostics);
        return {
          name,
          description: "skill" in reading ? reading.skill.description : "",
          source: lock === undefined || lock === "broken" ? undefined : lock.source,
          problem: problem?.message,
          target,
          agents: naming.get(name) ?? [],
        };
      }));
    });
  }

  /** Deletes a skill's folder. If the folder is a symbolic link, deletes only the link. Throws NotInstalled. */
  async remove({ target }: Pick<ListedSkill, "target">): Promise<void> {
    await refuseFileErrors(async () => {
      const { isSymlink } = await Deno.lstat(target);
      await Deno.remove(target, { recursive: !isSymlink });
    });
  }
}

async function findFolder(root: string, path: string | undefined): Promise<string> {
  const real = await Deno.realPath(root);
  if (path === undefined) return real;
  const folder = await Deno.realPath(join(real, path));
  if (!isWithin(folder, real)) {
    throw new NotInstalled(`--path leads out of the source: ${JSON.stringify(path)}`);
  }
  return folder;
}

/**
 * Reads a skill's files, including symbolic links to files of the same skill. Throws NotInstalled for any other kind of
 * entry.
 */
async function readFiles(folder: string): Promise<(SkillContent & { mode: number })[]> {
  const { files, oddities } = await readSkillFiles(folder, { skip: SKIPPED });
  const linked = await Promise.all(oddities.map((one) => followLink(folder, one)));
  return await Promise.all([...files, ...linked].map(async (file) => {
    const { mode } = await Deno.stat(join(folder, file.path));
    return { ...file, mode: ((mode ?? 0) & 0o111) === 0 ? 0o644 : 0o755 };
  }));
}

async function followLink(folder: string, { path, target }: SpecialEntry): Promise<SkillContent> {
  if (target === undefined) throw new NotInstalled(`${path} in it is neither file nor folder`);
  const real = await Deno.realPath(join(folder, path)).catch(ignoreMissing);
  if (real === undefined || !isWithin(real, folder)) {
    throw new NotInstalled(`${path} in it is a link to a place outside: ${target}`);
  }
  if (!(await Deno.stat(real)).isFile) {
    throw new NotInstalled(`${path} in it is a link to a folder: only files may be linked`);
  }
  const bytes = await Deno.readFile(real);
  return { path, bytes, digest: await sha256Of(bytes) };
}

/** Returns the name in a SKILL.md. Undefined if the file contains no name or cannot be parsed; other checks report that. */
function declaredName(text: string): string | undefined {
  const parts = splitFrontMatter(text);
  if (parts === "unterminated") return undefined;
  const parsed = parseYaml(parts.yaml ?? "", { path: "SKILL.md" });
  const name = "document" in parsed ? parsed.document.value["name"] : undefined;
  return typeof name === "string" ? name : undefined;
}

/** Returns true if agents may start this file: a script in the skill's folder or below `scripts`. */
function isScript(path: string): boolean {
  return isScriptName(path) && (!path.includes("/") || path.startsWith("scripts/"));
}

/**
 * Compares the download with the installed skill. Throws NotInstalled for a skill that a person wrote, because such a skill
 * is never replaced.
 */
async function findChanges(
  target: string,
  files: readonly SkillContent[],
): Promise<SkillChanges | undefined> {
  const info = await Deno.lstat(target).catch(ignoreMissing);
  if (info === undefined) return undefined;
  const lock = info.isDirectory ? await readLock(target) : undefined;
  if (lock === undefined || lock === "broken") {
    throw new NotInstalled(
      `There is a skill ${JSON.stringify(basename(target))} that was not added by this command: ` +
        "give --name, or remove it first",
    );
  }
  const present = await readSkillFiles(target);
  return compareFiles({
    files: Object.fromEntries(present.files.map((one) => [one.path, one.digest])),
  }, files);
}

async function put(
  { files, pinned, staging, target }: {
    files: readonly (SkillContent & { mode: number })[];
    pinned: string;
    staging: string;
    target: string;
  },
): Promise<void> {
  const fresh = join(staging, "fresh");
  await Deno.mkdir(fresh);
  for (const { path, bytes, mode } of files) {
    const file = join(fresh, path);
    await Deno.mkdir(dirname(file), { recursive: true });
    await writeFileAtomically(file, bytes, { mode });
  }
  await writeFileAtomically(join(fresh, LOCK_NAME), formatLock(pinned, files));
  const former = join(staging, "former");
  const hadFormer = await Deno.rename(target, former).then(() => true, ignoreMissing) ?? false;
  try {
    await Deno.rename(fresh, target);
  } catch (error) {
    if (hadFormer) await Deno.rename(former, target);
    throw error;
  }
}
