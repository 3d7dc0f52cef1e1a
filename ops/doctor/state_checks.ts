// Checks the state folder: its permissions, leftovers of a killed service, the database, the disk and the clock.
import { ifThere } from "../../base/files/missing.ts";
import { findStagedFiles } from "../../base/files/staged_files.ts";
import { formatDuration } from "../../base/durations.ts";
import { isLocked, takeLock } from "../../base/files/lock_file.ts";
import { basename } from "../../base/plain_path.ts";
import { MINUTE_MS } from "../../base/time_units.ts";
import type { Directories } from "../../runtime/config/directories.ts";
import { examineDatabase } from "../../runtime/storage/sqlite/database_health.ts";
import { type Check, type Finding, toRefusalFinding } from "./finding.ts";
import type { Machine } from "./machine.ts";

/** The files and folders of a service's state. */
export interface StatePlaces extends
  Pick<
    Directories,
    "stateDir" | "socketFile" | "proxySocketFile" | "pidFile" | "lockFile" | "logFile"
  > {
  /** Undefined if no run has created a database yet. */
  databaseFile: string | undefined;
  /** Folders outside the state folder in which Inkling writes temporary files. */
  writtenFolders: readonly string[];
}

/** The inputs of the state folder's checks. */
export interface StateSurroundings {
  /** True if a process listens on the service's socket, with or without an answer. */
  isRunning: boolean;
  /** Milliseconds since the epoch. */
  now: number;
  machine: Machine;
  /** The size in bytes above which a database counts as large. */
  largestDatabase?: number;
}

const MEGABYTE = 1024 * 1024;
const LEAST_FREE = 100 * MEGABYTE;
const LITTLE_FREE = 1024 * MEGABYTE;
const LARGEST_DATABASE = 4 * 1024 * MEGABYTE;
/** The tolerated milliseconds by which stored times are ahead of the clock. */
const MAX_SKEW_MS = 2 * MINUTE_MS;

/** Returns the checks of the state folder at `places`. */
export function stateChecks(places: StatePlaces, around: StateSurroundings): Check[] {
  return [
    () => checkFolder(places, around.machine),
    () => checkLock(places, around),
    () => checkLeftovers(places, around),
    () => checkStagedFiles(places, around),
    () => checkDatabase(places, around),
  ];
}

/** Reports folders on a file system with little free space, each file system once. A missing folder is skipped. */
export function checkDisk(
  folders: readonly (readonly [name: string, path: string])[],
  { freeBytes }: Machine,
): Finding[] {
  const seen = new Set<number>();
  return folders.flatMap(([name, path]): Finding[] => {
    const dev = ifThere(() => Deno.statSync(path).dev);
    if (dev === undefined || seen.has(dev)) return [];
    seen.add(dev);
    const free = freeBytes(path);
    if (free >= LITTLE_FREE) return [];
    const megabytes = Math.floor(free / MEGABYTE);
    return [{
      severity: free < LEAST_FREE ? "error" : "warning",
      subject: "disk",
      problem: `Only ${megabytes} MB are free on the disk of the ${name} folder: ${path}`,
      remedy: "free disk space: without it the service cannot run agents",
    }];
  });
}

function checkFolder({ stateDir }: StatePlaces, { mayAccess }: Machine): Finding[] {
  const info = ifThere(() => Deno.statSync(stateDir));
  if (info === undefined) return []; // The first start creates the folder.
  const about = { subject: "state folder" };
  if (!info.isDirectory) {
    const problem = `A file is in the place of the state folder: ${stateDir}`;
    const remedy = "move it away, or set INKLING_STATE_DIR to a folder";
    return [{ ...about, severity: "error", problem, remedy }];
  }
  if (!mayAccess(stateDir, "write")) {
    const problem = `You may not write to the state folder: ${stateDir}`;
    const remedy = `chmod u+rwx ${stateDir}, as its owner, or set INKLING_STATE_DIR`;
    return [{ ...about, severity: "error", problem, remedy }];
  }
  if (((info.mode ?? 0) & 0o077) === 0) return [];
  return [{
    ...about,
    severity: "warning",
    problem: `Other users may open the folder with the history: ${stateDir}`,
    remedy: `chmod 700 ${stateDir}`,
    repair() {
      Deno.chmodSync(stateDir, 0o700);
      return `${stateDir} is now readable only by you`;
    },
  }];
}

