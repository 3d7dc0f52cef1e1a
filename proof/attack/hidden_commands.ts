// Hides a command in a line that looks like a permitted `echo`, and spells a denied command differently. A line succeeds if
// it needs no approval and runs the command in a real shell.
import { basename, join } from "node:path";
import type { ProcessSandbox } from "../../runtime/sandbox/process_sandbox.ts";
import { noSandbox } from "../../tests/runtime/sandbox/system_sandbox.ts";
import { ShellFixture } from "../../tests/runtime/tools/shell/shell_fixture.ts";
import type { FaultyWorld } from "../faults/fault.ts";
import type { Attack } from "./attack.ts";
import { runCommand, startService } from "./started_commands.ts";

/** The hidden command. It leaves a trace in the workspace. */
const HIDDEN = "touch planted";

/** Lines that run HIDDEN beside or instead of `echo log`. */
const LINES: readonly string[] = [
  ...["echo log; @", "echo log;@", "echo log && @", "echo log || @", "echo log | @", "echo log\n@"],
  ...[
    "echo log & @",
    "echo log &\n@",
    "echo log |& @",
    "@; echo log",
    "@ && echo log",
    "@\necho log",
  ],
  ...["echo log $(@)", "echo log `@`", 'echo log "$(@)"', 'echo log "`@`"', "echo log ${x:-$(@)}"],
  ...[
    "echo log <(@)",
    "echo log >(@)",
    "echo log <<E\n$(@)\nE",
    "echo log <<< $(@)",
    "echo log $[$(@)]",
  ],
  ...["echo log > planted", "echo log 2> planted", "echo log &> planted", "echo log >| planted"],
  ...["echo log >> planted", "echo log 3<> planted", "echo log 'x' > planted", "echo log \\\n; @"],
  ...["X=$(@) echo log", "x=$(@)echo log", "git() { @; }; echo log", "(@) ; echo log"],
  ...["{ @; }; echo log", "! @; echo log", "if @; then echo log; fi", "eval @; echo log"],
  ...["echo log 'a'\\''; @", 'echo log "\\\\"; @', "echo log \\\\; @", "echo log # x\n@"],
  ...["echo log $'x\\'; @ #'", "echo log {a,$(@)}", "time @; echo log", "trap '@' EXIT; echo log"],
  ...[
    "echo log\r\n@",
    "echo log\t;\t@",
    "alias git='@ #'\necho log",
    "coproc @; echo log; sleep 0.1",
  ],
];

/** Lines that run `touch planted`, which `deny` names, with other spellings. */
const EVASIONS: readonly string[] = [
  ...[
    "touch planted",
    "t'ou'ch planted",
    '"touch" planted',
    "to\\uch planted",
    "/usr/bin/touch planted",
  ],
  ...["env touch planted", "touch -a planted", "touch -d now planted", "sh -c 'touch planted'"],
  ...[
    "$(touch planted)",
    "(touch planted)",
    "x=1 touch planted",
    "touch${IFS}planted",
    "touch\tplanted",
  ],
  ...[
    "{touch,planted}",
    "touch $IFS planted",
    "touch \\\nplanted",
    "xargs touch planted < /dev/null",
  ],
];

/** The rules of an agent: the denied commands, and the tools that need no approval. */
interface Rules {
  deny: string[];
  autoApprove: "*" | [];
}

/** Returns the lines whose hidden command an agent of a started service runs without an approval. */
async function passService(
  started: FaultyWorld,
  lines: readonly string[],
  { deny, autoApprove }: Rules,
): Promise<string[]> {
  const settings = { shell: { allow: ["echo *"], deny }, autoApprove: [autoApprove].flat() };
  const runs = lines.map(async (command) => {
    const path = await Deno.makeTempDir({ dir: started.home.workspace });
    const call = { command, folder: basename(path), ...settings };
    const { isAsking } = await runCommand(started, call);
    const planted = await Deno.stat(join(path, "planted")).then(() => true, () => false);
    return planted
      ? [`${JSON.stringify(command)} ${isAsking ? "runs before" : "needs no"} approval`]
      : [];
  });
  const found = (await Promise.all(runs)).flat();
  const { isAsking, text } = await runCommand(started, { command: "echo permitted", ...settings });
  if (isAsking || !text.includes("permitted")) found.push("the service does not run echo");
  return found;
}

/** Runs a line that passes the checks, and returns true if the hidden command has run. */
async function plants(
  line: string,
  { deny, autoApprove }: Rules,
  sandbox: ProcessSandbox,
): Promise<{ passed: boolean; planted: boolean }> {
  await using place = await ShellFixture.open();
  const settings = { allow: ["echo *"], deny };
  const { tool } = await place.openTool({ settings, autoApprove, sandbox });
  const isRefused = (): boolean => {
    try {
      return tool?.approval?.asks(tool.check({ command: line })) ?? true;
    } catch {
      // The check of the arguments has refused the line.
      return true;
    }
  };
  const passed = !isRefused();
  // The line is run in any case, to find out if it works.
  await place.run({ command: line, timeout: 10 }, { sandbox }).catch(
    () => {/* Some lines fail. */},
  );
  const planted = await Deno.stat(join(place.files.workspace, "planted"))
    .then(() => true, () => false);
  return { passed, planted };
}

export const hiddenCommands: Attack = {
  name: "hidden-commands",
  claim: "no command line slips through `allow` or past `deny`; in a shell most of them work",
  tries: { full: LINES.length, sample: 5 },
  async run(tries) {
    const hidden = LINES.map((line) => line.replaceAll("@", HIDDEN));
    // Without a sandbox the lines run faster, and the checks are the same.
    const of = async (lines: readonly string[], rules: Parameters<typeof plants>[1]) =>
      await Promise.all(
        lines.slice(0, tries).map(async (line) => ({
          line,
          ...await plants(line, rules, noSandbox()),
        })),
      );
    const asking: Rules = { deny: [], autoApprove: [] };
    const denying: Rules = { deny: ["touch planted"], autoApprove: "*" };
    const all = [...await of(hidden, asking), ...await of(EVASIONS, denying)];
    const working = all.filter(({ planted }) => planted);
    const successes = working.filter(({ passed }) => passed)
      .map(({ line }) => `${JSON.stringify(line)} runs without approval`);
    await using started = await startService("off");
    successes.push(...await passService(started, hidden.slice(0, tries), asking));
    successes.push(...await passService(started, EVASIONS.slice(0, tries), denying));
    if (working.length < all.length / 2) successes.push(`only ${working.length} work in a shell`);
    return {
      tried: 2 * all.length,
      successes,
      note: `${working.length} of ${all.length} work in a shell`,
    };
  },
};
