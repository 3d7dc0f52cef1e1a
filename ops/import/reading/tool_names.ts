// Maps the names that other tools give their tools to Inkling's built-in tools.
import { matchesPattern } from "../../../runtime/vocabulary/tool_vocabulary.ts";

/** Inkling's tools, each with the other names. These are in lower case, without `-`, `_` and the name of a group. */
const TOOLS = byName({
  file_read: "read view readfile readmanyfiles notebookread getnotebooksummary",
  file_glob: "ls list listdir listdirectory glob findfiles filesearch findtestfiles",
  file_search: "grep codebase textsearch searchfilecontent greptool usages searchresults",
  "file_search file_glob": "search",
  file_write: "write create writefile createfile createdirectory new savefile",
  "file_edit file_write": "edit multiedit editfiles strreplace replace patch applypatch editfile",
  file_edit: "notebookedit editnotebook",
  http_request: "webfetch fetch opensimplebrowser httprequest",
  "http_request web_search": "web",
  web_search: "websearch googlewebsearch",
  shell: "bash shell terminal execute runcommands runcommand runinterminal runshellcommand " +
    "runtasks runtests runtask computer localshell execcommand killshell bashoutput " +
    "getterminaloutput terminallastcommand terminalselection developer",
  run_agent: "task agent runsubagent customagent",
  skill_use: "skill activateskill",
  ask_user: "askuserquestion question askquestions askuser",
  memory_save: "memory savememory",
});

/** The reasons why some tools have no counterpart. */
const MISSING = byName({
  "an agent plans in its own messages":
    "todowrite todoread todo todos todolist updateplan writetodos managetodolist",
  "there is no plan mode: tools that change something ask first": "exitplanmode enterplanmode",
  "it belongs to an editor":
    "vscode vscodeapi extensions problems changes testfailure runnotebooks newworkspace lsp codeinterpreter " +
    "activepullrequest copilotcodingagent",
  "a server for GitHub has such a tool: inkling mcp add": "githubrepo",
  "a server for browsers has such tools: inkling mcp add": "playwright browser",
});

/** Returns the keys of a table by the names in their values. */
export function byName(table: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(table).flatMap(([key, names]) => names.split(" ").map((name) => [name, key])),
  );
}

/** A tool as another tool's file names it. */
export type ToolSpec =
  | { kind: "builtin"; tools: string[]; argument?: string }
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
    return {
      kind: "builtin",
      tools: tools.split(" "),
      ...(argument !== undefined && { argument }),
    };
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
