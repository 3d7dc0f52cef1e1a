// The workspace of one test: a temporary folder in which every absolute path has a counterpart, and which starts with the
// case's files only. No path that an agent uses reaches a real file.
import { linkDescriptors } from "../../base/files/descriptor_link.ts";
import { ignoreMissing } from "../../base/files/missing.ts";
import { isBelow } from "../../base/files/path_below.ts";
import { dirname, extname, join, relative, resolve } from "node:path";
import type { Agent } from "../../runtime/agents/agent.ts";
import { expandHome } from "../../runtime/config/places.ts";
import type { WorkspaceSettings } from "../../runtime/config/settings.ts";
import { makeStateDir } from "../../runtime/storage/state_dir/state_dir.ts";

/** The maximum number of files that are checked for changes. */
const MAX_FILES = 10_000;

/** A workspace in a temporary folder, with the files of one case. Must be disposed, which deletes the folder. */
export class PrivateWorkspace implements AsyncDisposable {
  /** The settings of the real workspace, with all paths below the temporary folder. */
  readonly settings: WorkspaceSettings;
  readonly #root: string;
  readonly #real: WorkspaceSettings;
  /** The contents of the files that the case provides, by absolute path. */
  readonly #given = new Map<string, string>();

  private constructor(root: string, real: WorkspaceSettings) {
    this.#root = root;
    this.#real = real;
    const directories = mapStrings(real.directories, (path) => this.#mirror(path));
    this.settings = Object.create(real, {
      directories: { value: directories, enumerable: true },
      // A case must not reach the shared database.
      database: { value: undefined, enumerable: true },
      home: { value: this.#mirror(real.home), enumerable: true },
    });
  }

  /** Creates the temporary folder with the files of a case. */
  static async open(
    real: WorkspaceSettings,
    files: Readonly<Record<string, string>>,
  ): Promise<PrivateWorkspace> {
    const root = await Deno.realPath(await makeFolder("inkling-test-", real));
    const own = new PrivateWorkspace(root, real);
    const { directories, home } = own.settings;
    for (const folder of [directories.workspace, directories.stateDir, home]) {
      await Deno.mkdir(folder, { recursive: true });
    }
    // Without it, file tools refuse a folder that is new while other programs change the folder above it.
    linkDescriptors(directories.stateDir);
    for (const [path, content] of Object.entries(files)) {
      const place = own.pathOf(path);
      await Deno.mkdir(dirname(place), { recursive: true });
      await Deno.writeTextFile(place, content);
      own.#given.set(place, content);
    }
    return own;
  }

  /** Returns the agent with all its paths below the temporary folder. Creates the folders of these paths. */
  async relocateAgent(agent: Agent): Promise<Agent> {
    const { trigger } = agent;
    const entered: Agent = {
      ...agent,
      sourcePath: this.#mirror(agent.sourcePath),
      paths: agent.paths.map((one) => ({ ...one, path: this.#mirror(one.path) })),
      trigger: trigger.type === "watch"
        ? { ...trigger, paths: trigger.paths.map((path) => this.relocateArgument(path)) }
        : trigger,
    };
    // The agent's memory file will be in this folder.
    await Deno.mkdir(dirname(entered.sourcePath), { recursive: true });
    for (const { path } of entered.paths) {
      if (extname(path) === "") await Deno.mkdir(path, { recursive: true });
    }
    return entered;
  }

  /**
   * Converts a path as a person writes it (relative to the workspace, `~/...` or absolute) to its path below the temporary
   * folder.
   */
  pathOf(path: string): string {
    return this.#mirror(
      resolve(this.#real.directories.workspace, expandHome(path, this.#real.home)),
    );
  }

  /**
   * Converts an absolute path of an agent or its model to its path below the temporary folder. Returns other paths
   * unchanged.
   */
  relocateArgument(path: string): string {
    return path.startsWith("/") && !path.startsWith(`${this.#root}/`) ? this.#mirror(path) : path;
  }

  /** Returns the content of a file, or null if it does not exist. The path is as a person writes it. */
  async read(path: string): Promise<string | null> {
    return await Deno.readTextFile(this.pathOf(path)).catch(ignoreMissing) ?? null;
  }

  /** Returns the contents of new and changed files. The paths are written as in agent files. */
  async readChangedFiles(): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    const state = this.settings.directories.stateDir;
    let count = 0;
    const look = async (folder: string): Promise<void> => {
      for await (const { name, isDirectory, isFile } of Deno.readDir(folder)) {
        const path = join(folder, name);
        if (isDirectory && path !== state) await look(path);
        if (!isFile || ++count > MAX_FILES) continue;
        const content = await Deno.readTextFile(path);
        if (this.#given.get(path) !== content) found.set(this.#nameOf(path), content);
      }
    };
    await look(this.#root);
    return new Map([...found].sort(([a], [b]) => a < b ? -1 : 1));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.#root, { recursive: true });
  }

  #mirror(path: string): string {
    return join(this.#root, path);
  }

  #nameOf(place: string): string {
    const { directories: { workspace }, home } = this.#real;
    return shortenPath(`/${relative(this.#root, place)}`, { workspace, home });
  }
}

/** Returns a path relative to the workspace or to the home directory, so that it is the same on every machine. */
export function shortenPath(
  path: string,
  { workspace, home }: { workspace: string; home: string },
): string {
  const whole = resolve(workspace, expandHome(path, home));
  if (isBelow(whole, workspace)) return relative(workspace, whole);
  return isBelow(whole, home) ? `~/${relative(home, whole)}` : whole;
}

/**
 * Creates a temporary folder. Its parent is the system's temporary folder, or the state folder if Deno's flags deny that.
 */
export async function makeFolder(
  prefix: string,
  { directories: { stateDir } }: Pick<WorkspaceSettings, "directories">,
): Promise<string> {
  try {
    return await Deno.makeTempDir({ prefix });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    await makeStateDir(stateDir);
    return await Deno.makeTempDir({ dir: stateDir, prefix });
  }
}

function mapStrings<T extends object>(value: T, map: (text: string) => string): T {
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      Array.isArray(one) ? one.map(map) : typeof one === "string" ? map(one) : one,
    ]),
  ) as T;
}
