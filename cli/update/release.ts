// Reads latest.json, which describes the newest release, and selects the file for this machine.
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { commandFailed, type CommandFailure } from "../context/exit.ts";
import { toOneLine } from "../output/sanitize.ts";
import { type FetchOptions, fetchText } from "./release_fetch.ts";
import { isVersion } from "./version.ts";

const LARGEST_MANIFEST_BYTES = 1_048_576;

/** The newest release, with the address of the binary for this machine. */
export interface Release {
  version: string;
  /** The name of the binary in the folder of the releases. */
  name: string;
  address: URL;
  /** The SHA-256 checksum of the binary, in lowercase hexadecimal. */
  sha256: string;
}

/**
 * Reads `latest.json` from the folder of the releases: `{"version": "1.2.3", "files": {"x86_64-unknown-linux-gnu": {"name":
 * "…", "sha256": "…"}}}`. Each named file is in the same folder. Throws CommandFailure for an invalid file, or the reason
 * of an aborted signal.
 */
export async function readRelease(
  folder: URL,
  options: FetchOptions & { target: string },
): Promise<Release> {
  const address = new URL("latest.json", folder);
  const text = await fetchText(address, { ...options, limit: LARGEST_MANIFEST_BYTES });
  const { version, files } = parseManifest(text, address);
  const file = isJsonObject(files) ? files[options.target] : undefined;
  if (!isJsonObject(file)) {
    throw commandFailed(`Inkling ${version} is not available for this machine (${options.target})`);
  }
  const { name, sha256 } = file;
  // The name must not contain a path, because the file must be in the folder of latest.json.
  if (typeof name !== "string" || !/^[A-Za-z0-9][\w.+-]*$/.test(name)) {
    throw broken(address, `invalid name of the file for ${options.target}`);
  }
  if (typeof sha256 !== "string" || !/^[0-9a-f]{64}$/i.test(sha256)) {
    throw broken(address, `invalid checksum of ${name}`);
  }
  return { version, name, address: new URL(name, folder), sha256: sha256.toLowerCase() };
}

function parseManifest(text: string, address: URL): { version: string; files: unknown } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw broken(address, "it is not valid JSON", cause);
  }
  const { version, files }: JsonObject = isJsonObject(value) ? value : {};
  if (typeof version !== "string" || !isVersion(version)) {
    throw broken(address, `invalid version: ${toOneLine(String(version)).slice(0, 40)}`);
  }
  return { version, files };
}

function broken(address: URL, reason: string, cause?: unknown): CommandFailure {
  return commandFailed(`Cannot use ${address}: ${reason}`, { cause });
}
