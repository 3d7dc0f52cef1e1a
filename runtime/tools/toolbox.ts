// The tools of one agent by name, and their descriptions for the model.
import type { CommonToolName } from "../vocabulary/builtin_tools.ts";
import type { ToolDescription } from "../vocabulary/tool_vocabulary.ts";
import type { HttpPolicy } from "./http/http_policy.ts";
import type { Tool } from "./definition/tool.ts";
import { askUser } from "./builtin/ask_user.ts";
import { fileGlob } from "./builtin/file_glob.ts";
import { fileRead } from "./builtin/file_read.ts";
import { fileSearch } from "./builtin/file_search.ts";
import { createHttpRequest } from "./builtin/http_request.ts";
import { wait } from "./builtin/wait.ts";
import { memoryAppend, memoryRetrieve, memorySave } from "./builtin/memory.ts";
import { FILE_CHANGERS } from "./file_changers.ts";

/** The tools of one agent, found by their names. */
export class Toolbox {
  readonly #tools: ReadonlyMap<string, Tool>;
  #descriptions: ToolDescription[] | undefined;

  /** Throws TypeError if two tools have the same name, so the caller must make the names unique. */
  constructor(tools: readonly Tool[]) {
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    if (this.#tools.size !== tools.length) {
      throw new TypeError(
        `Two tools have the same name: ${tools.map(({ name }) => name).join(", ")}`,
      );
    }
  }

  /** Returns the tool with that name, or undefined. */
  get(name: string): Tool | undefined {
    return this.#tools.get(name);
  }

  /** Returns the names of the tools in the order in which the constructor got them. */
  names(): string[] {
    return [...this.#tools.keys()];
  }

  /** Returns the tools' names, descriptions and parameter schemas for a model request. */
  descriptions(): ToolDescription[] {
    return this.#descriptions ??= [...this.#tools.values()].map(
      ({ name, description, parameters }) => ({ name, description, parameters }),
    );
  }
}

/** Creates the tools that every agent has: files, HTTP, long-term memory, questions to the user, and
 * rests. */
export function createBuiltinTools(options: { http: HttpPolicy }): Tool[] {
  const tools: Record<CommonToolName, Tool> = {
    file_read: fileRead,
    ...FILE_CHANGERS,
    file_glob: fileGlob,
    file_search: fileSearch,
    http_request: createHttpRequest(options.http),
    memory_save: memorySave,
    memory_append: memoryAppend,
    memory_retrieve: memoryRetrieve,
    ask_user: askUser,
    wait,
  };
  return Object.values(tools);
}
