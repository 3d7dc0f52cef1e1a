// The command line of Inkling: every command, in the order in which help lists them.
import type { Program } from "./command_line/command.ts";
import { budget, chat, list, resume, run, show, why } from "./declarations/agent_commands.ts";
import { mcp, newCommand, skill, test, validate } from "./declarations/authoring_commands.ts";
import {
  cancel,
  checkpoint,
  diff,
  fork,
  logs,
  pending,
  recap,
  replay,
  respond,
  watch,
} from "./declarations/execution_commands.ts";
import { completions, declareComplete, declareHelp } from "./declarations/help_commands.ts";
import {
  doctor,
  info,
  moveHistory,
  notify,
  permissions,
  setup,
  start,
  status,
  stop,
  ui,
  update,
} from "./declarations/service_commands.ts";
import { GLOBAL_OPTIONS, HELP_OPTION, VERSION_OPTION } from "./global_options.ts";

/** The program with all its commands. */
export const PROGRAM: Program = {
  name: "inkling",
  description: "Runs agents that are Markdown files: on request, by schedule, on file changes",
  options: { ...GLOBAL_OPTIONS, version: VERSION_OPTION, help: HELP_OPTION },
  commands: [
    setup,
    newCommand,
    start,
    status,
    stop,
    list,
    show,
    run,
    chat,
    pending,
    respond,
    watch,
    cancel,
    checkpoint,
    moveHistory,
    recap,
    logs,
    replay,
    fork,
    diff,
    why,
    budget,
    resume,
    skill,
    mcp,
    validate,
    doctor,
    test,
    info,
    notify,
    permissions,
    ui,
    update,
    completions,
    declareComplete(() => PROGRAM),
    declareHelp(() => PROGRAM),
  ],
};
