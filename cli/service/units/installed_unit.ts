// Finds an installed unit file of systemd or launchd that starts the service. Starts no program.
import { dirname, join } from "../../../base/plain_path.ts";
import type { InstalledUnit } from "../../context/app.ts";
import type { UnitScope } from "./unit.ts";

/** The folder of unit files that the administrator installs for the whole machine. */
export const SYSTEM_FOLDER = "/etc/systemd/system";
/** The folder in which logind keeps a file for each user whose units run without a login. */
const LINGER_FOLDER = "/var/lib/systemd/linger";
/**
 * The names of the folders that contain links to enabled units: units that start with the machine, or with the user's
 * manager.
 */
const TARGETS = ["default.target.wants", "multi-user.target.wants"];

/**
 * Returns the first unit file with `inkling` in its name, or undefined. Searches the systemd folders and the user's
 * LaunchAgents.
 */
export function findInstalledUnit(
  environment: Readonly<Record<string, string>>,
): InstalledUnit | undefined {
  const agents = join(environment["HOME"] ?? "/", "Library/LaunchAgents");
  const folders = [userFolder(environment), "/etc/systemd/user", SYSTEM_FOLDER, agents];
  for (const folder of folders) {
    for (const name of namesIn(folder)) {
      if (!/inkling.*\.(service|plist)$/.test(name)) continue;
      return {
        file: join(folder, name),
        isEnabled: folder === agents ||
          TARGETS.some((target) => isThere(join(folder, target, name))),
        isLingering: folder === agents || folder === SYSTEM_FOLDER ||
          isThere(join(LINGER_FOLDER, userName(environment))),
      };
    }
  }
  return undefined;
}

/** Returns the folder of the user's own units of systemd. */
export function userFolder(environment: Readonly<Record<string, string>>): string {
  const config = environment["XDG_CONFIG_HOME"] ?? join(environment["HOME"] ?? "/", ".config");
  return join(config, "systemd/user");
}

/** Returns the user's name; empty if the environment has none. */
export function userName(environment: Readonly<Record<string, string>>): string {
  return environment["USER"] ?? environment["LOGNAME"] ?? "";
}

/** Returns the scope of a unit file: `user` or `system`. */
export function scopeOf(file: string): UnitScope {
  return dirname(file) === SYSTEM_FOLDER ? "system" : "user";
}

/** Returns the command that starts this unit file. For systemd, the text also contains the command that shows the log. */
export function describeUnitStart(file: string): string {
  if (!file.endsWith(".service")) return `launchctl bootstrap gui/$(id -u) ${file}`;
  const user = scopeOf(file) === "system" ? "" : "--user ";
  return `systemctl ${user}enable --now inkling; "journalctl ${user}-u inkling" shows why it ended`;
}

function namesIn(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name);
  } catch {
    return []; // The folder is missing or unreadable.
  }
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false; // Missing, or in a folder that this process may not read.
  }
}
