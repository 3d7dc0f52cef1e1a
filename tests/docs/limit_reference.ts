// The table of fixed limits. Each value is read from the constant in the code, so that the page cannot differ from it.
import { join } from "node:path";
import { REPOSITORY } from "../support/repository.ts";
import { tableOf } from "./markdown_table.ts";

const CUT = "the rest is cut, and a line says so";

/**
 * The limits: the name for people, the file and the constant with the value, the unit, and the consequence. `cut` is
 * CUT.
 */
const LIMITS = `
an agent's file | runtime/agents/parse_agent.ts | MAX_AGENT_FILE_BYTES | bytes | the file is an error
its front matter | runtime/agents/parse_agent.ts | MAX_FRONT_MATTER_BYTES | bytes | the file is an error
a watched path | runtime/agents/watch_path.ts | MAX_WATCHED_ENTRIES | - | the trigger is stopped
tries of one model call | runtime/models/calls/retry.ts | MAX_ATTEMPTS | - | the run is tried again later, or ends
a reply of a model | runtime/models/providers/provider_fetch.ts | MAX_REPLY_BYTES | bytes | the call fails
a tool's result | runtime/tools/definition/result_text.ts | RESULT_LIMIT_BYTES | bytes | cut
one read of a file | runtime/tools/builtin/file_read.ts | MAX_LINES | lines | \`offset\` reads on
text of one read | runtime/tools/builtin/file_read.ts | MAX_SHOWN_BYTES | bytes | cut
a file to edit | runtime/tools/builtin/file_edit.ts | MAX_FILE_BYTES | bytes | the call fails
names of \`file_glob\` | runtime/tools/builtin/file_glob.ts | MAX_RESULTS | - | \`offset\` reads on
matches of \`file_search\` | runtime/tools/builtin/file_search.ts | MAX_MATCHES | - | \`offset\` reads on
the body of \`http_request\` | runtime/tools/builtin/http_request.ts | MAX_BODY_BYTES | bytes | the call fails
the response that \`http_request\` reads | runtime/tools/builtin/http_request.ts | MAX_REPLY_BYTES | bytes | cut
a body that \`http_request\` saves | runtime/tools/builtin/http_request.ts | MAX_SAVED_BYTES | bytes | the call fails
the answer of \`http_request\` | runtime/tools/http/http_reply_text.ts | MAX_SHOWN_CHARACTERS | characters | cut
redirects of \`http_request\` | runtime/tools/http/http_redirects.ts | MAX_REDIRECTS | - | the call fails
pictures and PDF files of one result | runtime/executions/loop/perform_call.ts | MOST_MEDIA | - | the others are described
processes of custom tools | runtime/tools/custom/host_pool.ts | MAX_PROCESSES | - | further calls wait
the wait for one of them | runtime/tools/custom/host_pool.ts | MAX_WAIT_MS | milliseconds | the call fails
the memory of a custom tool | runtime/tools/custom/host/resource_guard.ts | MEMORY_LIMIT_MB | megabytes | the call fails
the time of a custom tool | runtime/tools/custom/tool_declaration.ts | MAX_TIMEOUT_S | seconds | the most that \`timeout\` may say
the files of a skill | runtime/tools/skills/skill_files.ts | MAX_BYTES | bytes | the skill is not installed
MCP servers in the file | runtime/tools/mcp/servers_file/server_entries.ts | MAX_SERVERS | - | the file is an error
the wait for a synchronous webhook | runtime/agents/triggers/webhook_rules.ts | MAX_SYNC_MS | milliseconds | the most that \`sync\` may say
a schema of an answer | runtime/agents/output_schema.ts | MAX_BYTES | bytes | the file is an error
a diff in a question | runtime/executions/loop/preview_change.ts | MOST_BYTES | bytes | cut
the service's log | runtime/service_log/log_file.ts | MAX_BYTES | bytes | the file is rotated
`;

/** Returns the table of the limits. Throws Error for a constant or unit that does not exist. */
export function limitTable(): string {
  const rows = LIMITS.trim().split("\n").map((line) => {
    const [what = "", file = "", constant = "", unit = "", then = ""] = line.split(" | ");
    return [what, show(valueOf(file, constant), unit), then === "cut" ? CUT : then];
  });
  return tableOf(["What", "At most", "Beyond it"], rows);
}

/** Returns the value of a constant that is written as a product of numbers. */
function valueOf(file: string, constant: string): number {
  const source = Deno.readTextFileSync(join(REPOSITORY, file));
  const value = new RegExp(`\\bconst ${constant} = ([\\d_ *]+);`).exec(source)?.[1];
  if (value === undefined) throw new Error(`${file} has no number ${constant}`);
  return value.split("*").reduce((product, one) => product * Number(one.replaceAll("_", "")), 1);
}

function show(value: number, unit: string): string {
  switch (unit) {
    case "bytes":
      return value >= 1024 ** 2 ? `${value / 1024 ** 2} MB` : `${value / 1024} KB`;
    case "milliseconds":
      return `${value / 60_000} minutes`;
    case "seconds":
      return `${value / 60} minutes`;
    case "megabytes":
      return `${value} MB`;
    case "characters":
    case "lines":
      return `${value.toLocaleString("en-US")} ${unit}`;
    case "-":
      return value.toLocaleString("en-US");
    default:
      throw new Error(`no unit: ${unit}`);
  }
}
