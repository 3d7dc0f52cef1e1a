// Converts between real paths and the notation shown to the model: `{alias}/...`, `~/...`, or relative to the workspace.
// Does no access checks; those are in path_sandbox.ts.
import { join, relative, resolve } from "node:path";
import { WORKSPACE_ALIAS } from "../../agents/agent_paths.ts";
import { checkPathText, isWithin, type SandboxPlace } from "./place.ts";
import { ToolFailure } from "../failures/tool_failure.ts";

/** A place and its alias in the model's notation, without braces. Null: it has no alias. */
export interface NamedPlace {
  readonly alias: string | null;
  readonly place: SandboxPlace;
}

/** The names that paths are written with. */
export interface PathNotationOptions {
  /** Absolute. */
  workspace: string;
  /** The folder behind `~`. */
  home: string;
  /** Listed in lookup order. */
  places: readonly NamedPlace[];
}

const ALIAS_PREFIX = /^\{([a-z][a-z0-9_]*)\}(?=$|\/)/;

/** Reads and writes the paths of one agent. A path that it writes reads back as the same path. */
export class PathNotation {
  readonly #workspace: string;
  readonly #home: string;
  readonly #places: readonly NamedPlace[];

  constructor({ workspace, home, places }: PathNotationOptions) {
    this.#workspace = workspace;
    this.#home = home;
    this.#places = places;
  }

  /**
   * Returns the absolute path that a text names, without resolving symlinks. Throws ToolFailure for a text that names none.
   */
  expand(text: string): string {
    checkPathText(text);
    const alias = ALIAS_PREFIX.exec(text)?.[1];
    if (alias !== undefined) return join(this.#aliasPath(alias), text.slice(alias.length + 2));
    if (text === "~" || text.startsWith("~/")) return join(this.#home, text.slice(1));
    return resolve(this.#workspace, text);
  }

  /**
   * Formats a path for the model: `{alias}/...` below a declared path, else relative to the workspace. Absolute only
   * outside of both.
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

  /** Formats places for a sentence, by their aliases if they have one. */
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
