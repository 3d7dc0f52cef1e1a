// Starts hostile programs in the ways in which agents start programs: from a skill's script, an MCP server, a command of
// the shell and a custom tool; also from a command of an agent of a started service.
import { join } from "node:path";
import type { ProcessSandbox } from "../../runtime/sandbox/process_sandbox.ts";
import { SystemClock } from "../../base/clock.ts";
import {
  IGNORED_WITHOUT_BRIDGE,
  IGNORED_WITHOUT_SANDBOX,
  noSandbox,
  systemSandbox,
} from "../../tests/runtime/sandbox/system_sandbox.ts";
import { SHELL_SERVER } from "../../tests/runtime/sandbox/shell_server.ts";
import { CANARY } from "../../tests/runtime/tools/files/sandbox_fixture.ts";
import { ToolWorld } from "../../tests/runtime/tools/custom/tool_world.ts";
import { openMcpWorld } from "../../tests/runtime/tools/mcp/mcp_world.ts";
import { ShellFixture } from "../../tests/runtime/tools/shell/shell_fixture.ts";
import { SkillsFixture } from "../../tests/runtime/tools/skills/skills_fixture.ts";
import type { Attack } from "./attack.ts";
import { HOSTILE_PROGRAMS, type HostileProgram } from "./hostile_table.ts";
import { openTargets, type Targets } from "./hostile_targets.ts";
import { runCommand, startService } from "./started_commands.ts";

/** The time from a program's end to the search for processes that have survived it. */
const SURVIVAL_CHECK_MS = 1_200;

/** Writes a program into the skill's folder and returns the shell command that starts it there. Compiles C programs. */
async function write(folder: string, { language, source }: HostileProgram): Promise<string> {
  const endings = { sh: "sh", python: "py", node: "cjs", c: "c", tool: "ts" };
  const path = join(folder, `hostile.${endings[language]}`);
  await Deno.writeTextFile(path, source);
  if (language === "python") return `python3 ${path}`;
  if (language === "node") return `node ${path}`;
  if (language !== "c") return `sh ${path}`;
  const program = join(folder, "hostile");
  const { success, stderr } = await new Deno.Command("gcc", { args: ["-w", "-o", program, path] })
    .output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return program;
}

/** The result of one program started in one way. */
interface Outcome {
  name: string;
  breach: string | undefined;
}

async function asScripts(
  programs: readonly HostileProgram[],
  sandbox: (home: string) => ProcessSandbox,
): Promise<Outcome[]> {
  await using fixture = await SkillsFixture.open();
  const { base, home, workspace } = fixture.files;
  await using prey = await openTargets(base, home, workspace);
  await fixture.write("one", "SKILL.md", "---\nname: one\ndescription: One\n---\nText");
  const folder = join(fixture.skillsDir, "one");
  const { tool, context } = await fixture.tool("skill_run_script", {
    skills: ["one"],
    of: fixture.skills({ sandbox: sandbox(home) }),
    clock: new SystemClock(),
  });
  const outcomes: Outcome[] = [];
  for (const program of programs) {
    const command = await write(folder, { ...program, source: prey.fill(program.source) });
    await fixture.write("one", "start.sh", `cd ${workspace}\n${command}\n`);
    const args = { skill_name: "one", script_name: "start.sh", script_args: "" };
    const text = await textOf(async () => await tool.run(tool.check(args), context));
    outcomes.push(await outcomeOf(`a script: ${program.name}`, text, prey, program));
  }
  return outcomes;
}

async function asServers(
  programs: readonly HostileProgram[],
  sandbox: (home: string) => ProcessSandbox,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  await using fixture = await SkillsFixture.open();
  const { base, home, workspace } = fixture.files;
  await using prey = await openTargets(base, home, workspace);
  const folder = join(base, "package");
  await Deno.mkdir(folder);
  await Deno.writeTextFile(join(folder, "server.sh"), SHELL_SERVER);
  for (const program of programs) {
    const command = await write(folder, { ...program, source: prey.fill(program.source) });
    const text = await textOf(async () => {
      await using world = await openMcpWorld({ sandbox: sandbox(home), fixture: fixture.files });
      const env = { SCRIPT: `cd ${workspace}; ${command}` };
      // The sandbox allows one host, so that the programs can also attack the bridge to this host.
      const reach = IGNORED_WITHOUT_BRIDGE ? {} : { sandbox: { net: ["allowed.example"] } };
      const args = [join(folder, "server.sh")];
      await world.define({ hostile: { command: "sh", args, env, ...reach } });
      const [tool] = (await world.tools(["hostile"])).values();
      return await world.call(tool);
    });
    outcomes.push(await outcomeOf(`a server: ${program.name}`, text, prey, program));
  }
  return outcomes;
}

