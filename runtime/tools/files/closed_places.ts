// Defines the places that no agent may use, even inside its allowed paths: the service's own folders, and files with keys.
import { sep } from "node:path";
import { isEnvFileName } from "../../../base/files/env_file_name.ts";
import { isWithin, SandboxPlace } from "./place.ts";

/** The service's folders that no agent may use, as absolute paths. */
export interface ClosedFolders {
  /** The folder with the agent files. Null only for a sandbox whose root lies in that folder. */
  agentsDir: string | null;
  configDir: string;
  stateDir: string;
}

/** Folders with files that the kernel generates. Deno opens these folders only to a process with all permissions. */
const SYSTEM_FOLDER = /^\/(proc|sys|dev)(?=\/|$)/;
/** A file system in memory below /dev. It is not closed, because it contains ordinary files of programs. */
const SHARED_MEMORY = "/dev/shm";

/** The check of a path against the closed folders and the file names that are closed in every folder. */
export class ClosedPlaces {
  readonly #folders: { place: SandboxPlace; what: string }[];

  constructor({ agentsDir, configDir, stateDir }: ClosedFolders) {
    this.#folders = [
      ...(agentsDir === null
        ? []
        : [{ place: new SandboxPlace(agentsDir), what: "the agents folder" }]),
      { place: new SandboxPlace(configDir), what: "the configuration folder" },
      { place: new SandboxPlace(stateDir), what: "the service's state folder" },
    ];
  }

  /** The closed folders with their configured paths, not their real paths. */
  get folders(): string[] {
    return this.#folders.map(({ place }) => place.path);
  }

  /** Resolves the symlinks in the folders' paths (see SandboxPlace.resolve). */
  resolvePlaces(): void {
    for (const { place } of this.#folders) place.resolve();
  }

  /** Returns true if no closed place lies in a folder that is not closed. Files with keys may lie in it. */
  areOutside(folder: string): boolean {
    return folder !== sep &&
      !this.#folders.some(({ place }) =>
        isWithin(place.path, folder) || isWithin(place.real, folder)
      );
  }

  /** Returns the reason that an absolute path is closed to agents, as a clause, or undefined. */
  refusal(absolute: string): string | undefined {
    const inClosed = this.#folders.find(({ place }) =>
      isWithin(absolute, place.path) || isWithin(absolute, place.real)
    );
    if (inClosed !== undefined) return `${inClosed.what} is closed to agents`;
    const [system] = SYSTEM_FOLDER.exec(absolute) ?? [];
    if (system !== undefined && !isSharedMemory(absolute)) {
      return `${system} is the system's own and closed to agents`;
    }
    if (absolute.split(sep).some(isEnvFileName)) {
      return "environment files (.env*) are closed to agents";
    }
    return undefined;
  }
}

function isSharedMemory(absolute: string): boolean {
  if (!isWithin(absolute, SHARED_MEMORY)) return false;
  try {
    Deno.lstatSync(SHARED_MEMORY);
    return true;
  } catch {
    // /dev/shm does not exist, or Deno's flags close it.
    return false;
  }
}
