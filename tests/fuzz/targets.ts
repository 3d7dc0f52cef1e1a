// Every target there is, in the order in which they are run.
import { agentFiles, hugeAgentFiles, pathAliases } from "./agent_file_target.ts";
import { argumentSchemas, toolArguments } from "./arguments_target.ts";
import { completionWords, shellWords } from "./completion_target.ts";
import { configFiles, environmentFiles } from "./config_target.ts";
import { databases } from "./database_target.ts";
import { endlessReplies } from "./endless_reply_target.ts";
import { executionLives } from "./execution_life_target.ts";
import { familyLives } from "./family_life_target.ts";
import { globs, hostileGlobs } from "./glob_target.ts";
import { httpRequests } from "./http_target.ts";
import { memoryFiles } from "./memory_target.ts";
import { changePaths, findPaths, readPaths } from "./path_target.ts";
import { providerStreams } from "./provider_target.ts";
import { redaction } from "./redaction_target.ts";
import { cronExpressions, durations } from "./schedule_target.ts";
import { skillTexts } from "./skill_target.ts";
import { eventCursors, eventStreams, frames } from "./stream_target.ts";
import { serverFiles } from "./server_file_target.ts";
import type { FuzzTarget } from "./target.ts";
import { foreignLines, terminalMarkdown, terminalTexts, wrappedTexts } from "./terminal_target.ts";

/** What a person writes, what a model says, what a client sends, what a disk holds, what happens to executions. */
export const TARGETS: readonly FuzzTarget[] = [
  ...[
    agentFiles,
    hugeAgentFiles,
    pathAliases,
    configFiles,
    environmentFiles,
    serverFiles,
    cronExpressions,
    durations,
  ],
  ...[globs, hostileGlobs, readPaths, findPaths, changePaths],
  ...[toolArguments, argumentSchemas, shellWords, skillTexts],
  ...[
    memoryFiles,
    providerStreams,
    endlessReplies,
    redaction,
    frames,
    eventCursors,
    eventStreams,
    httpRequests,
  ],
  ...[terminalTexts, terminalMarkdown, wrappedTexts, foreignLines, completionWords, databases],
  ...[executionLives, familyLives],
];
