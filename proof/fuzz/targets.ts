// Lists all fuzz targets in the order of their execution.
import { agentFiles, hugeAgentFiles, pathAliases } from "./targets/agent_file_target.ts";
import { answerLinks, channelReplies, chatTexts } from "./targets/answer_target.ts";
import { argumentSchemas, toolArguments } from "./targets/arguments_target.ts";
import { completionWords, shellWords } from "./targets/completion_target.ts";
import { configFiles, environmentFiles } from "./targets/config_target.ts";
import { databases } from "./targets/database_target.ts";
import { endlessReplies } from "./targets/endless_reply_target.ts";
import { executionLives } from "./targets/execution_life_target.ts";
import { familyLives } from "./targets/family_life_target.ts";
import { globs, hostileGlobs } from "./targets/glob_target.ts";
import { httpRequests } from "./targets/http_target.ts";
import { foreignFiles } from "./targets/import_target.ts";
import { logins } from "./targets/login_target.ts";
import { memoryFiles } from "./targets/memory_target.ts";
import { changePaths, findPaths, readPaths } from "./targets/path_target.ts";
import { providerStreams } from "./targets/provider_target.ts";
import { programBodies } from "./targets/program_target.ts";
import { proxyRequests } from "./targets/proxy_target.ts";
import { redaction } from "./targets/redaction_target.ts";
import { cronExpressions, durations } from "./targets/schedule_target.ts";
import { skillTexts } from "./targets/skill_target.ts";
import { eventCursors, eventStreams, frames } from "./targets/stream_target.ts";
import { serverFiles } from "./targets/server_file_target.ts";
import type { FuzzTarget } from "./target.ts";
import {
  foreignLines,
  terminalMarkdown,
  terminalTexts,
  wrappedTexts,
} from "./targets/terminal_target.ts";

import { jsonPointers, mails, webhookDeliveries } from "./targets/webhook_target.ts";

/**
 * All targets: for texts of people and models, for requests of clients, for files, and for executions from their start to
 * their end.
 */
export const TARGETS: readonly FuzzTarget[] = [
  ...[
    agentFiles,
    hugeAgentFiles,
    pathAliases,
    configFiles,
    environmentFiles,
    serverFiles,
    foreignFiles,
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
    programBodies,
    logins,
    answerLinks,
    channelReplies,
    webhookDeliveries,
    chatTexts,
    mails,
    jsonPointers,
    proxyRequests,
  ],
  ...[terminalTexts, terminalMarkdown, wrappedTexts, foreignLines, completionWords, databases],
  ...[executionLives, familyLives],
];
