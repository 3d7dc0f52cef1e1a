// Converts between absolute paths and the paths shown to the model: `{alias}/...`, `~/...`, or relative to the workspace.
// Does not check access; path_sandbox.ts does.
import { join, relative, resolve } from "../../../base/plain_path.ts";
import { WORKSPACE_ALIAS } from "../../agents/agent_paths.ts";
import { checkPathText, isWithin, type SandboxPlace } from "./place.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

/** A place and its alias in the model's paths, without braces. The alias is null for a watched path. */
export interface NamedPlace {
  readonly alias: string | null;
  readonly place: SandboxPlace;
}

const ALIAS_PREFIX = /^\{([a-z][a-z0-9_]*)\}(?=$|\/)/;

/** The conversion of one agent's paths. A path from `display` converts back to the same absolute path. */
export class PathNotation {
  readonly #workspace: string;
  readonly #home: string;
  readonly #places: readonly NamedPlace[];

  /** `home` is the folder that `~` names. If two of the allowed places have the same alias, the first counts. */
  constructor(
    { workspace, home, places }: { workspace: string; home: string; places: readonly NamedPlace[] },
  ) {
    this.#workspace = workspace;
    this.#home = home;
    this.#places = places;
  }

  /**
   * Returns the absolute path for a path that the model wrote. Does not resolve symlinks. Throws ToolFailure for an invalid
   * path or an unknown alias.
   */
  expand(text: string): string {
    checkPathText(text);
    const alias = ALIAS_PREFIX.exec(text)?.[1];
    if (alias !== undefined) return join(this.#aliasPath(alias), text.slice(alias.length + 2));
    if (text === "~" || text.startsWith("~/")) return join(this.#home, text.slice(1));
    return resolve(this.#workspace, text);
  }

  /**
   * Returns the path to show to the model: `{alias}/...` below a declared path, else relative to the workspace. Returns the
   * absolute path if it is outside of both.
   */
  display(absolute: string): string {
    let best: { alias: string; base: string } | undefined;
    for (const { alias, place } of this.#places) {
      if (alias === null || alias === WORKSPACE_ALIAS) continue;
      const base = [place.real, place.path].find((path) => isWithin(absolute, path));
      if (base !== undefined && (best === undefined || base.length > best.base.length)) {
        best = { alias, base };
      }
    }
    if (best !== undefined) {
      const rest = relative(best.base, absolute);
      return rest === "" ? `{${best.alias}}` : `{${best.alias}}/${rest}`;
    }
    const workspace = this.#places.find(({ alias }) => alias === WORKSPACE_ALIAS);
    const base = [workspace?.place.real, this.#workspace].find((path) =>
      path !== undefined && isWithin(absolute, path)
    );
    if (base === undefined) return absolute;
    const rest = relative(base, absolute);
    if (rest === "") return ".";
    return /^[{~]/.test(rest) ? `./${rest}` : rest;
  }

  /** Returns a comma-separated list of places: their aliases in braces, or their paths if they have none. */
  list(places: readonly NamedPlace[]): string {
    return places
      .map(({ alias, place }) => alias === null ? this.display(place.real) : `{${alias}}`)
      .join(", ");
  }

  #aliasPath(alias: string): string {
    if (alias === WORKSPACE_ALIAS) return this.#workspace;
    const found = this.#places.find((one) => one.alias === alias);
    if (found !== undefined) return found.place.path;
    throw new ToolFailure(
      `Unknown path alias {${alias}}. Known aliases: ${this.#aliases().join(", ")}. ` +
        `A file that really has this name is written "./{${alias}}".`,
    );
  }

  #aliases(): string[] {
    const aliases = this.#places.flatMap(({ alias }) => alias === null ? [] : [alias]);
    return [...new Set([...aliases, WORKSPACE_ALIAS])].map((alias) => `{${alias}}`);
  }
}
