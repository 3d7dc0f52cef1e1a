// What is closed to every agent, even inside a path that it may reach: the service's own folders, and files with keys.
import { sep } from "node:path";
import { isEnvFileName } from "../../../base/files/env_file_name.ts";
import { isWithin, SandboxPlace } from "./place.ts";

/** The folders that are closed, absolute. */
export interface ClosedFolders {
  /** Null only for a sandbox that itself lies in it. */
  agentsDir: string | null;
  configDir: string;
  stateDir: string;
}

/** What the system makes up as it is read: Deno opens it to a process with all permissions only. */
const SYSTEM_FOLDER = /^\/(proc|sys|dev)(?=\/|$)/;
/** Memory as a disk: files like any other, for a process that may see them. */
const SHARED_MEMORY = "/dev/shm";

/** Closed folders, and names that are closed wherever they stand. */
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

  /** As they are written. */
  get folders(): string[] {
    return this.#folders.map(({ place }) => place.path);
  }

  /** Looks where the folders lead: see SandboxPlace.settle. */
  settle(): void {
    for (const { place } of this.#folders) place.settle();
  }

  /** Why an absolute path is closed, as the rest of a sentence; undefined when it is not. */
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
    // It is not there, or not for this process.
    return false;
  }
}
