// The digest of a file's content.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";

/** Returns the SHA-256 of a file in hexadecimal; undefined when it cannot be read. */
export async function digestOfFile(path: string): Promise<string | undefined> {
  const hash = createHash("sha256");
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk);
  } catch {
    // Another program changed the file meanwhile. The event of that change reads the digest again.
    return undefined;
  }
  return hash.digest("hex");
}
