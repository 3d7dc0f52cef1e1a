// Whether a service manager is told to start the service: by the files that --print-unit is for.
import { PATHS } from "../../../base/plain_path.ts";

const { join } = PATHS;

/** How systemd is told to start a unit that is there. */
export const START_UNIT = "systemctl --user enable --now inkling";

/** The file of an installed unit; undefined: there is none where such files usually are. */
export function findInstalledUnit(
  environment: Readonly<Record<string, string>>,
): string | undefined {
  const home = environment["HOME"] ?? "/";
  const config = environment["XDG_CONFIG_HOME"] ?? join(home, ".config");
  const folders = [
    join(config, "systemd/user"),
    ...["/etc/systemd/user", "/etc/systemd/system"],
    join(home, "Library/LaunchAgents"),
  ];
  for (const folder of folders) {
    for (const name of namesIn(folder)) {
      if (/inkling.*\.(service|plist)$/.test(name)) return join(folder, name);
    }
  }
  return undefined;
}

function namesIn(folder: string): string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => name);
  } catch {
    return []; // Not there, or not for us to look into: no unit of this user's.
  }
}
