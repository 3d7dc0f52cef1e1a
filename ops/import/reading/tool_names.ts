// Maps the names that other tools give their tools to Inkling's built-in tools.
import { matchesPattern } from "../../../runtime/vocabulary/tool_vocabulary.ts";

/** Inkling's tools for each name. The names are in lower case, without `-`, `_` and the name of a group. */
const TOOLS: ReadonlyMap<string, readonly string[]> = new Map(
  ([
    ["read view readfile readmanyfiles notebookread getnotebooksummary", ["file_read"]],
    ["ls list listdir listdirectory glob findfiles filesearch findtestfiles", ["file_glob"]],
    ["grep codebase textsearch searchfilecontent greptool usages searchresults", ["file_search"]],
    ["search", ["file_search", "file_glob"]],
    ["write create writefile createfile createdirectory new savefile", ["file_write"]],
    ["edit multiedit editfiles strreplace replace patch applypatch editfile", [
      "file_edit",
      "file_write",
    ]],
    ["notebookedit editnotebook", ["file_edit"]],
    ["webfetch fetch opensimplebrowser httprequest", ["http_request"]],
    ["web", ["http_request", "web_search"]],
    ["websearch googlewebsearch", ["web_search"]],
    ["bash shell terminal execute runcommands runcommand runinterminal runshellcommand", ["shell"]],
    ["runtasks runtests runtask computer localshell execcommand killshell bashoutput", ["shell"]],
    ["getterminaloutput terminallastcommand terminalselection developer", ["shell"]],
    ["task agent runsubagent customagent", ["run_agent"]],
    ["skill activateskill", ["skill_use"]],
    ["askuserquestion question askquestions askuser", ["ask_user"]],
    ["memory savememory", ["memory_save"]],
  ] as const).flatMap(([names, tools]) => names.split(" ").map((name) => [name, tools] as const)),
);

/** The reasons why some tools have no counterpart. */
const MISSING: ReadonlyMap<string, string> = new Map(
  ([
    [
      "todowrite todoread todo todos todolist updateplan writetodos managetodolist",
      "an agent plans in its own messages",
    ],
    ["exitplanmode enterplanmode", "there is no plan mode: tools that change something ask first"],
    [
      "vscode vscodeapi extensions problems changes testfailure runnotebooks newworkspace",
      "it belongs to an editor",
    ],
    ["lsp codeinterpreter activepullrequest copilotcodingagent", "it belongs to an editor"],
    ["githubrepo", "a server for GitHub has such a tool: inkling mcp add"],
    ["playwright browser", "a server for browsers has such tools: inkling mcp add"],
  ] as const).flatMap(([names, why]) => names.split(" ").map((name) => [name, why] as const)),
);

/** A tool as another tool's file names it. */
export type ToolSpec =
  | { kind: "builtin"; tools: readonly string[]; argument?: string }
  /** An entry of `mcp`. */
  | { kind: "server"; entry: string }
  | { kind: "every" }
  | { kind: "unknown"; why: string };

/** Parses a name such as `Read`, `Bash(git log:*)`, `mcp__github__get_issue`, `github/*` or `search/codebase`. */
export function readToolSpec(text: string): ToolSpec {
  const [, name = text, argument] = /^([^()]+)\((.*)\)$/s.exec(text.trim()) ?? [];
  if (name === "*" || name === "all") return { kind: "every" };
  const [, server, tool] = /^mcp__(.+?)(?:__(.+))?$/.exec(name) ?? [];
  if (server !== undefined) return toServer(server, tool);
  const slash = name.lastIndexOf("/");
  const key = toKey(name.slice(slash + 1));
  const group = toKey(name.slice(0, Math.max(0, slash)));
  const why = MISSING.get(key) ?? MISSING.get(group);
  const isOfServer = slash > 0 && TOOLS.get(group) === undefined &&
    MISSING.get(group) === undefined;
  if (isOfServer) {
    // An editor's extensions have names such as `publisher.name`.
    return name.slice(0, slash).includes(".")
      ? { kind: "unknown", why: "it belongs to an extension of an editor" }
      : toServer(name.slice(0, slash), name.slice(slash + 1));
  }
  const tools = TOOLS.get(key) ?? (slash > 0 ? TOOLS.get(group) : undefined);
  if (tools !== undefined && why === undefined) {
    return { kind: "builtin", tools, ...(argument !== undefined && { argument }) };
  }
  return { kind: "unknown", why: why ?? "no tool of this name is known here" };
}

function toServer(server: string, tool: string | undefined): ToolSpec {
  const isWhole = tool === undefined || tool === "*" || tool === "";
  return { kind: "server", entry: isWhole ? server : `${server}/${tool}` };
}

function toKey(name: string): string {
  return name.toLowerCase().replace(/[-_\s]/g, "");
}

/** Splits a list of tools that is written as text at commas and spaces outside of parentheses. */
export function splitTools(text: string): string[] {
  return [...text.matchAll(/[^\s,()]+(?:\([^()]*\))?/g)].map(([one]) => one);
}

/**
 * Converts a command in another tool's notation, such as `git log:*`, to an entry of `shell.allow`. Returns "*" if it
 * stands for every command.
 */
export function toCommandPattern(text: string): string {
  const pattern = text.trim().replace(/:\*$/, " *").trim();
  return matchesPattern("any", pattern) ? "*" : pattern;
}
