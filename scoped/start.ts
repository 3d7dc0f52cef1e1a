// `deno task start:scoped`: starts the service under the narrowest permission flags that this workspace needs. The service
// is a child process in the same terminal, and its exit code becomes the exit code of this program.
import { Scanner } from "../cli/command_line/scanner.ts";
import { start } from "../cli/declarations/service_commands.ts";
import { sourceCommand } from "../cli/self_command.ts";
import { loadSettings } from "../app/settings.ts";
import { descriptorLinkCommand, findDescriptors } from "../base/files/descriptor_link.ts";
import { deriveFlags } from "../runtime/permissions/derive_flags.ts";

/**
 * Parses the arguments of `start` as the service will parse them, with the same errors. Returns the options that determine
 * the permission flags.
 */
function readOptions(words: readonly string[]) {
  const scanner = new Scanner(words);
  const typed = new Map<string, string>();
  for (
    let token = scanner.next(start.options);
    token !== undefined;
    token = scanner.next(start.options)
  ) {
    if (token.kind === "option") typed.set(token.key, token.text ?? "");
  }
  const [workspace, host] = [typed.get("workspace"), typed.get("host")];
  return {
    ...(workspace !== undefined && { workspace }),
    ...(host !== undefined && { host }),
    isDaemon: typed.has("daemon"),
  };
}

/** Returns the command line of the service: Deno with the permission flags, the program, and its arguments. */
async function scopedCommand(words: readonly string[]): Promise<string[]> {
  const { isDaemon, workspace, ...listener } = readOptions(words);
  const settings = await loadSettings(workspace);
  await linkDescriptors(settings.directories.stateDir);
  const { flags, remarks } = await deriveFlags(settings, listener);
  for (const remark of remarks) console.error(`${remark}.`);
  // With -d, the background service has only the derived flags. The process that starts it also needs the permission to
  // start programs.
  const starter = isDaemon ? ["--allow-run"] : [];
  return [...sourceCommand([...flags.map(({ flag }) => flag), ...starter]), "start", ...words];
}

/**
 * Creates the link to file descriptors in the state folder, because the service's permission flags do not allow it to
 * create links. The service also works without this link.
 */
async function linkDescriptors(stateDir: string): Promise<void> {
  if (Deno.build.os !== "linux" || findDescriptors(stateDir) !== undefined) return;
  const [program, ...args] = descriptorLinkCommand(stateDir);
  const { success, stderr } = await new Deno.Command(program, { args, stdout: "null" }).output();
  if (success) return;
  const reason = new TextDecoder().decode(stderr).trim();
  console.error(`Folders cannot be held by descriptor (see docs/security.md): ${reason}`);
}

async function run([program = "", ...args]: readonly string[]): Promise<number> {
  const child = new Deno.Command(program, { args, cwd: Deno.cwd() }).spawn();
  // The signals to pass on to the service. A terminal sends Ctrl+C and SIGHUP to this process and to the service, a process
  // supervisor only to this process.
  const hears = Deno.stdin.isTerminal() ? [] : ["SIGINT", "SIGHUP"] as const;
  let hasEnded = false;
  for (const signal of ["SIGTERM", ...hears] as const) {
    Deno.addSignalListener(signal, () => hasEnded || child.kill(signal));
  }
  if (hears.length === 0) {
    Deno.addSignalListener("SIGINT", () => {/* The service ends first, then this program. */});
  }
  const { code } = await child.status;
  hasEnded = true;
  return code;
}

if (import.meta.main) {
  try {
    Deno.exit(await run(await scopedCommand(Deno.args)));
  } catch (error) {
    console.error(`Error: ${error instanceof Error ? error.message : String(error)}`);
    Deno.exit(1);
  }
}
