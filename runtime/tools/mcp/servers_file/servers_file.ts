// Reads mcp-servers.json. The file is checked at each use, and parsed again after a change.
import { stampFile } from "../../../config/files/file_stamp.ts";
import { decodeText } from "../../../config/files/text_file.ts";
import { formatDiagnostic } from "../../../../base/diagnostics.ts";
import { unreadableReason } from "../../../../base/files/unreadable.ts";
import { MAX_SERVERS_FILE_BYTES } from "./server_entries.ts";
import { parseServers, type ServersDocument } from "./parse_servers.ts";

/** The entries of the file, or the problem that makes the file unusable. */
export type ServersFileContent = ServersDocument | { problem: string };

/** The file mcp-servers.json of one workspace. */
export class ServersFile {
  readonly path: string;
  #stamp: string | undefined;
  #content: ServersFileContent | undefined;

  constructor(path: string) {
    this.path = path;
  }

  /** Returns the current entries. If the file does not exist or cannot be read, returns a problem instead of throwing. */
  async read(): Promise<ServersFileContent> {
    try {
      const info = await Deno.stat(this.path);
      const stamp = stampFile(info);
      if (this.#content !== undefined && stamp !== undefined && stamp === this.#stamp) {
        return this.#content;
      }
      this.#content = await this.#load(info);
      this.#stamp = stamp;
      return this.#content;
    } catch (error) {
      this.#content = undefined;
      if (error instanceof Deno.errors.NotFound) {
        return { problem: `MCP servers are named, but ${this.path} is missing` };
      }
      return { problem: `${this.path} cannot be read: ${unreadableReason(error)}` };
    }
  }

  async #load(info: Deno.FileInfo): Promise<ServersFileContent> {
    if (!info.isFile) return { problem: `${this.path} is not a file` };
    if (info.size > MAX_SERVERS_FILE_BYTES) return { problem: `${this.path} is over 1 MB` };
    const decoded = decodeText(await Deno.readFile(this.path), this.path);
    return "diagnostic" in decoded
      ? { problem: formatDiagnostic(decoded.diagnostic) }
      : parseServers(decoded.text, this.path);
  }
}