async function asCommands(
  programs: readonly HostileProgram[],
  sandbox: (home: string) => ProcessSandbox,
): Promise<Outcome[]> {
  await using place = await ShellFixture.open();
  const { base, home, workspace } = place.files;
  await using prey = await openTargets(base, home, workspace);
  const folder = join(workspace, "hostile");
  await Deno.mkdir(folder);
  const outcomes: Outcome[] = [];
  for (const program of programs) {
    const command = await write(folder, { ...program, source: prey.fill(program.source) });
    // The sandbox allows one host, so that the programs can also attack the bridge to this host.
    const net = IGNORED_WITHOUT_BRIDGE ? [] : ["allowed.example"];
    const options = { sandbox: sandbox(home), settings: { net } };
    const text = await textOf(() => place.run(command, options));
    outcomes.push(await outcomeOf(`a command: ${program.name}`, text, prey, program));
  }
  return outcomes;
}

/** Starts the programs as commands of agents of a service in its own process. */
async function asStarted(programs: readonly HostileProgram[]): Promise<Outcome[]> {
  const net = IGNORED_WITHOUT_BRIDGE ? [] : ["allowed.example"];
  const settings = { shell: { net }, autoApprove: ["shell"] };
  await using started = await startService("required");
  const { root, workspace } = started.home;
  await using prey = await openTargets(root, root, workspace);
  const folder = join(workspace, "hostile");
  await Deno.mkdir(folder);
  const outcomes: Outcome[] = [];
  for (const program of programs) {
    const command = await write(folder, { ...program, source: prey.fill(program.source) });
    const { isAsking, text } = await runCommand(started, { command, ...settings });
    if (isAsking) throw new Error(`The shell asks about ${command}`);
    outcomes.push(await outcomeOf(`a command of a service: ${program.name}`, text, prey, program));
  }
  return outcomes;
}

async function asTools(programs: readonly HostileProgram[]): Promise<Outcome[]> {
  await using world = await ToolWorld.open({ sandbox: systemSandbox("/nonexistent") });
  const { base, home, workspace } = world.fixture;
  await using prey = await openTargets(base, home, workspace);
  const outcomes: Outcome[] = [];
  for (const [index, program] of programs.entries()) {
    await world.writeTool(`hostile${index}`, prey.fill(program.source));
    const paths = [{ alias: "notes", path: join(workspace, "notes") }];
    const text = await textOf(async () => await world.call(`hostile${index}`, {}, { paths }));
    outcomes.push(await outcomeOf(`a tool: ${program.name}`, text, prey, program));
  }
  return outcomes;
}

/** Returns the output or the error text of a call. Both may contain data that the program has read. */
async function textOf(call: () => Promise<unknown>): Promise<string> {
  const result = await call().catch((error: unknown) => error);
  if (result instanceof Error) return result.message;
  return typeof result === "string" ? result : (result as { content: string }).content;
}

async function outcomeOf(
  name: string,
  text: string,
  prey: Targets,
  program: HostileProgram,
): Promise<Outcome> {
  if (program.name.startsWith("outlive")) await new SystemClock().sleep(SURVIVAL_CHECK_MS);
  const traces = await prey.traces();
  const said = text.includes(CANARY)
    ? "it read what it may not"
    : /BREACH(?!['")])/.exec(text)?.[0];
  return { name, breach: said ?? traces[0] };
}

/**
 * The ways to start a program of which some succeed without a sandbox. Deno's permissions also restrict custom tools, and
 * for the commands of a service, the attack `hidden-commands` shows that they run.
 */
const FREE_WAYS = ["a script", "a server", "a command"];

export const hostilePrograms: Attack = {
  name: "hostile-programs",
  claim: "no program of an agent escapes from the sandbox; without it most do",
  tries: { full: HOSTILE_PROGRAMS.length, sample: 1 },
  ...(IGNORED_WITHOUT_SANDBOX && { impossible: "this system has no sandbox" }),
  async run(tries) {
    const programs = HOSTILE_PROGRAMS.filter(({ language }) => language !== "tool").slice(0, tries);
    const tools = HOSTILE_PROGRAMS.filter(({ language }) => language === "tool").slice(0, tries);
    const tryAll = async (sandbox: (home: string) => ProcessSandbox) => [
      ...await asScripts(programs, sandbox),
      ...await asServers(programs, sandbox),
      ...await asCommands(programs, sandbox),
    ];
    const inside = [
      ...await tryAll(systemSandbox),
      ...await asTools(tools),
      ...await asStarted(programs),
    ];
    // Run the programs without a sandbox, too: if most failed there, their failures in the sandbox would prove nothing.
    const without = await tryAll(noSandbox);
    const free = without.filter(({ breach }) => breach !== undefined);
    const successes = inside.flatMap(({ name, breach }) =>
      breach === undefined ? [] : [`${name}: ${breach}`]
    );
    for (const way of FREE_WAYS) {
      if (free.some(({ name }) => name.startsWith(`${way}:`))) continue;
      successes.push(`${way} never succeeds without a sandbox, so its failures prove nothing`);
    }
    return {
      tried: inside.length,
      successes,
      note: `${free.length} of ${without.length} succeed without a sandbox; not: ${
        without.filter(({ breach }) => breach === undefined).map(({ name }) => name).join(", ")
      }`,
    };
  },
};
