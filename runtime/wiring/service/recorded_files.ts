// Records in the audit the agent files and config.yaml that changed on the disk, when the service reads them.
import type { SeenFile } from "../../audit/audit.ts";
import { SerialQueue } from "../../../base/serial_queue.ts";
import { sha256Of } from "../../../base/sha256.ts";
import type { OpenedParts } from "../open_parts.ts";

/**
 * Returns a function that records the files that changed since its last call, or since the last record. Without a change it
 * uses neither the database nor the disk. It never rejects: a failure is logged, and the next call records the change.
 */
export function createFileRecorder(
  { audit, registry, settings, log }: OpenedParts,
): () => Promise<void> {
  const checks = new SerialQueue();
  let last: unknown[] = [];
  return () =>
    checks.run(async () => {
      const { config, directories: { agentsDir } } = settings;
      const agents = registry.files();
      const now = [config, ...agents.flatMap(({ path, hash }) => [path, hash])];
      const isSame = now.length === last.length && now.every((one, index) => one === last[index]);
      if (isSame) return;
      try {
        const files: SeenFile[] = agents.map(({ id, path, hash }) => ({
          file: path,
          digest: hash,
          agentId: id,
          readText: () => readText(path, hash),
        }));
        // Only the digest of config.yaml is stored, because the file may contain a secret by mistake.
        const digest = await digestOf(config.path);
        if (digest !== undefined) files.push({ file: config.path, digest });
        await audit.checkFiles(files, agentsDir);
        last = now;
      } catch (error) {
        log.write("warn", "Changed files could not be recorded in the audit; tried again later", {
          error,
        });
      }
    });
}

async function digestOf(path: string): Promise<string | undefined> {
  try {
    return await sha256Of(await Deno.readFile(path));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Returns the text of a file. Undefined if the file is not as it was read. */
async function readText(path: string, digest: string | undefined): Promise<string | undefined> {
  const text = await Deno.readTextFile(path).catch(() => "");
  return await sha256Of(text) === digest ? text : undefined;
}
