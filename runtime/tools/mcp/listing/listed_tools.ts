// Stores the names of the tools that each MCP server listed last. `validate` counts them without starting a server.
import { dirname, join } from "../../../../base/plain_path.ts";
import { isJsonObject, isWholeJson } from "../../../../base/json.ts";
import { writeFileAtomically } from "../../../../base/files/atomic_file.ts";
import { ignoreMissing } from "../../../../base/files/missing.ts";
import { SerialQueue } from "../../../../base/serial_queue.ts";

const FILE_NAME = "mcp-tools.json";

/** Returns the stored names of tools by server. Empty if no list was stored. */
export async function readListedTools(stateDir: string): Promise<Map<string, string[]>> {
  const text = await Deno.readTextFile(join(stateDir, FILE_NAME)).catch(ignoreMissing) ?? "";
  const root: unknown = isWholeJson(text) ? JSON.parse(text) : {};
  const entries = Object.entries(isJsonObject(root) ? root : {}).map(([server, names]) => {
    const listed = Array.isArray(names) ? names.filter((one) => typeof one === "string") : [];
    return [server, listed] as const;
  });
  return new Map(entries);
}

/** The writer of the stored lists. It writes nothing if a server's list has not changed. */
export class ListedTools {
  readonly #stateDir: string;
  readonly #writes = new SerialQueue();

  constructor(stateDir: string) {
    this.#stateDir = stateDir;
  }

  async save(server: string, tools: readonly { name: string }[]): Promise<void> {
    const names = tools.map(({ name }) => name);
    await this.#writes.run(async () => {
      const file = join(this.#stateDir, FILE_NAME);
      const before = await readListedTools(this.#stateDir);
      if (JSON.stringify(before.get(server)) === JSON.stringify(names)) return;
      await Deno.mkdir(dirname(file), { recursive: true });
      await writeFileAtomically(
        file,
        JSON.stringify(Object.fromEntries(before.set(server, names))),
      );
    }).catch(() => {
      // Only `validate` reads the file, so a run must not fail if it cannot be written. The next run tries again.
    });
  }
}
