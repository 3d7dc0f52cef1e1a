// Decides which entries a search passes over: `.git`, `node_modules`, and the names in files `.gitignore`.
import type { Ignore, Options } from "ignore";
import { lazyModule } from "../../../base/lazy_module.ts";
import { dirname, join, relative } from "../../../base/plain_path.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import { openFile } from "./opened_file.ts";
import type { PathSandbox } from "./path_sandbox.ts";

const loadIgnore = lazyModule(() => import("ignore"));
const RULES_FILE = ".gitignore";
const MAX_RULES_BYTES = 1024 * 1024;
const NEVER_SEARCHED: readonly string[] = [".git", "node_modules"];

/** The rules of one file `.gitignore`, for the paths below its folder. */
interface FolderRules {
  folder: string;
  rules: Ignore;
}

/** The passed over entries of one search. */
export class IgnoredEntries {
  readonly #sandbox: PathSandbox;
  readonly #named: ReadonlySet<string>;
  /** The rules that apply in each folder, those of its parents first. */
  readonly #known = new Map<string, readonly FolderRules[]>();

  /** `path` is the path or pattern to search. The folders that it names are not passed over. */
  constructor(sandbox: PathSandbox, path: string) {
    this.#sandbox = sandbox;
    this.#named = new Set(path.split("/"));
  }

  /** Implements WalkBounds.passOver. */
  async passOver(
    folder: string,
    entries: readonly Deno.DirEntry[],
  ): Promise<(entry: Deno.DirEntry) => boolean> {
    const hasRules = entries.some(({ name }) => name === RULES_FILE);
    const rules = [...await this.#inherited(folder), ...hasRules ? await this.#read(folder) : []];
    this.#known.set(folder, rules);
    return ({ name, isDirectory }) =>
      (isDirectory && NEVER_SEARCHED.includes(name) && !this.#named.has(name)) ||
      (rules.length > 0 && isIgnored(rules, join(folder, name), isDirectory));
  }

  /** Returns the rules of the folders above. None if they ignore the folder, because then the searched path names it. */
  async #inherited(folder: string): Promise<readonly FolderRules[]> {
    const parent = dirname(folder);
    if (parent === folder || !this.#sandbox.isReadable(parent)) return [];
    const rules = this.#known.get(parent) ??
      [...await this.#inherited(parent), ...await this.#read(parent)];
    this.#known.set(parent, rules);
    return isIgnored(rules, folder, true) ? [] : rules;
  }

  async #read(folder: string): Promise<FolderRules[]> {
    try {
      await using file = await openFile(this.#sandbox, join(folder, RULES_FILE));
      const text = new TextDecoder().decode(await file.readAll(MAX_RULES_BYTES));
      const options: Options = { ignoreCase: false };
      return [{ folder, rules: (await loadIgnore()).default(options).add(text) }];
    } catch (error) {
      // A file that does not exist, or that the agent may not read, has no rules.
      if (error instanceof ToolFailure) return [];
      throw error;
    }
  }
}

/** Returns true if the innermost rule that matches the path ignores it. */
function isIgnored(
  chain: readonly FolderRules[],
  path: string,
  isDirectory: boolean,
): boolean {
  for (const { folder, rules } of chain.toReversed()) {
    const { ignored, unignored } = rules.test(relative(folder, path) + (isDirectory ? "/" : ""));
    if (ignored || unignored) return ignored;
  }
  return false;
}
