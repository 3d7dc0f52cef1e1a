// The tool skill_run_script: runs a script from a skill's folder.
import { stat } from "node:fs/promises";
import { z } from "zod";
import { defineTool } from "../definition/define_tool.ts";
import type { ProcessSandbox } from "../../sandbox/process_sandbox.ts";
import { agentRules, confineProgram, workingFolder } from "../processes/confined_program.ts";
import { type ProgramEnd, runProgram, type RunProgramOptions } from "../processes/run_program.ts";
import type { ActionTool, ToolContext } from "../definition/tool.ts";
import { ToolFailure } from "../failures/tool_failure.ts";
import { parseScriptName, shellOf } from "./script_names.ts";
import type { ScriptRun } from "../custom/hosted_scripts.ts";
import { splitShellWords } from "./shell_words.ts";
import type { SandboxRules } from "../../sandbox/sandbox_rules.ts";
import type { Skill, SkillLibrary } from "./skill_library.ts";

const MAX_ARGUMENT_CHARACTERS = 20_000;
/** The number of bytes that are read to find the interpreter in the first line. The kernel reads as many. */
const MAX_FIRST_LINE_BYTES = 256;
const MAX_OUTPUT_BYTES = 64 * 1024;
const TIMEOUT_MS = 30_000;
/** The time after a script's own limit in which its processes are ended, in milliseconds. */
const GRACE_MS = 15_000;

/** The options of the tool skill_run_script. */
export interface SkillScriptOptions {
  /** Runs a .ts or .js script with restricted permissions. */
  runHostedScript(script: ScriptRun, context: ToolContext): Promise<ProgramEnd>;
  /** The environment variables that scripts get from the service, such as PATH. They contain no keys. */
  environment: Readonly<Record<string, string>>;
  /** The sandbox that confines scripts in other languages to the agent's paths. */
  sandbox: ProcessSandbox;
}

/** Creates the tool skill_run_script for the skills of a workspace. */
export function createSkillRunScript(
  library: SkillLibrary,
  options: SkillScriptOptions,
): ActionTool {
  return defineTool({
    name: "skill_run_script",
    description: `Runs a script of one of your skills (.ts, .js, .py, .sh) for at most ${
      TIMEOUT_MS / 1_000
    } seconds, in the workspace. The result is its exit code and what it printed.`,
    schema: z.object({
      skill_name: z.string().describe("One of your skills"),
      script_name: z.string().describe(
        "A file in the skill's folder or its scripts folder, such as scripts/pdf/convert.py",
      ),
      script_args: z.string().max(MAX_ARGUMENT_CHARACTERS).default("").describe(
        "Its arguments, split as a shell splits them: quotes and backslashes count, nothing is expanded",
      ),
    }),
    effect: "unsafe",
    timeoutMs: TIMEOUT_MS + GRACE_MS,
    run: async ({ skill_name, script_name, script_args }, context) => {
      const skill = await library.use(skill_name, context.agent);
      const args = splitShellWords(script_args);
      if (script_args.includes("\0")) {
        throw new ToolFailure("The arguments contain a NUL character, which no program accepts.");
      }
      const { candidates, interpreter } = parseScriptName(script_name);
      const script = {
        path: await findScript(skill, candidates, script_name),
        args,
        cwd: await workingFolder(context.sandbox),
        environment: {
          ...options.environment,
          SKILL_DIR: skill.folder,
          WORKSPACE: context.sandbox.workspace,
        },
        timeoutMs: TIMEOUT_MS,
        maxOutputBytes: MAX_OUTPUT_BYTES,
        folder: skill.sandbox,
      };
      const end = interpreter === null
        ? await options.runHostedScript(script, context)
        : await runScript(interpreter, {
          ...script,
          sandbox: options.sandbox,
          rules: await agentRules(context.sandbox, { read: [skill.folder] }),
          signal: context.signal,
          clock: context.clock,
          redactor: context.redactor,
        });
      const text = describeEnd(script_name, end);
      if (end.exitCode !== 0) throw new ToolFailure(text);
      return text;
    },
  });
}

/** Runs a script that is not TypeScript or JavaScript. A shell script runs in the program that its first line names. */
async function runScript(
  interpreter: string,
  script: Omit<RunProgramOptions, "input"> & {
    path: string;
    sandbox: ProcessSandbox;
    rules: SandboxRules;
  },
): Promise<ProgramEnd> {
  const { path, args, cwd, environment, sandbox, rules } = script;
  const [program = interpreter, ...before] = interpreter === "sh"
    ? shellOf(await beginningOfFile(path))
    : [];
  const started = { program, args: [...before, path, ...args], cwd, environment };
  const confined = await confineProgram(sandbox, started, rules);
  return await runProgram(confined.program, { ...script, ...confined });
}

async function beginningOfFile(path: string): Promise<string> {
  using file = await Deno.open(path);
  const bytes = new Uint8Array(MAX_FIRST_LINE_BYTES);
  const count = await file.read(bytes) ?? 0;
  return new TextDecoder().decode(bytes.subarray(0, count));
}

/**
 * Returns the real path of the first candidate that is a file in the skill's folder. Throws ToolFailure if there is none.
 */
async function findScript(
  skill: Skill,
  candidates: readonly string[],
  shown: string,
): Promise<string> {
  for (const candidate of candidates) {
    const { path, exists } = await skill.sandbox.resolve(candidate, "read");
    if (exists && (await stat(path)).isFile()) return path;
  }
  throw new ToolFailure(
    `The skill ${JSON.stringify(skill.name)} has no script ${JSON.stringify(shown)}: tried ${
      candidates.map((one) => one.slice("./".length)).join(" and ")
    }.`,
  );
}

function describeEnd(name: string, end: ProgramEnd): string {
  const outcome = end.timedOut
    ? `took longer than ${
      TIMEOUT_MS / 1_000
    } s and was killed, with all processes that it had started`
    : end.exitCode === null
    ? "was killed by a signal"
    : `ended with exit code ${end.exitCode}`;
  const stderr = end.stderr.trimEnd();
  return [
    `${name} ${outcome}.`,
    ...(end.stdout === "" ? [] : [end.stdout.trimEnd()]),
    ...(stderr === "" ? [] : [`Standard error:\n${stderr}`]),
    ...(end.cut ? ["(More output was dropped. Make the script print less.)"] : []),
  ].join("\n");
}
