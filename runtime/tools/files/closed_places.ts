// The places that are closed to every agent, even inside of its paths: the service's own folders, and files with keys.
import { sep } from "node:path";
import { isEnvFileName } from "../../../base/files/env_file_name.ts";
import { isWithin, SandboxPlace } from "./place.ts";

/** The closed folders, as absolute paths. */
export interface ClosedFolders {
  /** Null only for a sandbox that lies in the agents folder itself. */
  agentsDir: string | null;
  configDir: string;
  stateDir: string;
}

/** Folders with generated files. Deno opens them only to a process with all permissions. */
const SYSTEM_FOLDER = /^\/(proc|sys|dev)(?=\/|$)/;
/** Memory used as a disk. Its files are ordinary files for a process that may see them. */
const SHARED_MEMORY = "/dev/shm";

/** The closed folders, and the names that are closed in every folder. */
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

  /** The folders as configured. */
  get folders(): string[] {
    return this.#folders.map(({ place }) => place.path);
  }

  /** Resolves the folders' real paths; see SandboxPlace.resolve. */
  resolvePlaces(): void {
    for (const { place } of this.#folders) place.resolve();
  }

  /** Returns the reason that an absolute path is closed, as the rest of a sentence, or undefined. */
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
    // It does not exist, or is closed to this process.
    return false;
  }
}
