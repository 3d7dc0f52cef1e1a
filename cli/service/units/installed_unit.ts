// Whether a service manager is told to start the service: by the files that --print-unit is for.
import { PATHS } from "../../../base/plain_path.ts";

const { dirname, join } = PATHS;

/** Units for the machine, not for a user. */
const SYSTEM_FOLDER = "/etc/systemd/system";

/** The file of an installed unit; undefined: there is none where such files usually are. */
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

/** What to type to start the unit in this file and, with systemd, to hear why it ended. */
export function describeUnitStart(file: string): string {
  if (!file.endsWith(".service")) return `launchctl bootstrap gui/$(id -u) ${file}`;
  const user = dirname(file) === SYSTEM_FOLDER ? "" : "--user ";
  return `systemctl ${user}enable --now inkling; "journalctl ${user}-u inkling" says why it ended`;
}

function namesIn(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name);
  } catch {
    return []; // Not there, or not for us to look into: no unit of this user's.
  }
}
