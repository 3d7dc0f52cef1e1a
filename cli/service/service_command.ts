// How the service is started from here: by this program again, with permissions that are no wider than its own sort.
import type { CliApp, PermissionOptions } from "../app.ts";

/**
 * Program and first arguments of the service. Decision: a confined program starts it with the flags that config.yaml and the
 * agents ask for now, not with its own, so that what was added since is in them (rejected: handing flags on, for no
 * process can ask which ones it has).
 */
export async function serviceCommand(
  app: CliApp,
  options: PermissionOptions,
): Promise<readonly string[]> {
  if (!app.isConfined) return app.selfCommand;
  return (await app.permissions(options)).command ?? app.selfCommand;
}
