// Calculates the digest of a file's content.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";

/** Returns the SHA-256 of a file in hexadecimal; undefined if the file cannot be read. */
export async function digestOfFile(path: string): Promise<string | undefined> {
  const hash = createHash("sha256");
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk);
  } catch {
    // Another program is changing the file. The event of this change causes another read.
    return undefined;
  }
  return hash.digest("hex");
}
