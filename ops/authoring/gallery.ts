// The gallery: agents that ship with the program. `inkling new --from` copies one into a workspace, with its test cases and
// the files that it works on.
import { writeFileAtomically } from "../../base/files/atomic_file.ts";
import { isBelow } from "../../base/files/path_below.ts";
import { isFileFailure, unreadableReason } from "../../base/files/unreadable.ts";
import { basename, dirname, join, relative } from "../../base/plain_path.ts";
import { galleryFolder } from "../../base/program_files.ts";
import { type NewAgentFields, ON_ONE_LINE } from "../../runtime/agents/agent_file_text.ts";
import type { Directories } from "../../runtime/config/directories.ts";
import { exists } from "../../runtime/config/files/exists.ts";
import { splitFrontMatter } from "../../runtime/config/files/front_matter.ts";
import { parseDocument } from "../../runtime/config/files/yaml_library.ts";
import { testsFolder } from "../testing/case_files.ts";
import { AgentNotSaved } from "./agent_author.ts";

/** An agent of the gallery. */
export interface GalleryAgent {
  name: string;
  description: string;
  /** The trigger in the agent's file. Undefined if the agent runs only on request. */
  trigger: NewAgentFields["trigger"];
  /** The sentences at the top of the file: the preparation before the first run, and the cost of a run. */
  notes: string[];
}

/** The changes to an agent of the gallery that a person chose. */
export interface GalleryChanges extends Pick<NewAgentFields, "description" | "model"> {
  /** The schedule that replaces the agent's trigger. */
  schedule?: Pick<NonNullable<NewAgentFields["trigger"]>, "every" | "cron">;
  /** True if the trigger fires from now on. Otherwise the file contains `enabled: false`. */
  startsByItself: boolean;
}

/** Copies agents of the gallery into a workspace. */
export class Gallery {
  readonly #directories: Pick<Directories, "workspace" | "agentsDir">;
  readonly #folder = galleryFolder();

  constructor(directories: Pick<Directories, "workspace" | "agentsDir">) {
    this.#directories = directories;
  }

  /** Returns an agent of the gallery. */
  async read(name: string): Promise<GalleryAgent> {
    const { yaml, document } = await this.#parse(name);
    const { description, trigger } = document.toJS();
    const notes = yaml.split(/^(?!# )/m, 1)[0] ?? "";
    return { name, description, trigger, notes: notes.replaceAll(/^# /gm, "").trim().split("\n") };
  }

  /** Returns the text of an agent's file with the changes. */
  async format(name: string, changes: GalleryChanges): Promise<string> {
    const { document, body } = await this.#parse(name);
    const { description, model, schedule, startsByItself } = changes;
    if (description !== undefined) document.set("description", description);
    if (model !== undefined) document.set("model", model);
    if (schedule !== undefined) {
      const { type, every: _every, cron: _cron, ...rest } = document.toJS().trigger ?? {};
      document.set("trigger", {
        type: "schedule",
        ...schedule,
        ...(type === "schedule" && rest),
      });
    }
    if (startsByItself) document.delete("enabled");
    return `---\n${document.toString(ON_ONE_LINE)}---\n${body}`;
  }

  /**
   * Copies the agent's test cases, and its files in the workspace. Files that exist are kept. Returns the paths of the new
   * files, relative to the workspace. Throws AgentNotSaved if a file cannot be written.
   */
  async copyFiles(name: string, id: string): Promise<string[]> {
    const { workspace, agentsDir } = this.#directories;
    const agents = join(this.#folder, "agents");
    const { document } = await this.#parse(name);
    const paths = Object.values<string>(document.toJS().paths)
      .map((path) => join(this.#folder, path));
    const copied: string[] = [];
    for (const source of await filesIn(this.#folder)) {
      const isCase = isBelow(source, join(testsFolder(agents), name));
      if (!isCase && !paths.some((path) => isBelow(source, path))) continue;
      const target = isCase
        ? join(testsFolder(agentsDir), id, basename(source))
        : join(workspace, relative(this.#folder, source));
      if (await copyNew(source, target)) copied.push(relative(workspace, target));
    }
    return copied;
  }

  async #parse(name: string) {
    const text = await Deno.readTextFile(join(this.#folder, "agents", `${name}.md`));
    const parts = splitFrontMatter(text);
    if (parts === "unterminated" || parts.yaml === null) {
      throw new TypeError(`The gallery's agent ${name} has no front matter`);
    }
    return { yaml: parts.yaml, document: parseDocument(parts.yaml), body: parts.body };
  }
}

/** Returns the paths of all files below a folder, sorted. */
async function filesIn(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) found.push(...await filesIn(path));
    else found.push(path);
  }
  return found.sort();
}

/**
 * Copies a file unless the target exists. Of a hidden file, which only keeps its folder in a repository, the folder is
 * created. Returns true if the file was copied.
 */
async function copyNew(source: string, target: string): Promise<boolean> {
  try {
    await Deno.mkdir(dirname(target), { recursive: true });
    if (basename(source).startsWith(".") || await exists(target)) return false;
    await writeFileAtomically(target, await Deno.readFile(source), { mustBeNew: true });
    return true;
  } catch (error) {
    if (!isFileFailure(error) && !(error instanceof Deno.errors.AlreadyExists)) throw error;
    const message = `Cannot write ${target}: ${unreadableReason(error)}`;
    throw new AgentNotSaved("storage", message, { cause: error });
  }
}
