// The table of known MCP tools. Each has the fingerprint of its definition at the last use.
import type { KnownToolStore } from "../tools/mcp/listing/known_tools.ts";
import type { ToolFingerprint } from "../tools/mcp/listing/tool_fingerprint.ts";
import type { Database } from "../database/database.ts";
import { get, run } from "../database/operation.ts";

/** Reads and stores the known tools of one database. */
export class SqlKnownToolStore implements KnownToolStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  findTool(server: string, tool: string): Promise<ToolFingerprint | undefined> {
    return this.#db.read(function* () {
      const sql = "SELECT print FROM mcp_tools WHERE server = ? AND tool = ?";
      const row = yield* get<{ print: string }>(sql, server, tool);
      return row && JSON.parse(row.print) as ToolFingerprint;
    });
  }

  keepTool(server: string, tool: string, print: ToolFingerprint): Promise<void> {
    return this.#db.change("power", function* () {
      yield* run(
        "INSERT INTO mcp_tools (server, tool, print) VALUES (?1, ?2, ?3) " +
          "ON CONFLICT (server, tool) DO UPDATE SET print = ?3",
        server,
        tool,
        JSON.stringify(print),
      );
    });
  }
}
