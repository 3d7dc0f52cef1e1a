// Lists all commands of Inkling in the order in which the help prints them. A command's module is loaded when the command
// is called.
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
  wake,
  watch,
} from "./declarations/execution_commands.ts";
import { complete, completions, help } from "./declarations/help_commands.ts";
import {
  doctor,
  info,
  moveHistory,
  notify,
  permissions,
  service,
  setup,
  start,
  status,
  stop,
  ui,
  update,
} from "./declarations/service_commands.ts";
import { GLOBAL_OPTIONS, HELP_OPTION, VERSION_OPTION } from "./command_line/global_options.ts";

/** The `inkling` program: its global options and its commands. */
export const PROGRAM: Program = {
  name: "inkling",
  description: "Runs agents that are Markdown files: on request, by schedule, on file changes",
  options: { ...GLOBAL_OPTIONS, version: VERSION_OPTION, help: HELP_OPTION },
  commands: [
    setup.loads(() => import("./commands/service/setup.ts")),
    newCommand.loads(() => import("./commands/agents/new.ts")),
    start.loads(() => import("./commands/service/start.ts")),
    status.loads(() => import("./commands/service/status.ts")),
    stop.loads(() => import("./commands/service/stop.ts")),
    service.loads(() => import("./commands/service/service_unit.ts")),
    list.loads(() => import("./commands/agents/list.ts")),
    show.loads(() => import("./commands/agents/show.ts")),
    run.loads(() => import("./commands/agents/run.ts")),
    chat.loads(() => import("./commands/agents/chat.ts")),
    pending.loads(() => import("./commands/executions/pending.ts")),
    respond.loads(() => import("./commands/executions/respond.ts")),
    watch.loads(() => import("./commands/executions/watch.ts")),
    cancel.loads(() => import("./commands/executions/cancel.ts")),
    wake.loads(() => import("./commands/executions/wake.ts")),
    checkpoint.loads(() => import("./commands/executions/checkpoint.ts")),
    moveHistory.loads(() => import("./commands/service/move_history.ts")),
    recap.loads(() => import("./commands/executions/recap.ts")),
    logs.loads(() => import("./commands/executions/logs.ts")),
    replay.loads(() => import("./commands/executions/replay.ts")),
    fork.loads(() => import("./commands/executions/fork.ts")),
    diff.loads(() => import("./commands/executions/diff.ts")),
    why.loads(() => import("./commands/agents/why.ts")),
    budget.loads(() => import("./commands/agents/budget.ts")),
    resume.loads(() => import("./commands/agents/resume.ts")),
    skill.loads(() => import("./commands/agents/skill.ts")),
    mcp.loads(() => import("./commands/agents/mcp.ts")),
    validate.loads(() => import("./commands/agents/validate.ts")),
    doctor.loads(() => import("./commands/service/doctor.ts")),
    test.loads(() => import("./commands/agents/test.ts")),
    info.loads(() => import("./commands/service/info.ts")),
    notify.loads(() => import("./commands/service/notify.ts")),
    permissions.loads(() => import("./commands/service/permissions.ts")),
    ui.loads(() => import("./commands/service/ui.ts")),
    update.loads(() => import("./commands/service/update.ts")),
    completions.loads(() => import("./commands/help/completions.ts")),
    complete.loads(async () => (await import("./commands/help/complete.ts")).completeFor(PROGRAM)),
    help.loads(async () => (await import("./commands/help/help.ts")).helpOf(PROGRAM)),
  ],
};
