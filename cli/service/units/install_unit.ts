// Installs and removes the unit with which the service starts with the machine.
import { writeFileAtomically } from "../../../base/files/atomic_file.ts";
import { ifThere } from "../../../base/files/missing.ts";
import { makePrivate } from "../../../base/files/private_file.ts";
import { dirname } from "../../../base/plain_path.ts";
import { runToEnd } from "../../../base/programs/system_program.ts";
import type { CommandContext } from "../../context/context.ts";
import { commandFailed, misuse } from "../../context/exit.ts";
import { toOneLine } from "../../output/sanitize.ts";
import { checkHealth } from "../connection.ts";
import { pollUntil } from "../self_start.ts";
import { stopService } from "../stop_sequence.ts";
import { formatUnit, managerOfSystem } from "./print_unit.ts";
import { UNIT_MARKER, type UnitScope } from "./unit.ts";
import { openUnitManager, type UnitManager } from "./unit_manager.ts";

/** The maximum wait for an answer of the service after the start of its unit. */
const START_MS = 60_000;
/** The maximum wait for the end of a service that is already running. */
const STOP_MS = 15_000;

/** The command with which root installs a system unit for another user. */
const AS_ROOT = 'sudo env PATH="$PATH" HOME="$HOME" inkling service';

/** Opens the manager of this system. Throws CommandFailure if the system has no manager, or the manager does not answer. */
export async function findUnitManager(
  { app }: CommandContext,
  { scope, action }: { scope: UnitScope; action: string },
): Promise<UnitManager> {
  const kind = managerOfSystem();
  if (kind === undefined) {
    throw commandFailed("This system has neither systemd nor launchd");
  }
  if (scope === "system" && kind !== "systemd") {
    throw misuse("--system needs systemd: leave it out");
  }
  if (scope === "system" && Deno.uid() !== 0) {
    throw commandFailed(`--system needs root: ${AS_ROOT} ${action} --system`);
  }
  const manager = openUnitManager(app, { kind, scope });
  const problem = await manager.findProblem();
  if (problem === undefined) return manager;
  throw commandFailed(
    `Cannot start Inkling with this machine: ${problem}.\n` +
      'In a container, make "inkling start --keep-alive" its command; in WSL, switch systemd on in ' +
      "/etc/wsl.conf; as root for the whole machine, use --system",
  );
}

/** Writes and starts the unit, and waits until the service answers. Throws CommandFailure if one of these steps fails. */
export async function installUnit(context: CommandContext, manager: UnitManager): Promise<void> {
  const { app, output } = context;
  const { file, kind, scope } = manager;
  await requireStartable(context);
  const before = readOwnUnit(file);
  const owner = scope === "system" ? await findOwner(context) : undefined;
  const text = await formatUnit(context, kind, owner === undefined ? {} : { owner });
  await stopRunning(context);
  await Deno.mkdir(dirname(file), { recursive: true });
  if (before !== text) await writeFileAtomically(file, text, { mode: 0o644 });
  await manager.activate();
  const change = before === undefined ? "created" : before === text ? "unchanged" : "updated";
  output.detail(`${output.style.green("✔")} ${toOneLine(file)} ${output.style.dim(change)}`);
  const remedy = await manager.keepAfterLogout();
  if (remedy !== undefined) {
    output.warning(`The service ends when you log out: lingering was refused. Type: ${remedy}`);
  }
  const places = await app.places(context.workspace);
  using client = app.connect(places);
  const late =
    `${kind} started the unit, but the service does not answer. Its log is ${places.logFile}`;
  const answers = async () =>
    await checkHealth(client, app) === "answers" ? true as const : undefined;
  await pollUntil(answers, { clock: app.clock, ms: START_MS, late });
  output.detail(`${output.style.green("✔")} Inkling is running, and starts with this machine`);
}

/**
 * Stops the unit and removes its file. Returns false if there is no unit. Throws CommandFailure if the unit cannot be
 * stopped or is not Inkling's.
 */
export async function uninstallUnit(manager: UnitManager): Promise<boolean> {
  if (readOwnUnit(manager.file) === undefined) return false;
  await manager.remove();
  return true;
}

/**
 * Returns the text of the installed unit; undefined if there is no unit. Throws CommandFailure for a file that Inkling did
 * not write.
 */
function readOwnUnit(file: string): string | undefined {
  const text = ifThere(() => Deno.readTextFileSync(file));
  if (text === undefined || text.includes(UNIT_MARKER)) return text;
  throw commandFailed(
    `Inkling did not write ${file}, so it stays as it is. Move it away, then repeat this command`,
  );
}

/** Throws CommandFailure if a service that the manager starts could not start. */
async function requireStartable({ app, ...context }: CommandContext): Promise<void> {
  if (!await app.isSetUp(context)) {
    const remedy = Deno.uid() === 0
      ? `as root for another user: ${AS_ROOT} install --system`
      : '"inkling setup" does it';
    throw commandFailed(`Inkling is not set up for this user; ${remedy}`);
  }
  const { port, key, keySource, keyFile } = await app.serviceDefaults(context);
  if (port === null) return;
  if (key === undefined || keySource === undefined) {
    const place = key === undefined ? "is not set" : "is only in your shell's environment";
    throw misuse(
      `service.port (${port}) requires a key, and INKLING_API_KEY ${place}. ` +
        `Add the line INKLING_API_KEY=<a long random text> to ${keyFile}`,
    );
  }
  makePrivate(keySource);
}

/** Returns the name of the user who owns the workspace. */
async function findOwner({ app, ...context }: CommandContext): Promise<string> {
  const { workspace } = await app.info(context);
  const { uid } = await Deno.stat(workspace);
  const { success, stdout } = await runToEnd(["id", "-un", String(uid)]);
  const name = new TextDecoder().decode(stdout).trim();
  if (success && name !== "") return name;
  throw commandFailed(`The owner of ${workspace} is unknown (UID ${uid})`);
}

/**
 * Stops the running service, because two services cannot use one state folder. Throws CommandFailure if it does not stop.
 */
async function stopRunning({ app, output, workspace }: CommandContext): Promise<void> {
  const places = await app.places(workspace);
  using client = app.connect(places);
  if (await checkHealth(client, app) === "absent") return;
  output.note("Stopping the running service, so that the unit can start it");
  const { kind } = await stopService({
    app,
    client,
    places,
    timeoutMs: STOP_MS,
    onStep: (text) => output.note(text),
  });
  if (kind === "stopped" || kind === "not_running") return;
  throw commandFailed('The running service could not be stopped: "inkling stop" shows why');
}
