// Reads mcp-servers.json. The file is checked at each use, and parsed again after a change.
import { formatDiagnostic } from "../../../../base/diagnostics.ts";
import { type ChangedFile, ChangingFile } from "../../../config/files/changing_file.ts";
import { parseServers } from "./parse_servers.ts";

/** The entries of the file, or the problem that makes the file unusable. */
export type ServersFileContent = ReturnType<typeof parseServers> & { isMissing?: true };

/** The file mcp-servers.json of one workspace. */
export class ServersFile {
  readonly path: string;
  readonly #file: ChangingFile;
  #content: ServersFileContent;

  constructor(path: string) {
    this.path = path;
    this.#file = new ChangingFile(path);
    this.#content = toContent({ state: "missing" }, path);
  }

  /** Returns the current entries. If the file does not exist or cannot be read, returns a problem instead of throwing. */
  read(): ServersFileContent {
    const changed = this.#file.readIfChanged();
    if (changed !== undefined) this.#content = toContent(changed, this.path);
    return this.#content;
  }
}

function toContent(changed: ChangedFile, path: string): ServersFileContent {
  switch (changed.state) {
    case "text":
      return parseServers(changed.text, path);
    case "bytes":
      return { problem: formatDiagnostic(changed.diagnostic) };
    case "missing":
      return { problem: `MCP servers are named, but ${path} is missing`, isMissing: true };
    case "unfit":
      return { problem: `${path} ${changed.reason}` };
    case "unreadable":
      return { problem: `${path} cannot be read: ${changed.reason}` };
  }
}
