// Finds an installed unit file of systemd or launchd that starts the service.
import { PATHS } from "../../../base/plain_path.ts";

const { dirname, join } = PATHS;

/** The folder of unit files that the administrator installs for the whole machine. */
const SYSTEM_FOLDER = "/etc/systemd/system";

/**
 * Returns the path of the first unit file with `inkling` in its name, or undefined. Searches the systemd folders and the
 * user's LaunchAgents.
 */
export function findInstalledUnit(
  environment: Readonly<Record<string, string>>,
): string | undefined {
  const home = environment["HOME"] ?? "/";
  const config = environment["XDG_CONFIG_HOME"] ?? join(home, ".config");
  const folders = [
    join(config, "systemd/user"),
    ...["/etc/systemd/user", SYSTEM_FOLDER],
    join(home, "Library/LaunchAgents"),
  ];
  for (const folder of folders) {
    for (const name of namesIn(folder)) {
      if (/inkling.*\.(service|plist)$/.test(name)) return join(folder, name);
    }
  }
  return undefined;
}

/** Returns the command that starts this unit file. For systemd, the text also contains the command that shows the log. */
export function describeUnitStart(file: string): string {
  if (!file.endsWith(".service")) return `launchctl bootstrap gui/$(id -u) ${file}`;
  const user = dirname(file) === SYSTEM_FOLDER ? "" : "--user ";
  return `systemctl ${user}enable --now inkling; "journalctl ${user}-u inkling" shows why it ended`;
}

function namesIn(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name);
  } catch {
    return []; // The folder is missing or unreadable.
  }
}