/** Reports the service's lock if a process holds it without listening on the service's socket. */
function checkLock(
  { lockFile, pidFile, socketFile, logFile }: StatePlaces,
  { isRunning }: StateSurroundings,
): Finding[] {
  if (isRunning || !isLocked(lockFile)) return [];
  const pid = ifThere(() => Deno.readTextFileSync(pidFile))?.trim() ?? "";
  const who = /^\d+$/.test(pid) ? `Process ${pid}` : "A process";
  return [{
    severity: "error",
    subject: basename(lockFile),
    problem: `${who} holds the service's lock, but no service listens on ${socketFile}`,
    remedy: `unless it is starting or stopping, end it with "inkling stop"; its log is ${logFile}`,
  }];
}

/** Reports sockets and PID files that a killed service left behind. */
function checkLeftovers(places: StatePlaces, { isRunning }: StateSurroundings): Finding[] {
  const { lockFile, socketFile, proxySocketFile, pidFile } = places;
  if (isRunning || isLocked(lockFile)) return [];
  return [socketFile, proxySocketFile, pidFile].flatMap((path): Finding[] => {
    if (ifThere(() => Deno.lstatSync(path)) === undefined) return [];
    return [{
      severity: "warning",
      subject: basename(path),
      problem: `A killed service left this file, and no service runs: ${path}`,
      remedy: `rm ${path}, or start the service`,
      repair: () => removeLeftover(path, lockFile),
    }];
  });
}

async function checkStagedFiles(
  { stateDir, writtenFolders, lockFile }: StatePlaces,
  { isRunning }: StateSurroundings,
): Promise<Finding[]> {
  // Skipped while a service runs, because the service may be writing these files.
  if (isRunning || isLocked(lockFile)) return [];
  const found = await findStagedFiles(stateDir, [stateDir, ...writtenFolders]);
  return found.map(({ path, isNew }) =>
    isNew
      ? {
        severity: "warning",
        subject: basename(path),
        problem: `A killed service left a half-written file: ${path}`,
        remedy: `rm ${path}, or start the service`,
        repair: () => removeLeftover(path, lockFile),
      }
      : {
        severity: "warning",
        subject: basename(path),
        problem:
          `A file has a temporary name, because an agent was about to move or delete it: ${path}`,
        remedy: "check its content, then rename or remove it: it may be the only copy",
      }
  );
}

/**
 * Takes the service's lock, so that no service starts meanwhile, and removes a leftover file. Throws an Error if a service
 * has the lock.
 */
function removeLeftover(path: string, lockFile: string): string {
  // `taken` is undefined if the state folder is missing. Then no service can run.
  const taken = ifThere(() => ({ lock: takeLock(lockFile) }));
  using lock = taken?.lock;
  if (taken !== undefined && lock === undefined) throw new Error("a service has started");
  ifThere(() => Deno.removeSync(path));
  return `${path} is removed`;
}

function checkDatabase(
  { databaseFile }: StatePlaces,
  { now, largestDatabase = LARGEST_DATABASE }: StateSurroundings,
): Finding[] {
  if (databaseFile === undefined) return [];
  const { bytes, refusal, newest } = examineDatabase(databaseFile);
  const subject = basename(databaseFile);
  if (refusal !== undefined) {
    return [
      toRefusalFinding(refusal, subject, "make it readable for you, or restore it from a backup"),
    ];
  }
  const found: Finding[] = [];
  if (bytes > largestDatabase) {
    found.push({
      severity: "warning",
      subject,
      problem: `The history is ${Math.round(bytes / MEGABYTE)} MB large: ${databaseFile}`,
      remedy: 'set defaults.log_retention_days in config.yaml, or "inkling checkpoint --purge"',
    });
  }
  if (newest !== null && newest - now > MAX_SKEW_MS) {
    found.push({
      severity: "error",
      subject: "clock",
      problem: `The history contains times ${formatDuration(newest - now)} in the future`,
      remedy: "correct this machine's clock (timedatectl shows it)",
    });
  }
  return found;
}
