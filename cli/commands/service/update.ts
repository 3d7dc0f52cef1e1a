// `inkling update`: installs the newest version, in the way in which this program was installed.
import { performs } from "../../command_line/command.ts";
import type { update } from "../../declarations/service_commands.ts";
import { readInfo } from "../../service/connection.ts";
import { type CommandContext, commandFailed } from "../../context/context.ts";
import { listenToInterrupts } from "../../prompting/interrupts.ts";
import type { Distribution } from "../../context/distribution.ts";

/** Installs the newest version. With `check` it only prints whether a newer version exists. */
export const perform = performs<typeof update>(async (context, options) => {
  const { app, output } = context;
  using interrupts = listenToInterrupts(app);
  const offer = await findOffer(context, interrupts.first);
  const { compareVersions } = await import("../../update/version.ts");
  const difference = compareVersions(offer.version, app.version);
  if (difference === 0 && !options.force) {
    output.line(`Inkling ${app.version} is the newest version`);
  } else if (options.check) {
    output.line(describe(offer.version, app.version, difference));
  } else if (difference < 0 && !options.force) {
    throw commandFailed(
      `${describe(offer.version, app.version, difference)}. --force installs the older one`,
    );
  } else {
    await offer.install();
    output.line(`Inkling ${offer.version} is installed (it was ${app.version})`);
    await noteOldService(context, offer.version);
  }
});

/** Returns the newest version, and the function that installs it. */
async function findOffer(
  context: CommandContext,
  signal: AbortSignal,
): ReturnType<typeof offerOfReleases> {
  const { app } = context;
  const { distribution } = app;
  switch (distribution.kind) {
    case "binary":
      return await offerOfReleases(context, distribution, signal);
    case "npm":
      throw commandFailed(
        `Cannot update through npm: Inkling is not in npm's registry, so "${distribution.packageName}" there may be another program. ` +
          "Install the package file of the new version, as you did with this one: npm install --global ./inkling-<version>.tgz",
      );
    case "source":
      throw commandFailed(
        `Inkling runs from its source in ${distribution.directory}: run "git pull" there to update it`,
      );
    default:
      return distribution satisfies never;
  }
}

async function offerOfReleases(
  context: CommandContext,
  { path, target, keys }: Distribution & { kind: "binary" },
  signal: AbortSignal,
): Promise<{ version: string; install: () => Promise<void> }> {
  const { app } = context;
  const [{ releaseAddress }, { readRelease }, { updateBinary }] = await Promise.all([
    import("../../update/release_address.ts"),
    import("../../update/release.ts"),
    import("../../update/binary_update.ts"),
  ]);
  const address = releaseAddress(app.environment);
  const release = await readRelease(address, { clock: app.clock, signal, target });
  return {
    version: release.version,
    install: () => updateBinary(context, { executable: path, release, keys, signal }),
  };
}

function describe(offered: string, own: string, difference: number): string {
  if (difference < 0) return `The newest release is ${offered}, but this is ${own}, which is newer`;
  return `Inkling ${offered} is available: "inkling update" installs it (this is ${own})`;
}

/** Prints a notice if the running service has another version than the installed one. */
async function noteOldService(context: CommandContext, version: string): Promise<void> {
  const { app, output, workspace } = context;
  try {
    const running = (await readInfo(app, await app.places(workspace)))?.version;
    if (running === undefined || running === version) return;
    output.notice(
      `The running service is still ${running}. Restart it: "inkling stop", then "inkling start" with the same options, or through systemd or launchd`,
    );
  } catch (error) {
    // An unreachable service is only a warning, because the update itself succeeded.
    output.warning(error instanceof Error ? error.message : String(error));
  }
}
