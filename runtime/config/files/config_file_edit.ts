// Sets values in the text of config.yaml. Other keys, comments and their order stay.
import { isDeepStrictEqual } from "node:util";
import type { Document } from "yaml";
import { isJsonObject, type JsonObject, objectIn } from "../../../base/json.ts";
import { RuntimeError, type RuntimeErrorCode } from "../../../base/errors.ts";
import { isMap, isScalar, isSeq, parseDocument, YAMLMap } from "./yaml_library.ts";

/** A value that can be set in config.yaml. */
export type ConfigValue =
  | string
  | number
  | boolean
  | null
  | readonly string[]
  | { readonly [key: string]: ConfigValue };

/** The path of a key, such as `["defaults", "model"]`, and its new value. */
export interface ConfigEdit {
  path: readonly [string] | readonly [section: string, key: string];
  value: ConfigValue;
}

/** Error: the text cannot be changed without changing other values. */
export class ConfigNotEditable extends RuntimeError {
  readonly code: RuntimeErrorCode = "invalid";

  constructor(path: string, reason: string) {
    super(
      `Cannot merge into ${path}: ${reason}. Change it by hand, or write these values out in it`,
    );
  }
}

/** The comment at the beginning of a new config.yaml. */
export const NEW_CONFIG =
  '# The configuration of Inkling. "inkling info" shows what is in effect.\n';

/**
 * Returns the text with the new values, or the same text if it already has them. `text` must be valid YAML. Throws
 * ConfigNotEditable with `path` in its message if anchors or merges share a value.
 */
export function editConfigText(
  text: string,
  edits: readonly ConfigEdit[],
  options: { path: string },
): string {
  const document = parseDocument(text.trim() === "" ? NEW_CONFIG : text);
  const wanted = toPlain(document);
  let isChanged = false;
  for (const { path, value } of edits) {
    if (isSame(document, path, value)) continue;
    isChanged = true;
    setPlain(wanted, path, value);
    setValue(document, path, { value, file: options.path });
  }
  return isChanged ? writeDocument(document, wanted, { text, ...options }) : text;
}

/**
 * Returns the text with one more entry in the list at `at`, which is created if it is absent. The map that contains the
 * list must exist. Throws ConfigNotEditable as editConfigText() does.
 */
export function addConfigEntry(
  text: string,
  { at, value }: { at: readonly string[]; value: ConfigValue },
  options: { path: string },
): string {
  const document = parseDocument(text);
  const entry = document.createNode(value, { flow: true });
  const list = document.getIn(at);
  if (isSeq(list)) list.add(entry);
  else document.setIn(at, document.createNode([entry]));
  const wanted = toPlain(parseDocument(text));
  const parent = at.slice(0, -1).reduce<Record<string, unknown>>(
    (map, key) => map[key] as Record<string, unknown>,
    wanted,
  );
  const key = at.at(-1) ?? "";
  parent[key] = [...(parent[key] as unknown[] | null | undefined) ?? [], value];
  return writeDocument(document, wanted, { text, ...options });
}

/**
 * Returns the text without a person of `people`, the person's members of chats, and the stand-ins of this name. `refused` is
 * the entry that stays, which refuses ways in that others give. Throws ConfigNotEditable as editConfigText() does.
 */
export function removeConfigPerson(
  text: string,
  { name, chats, refused }: {
    name: string;
    chats: readonly { chat: string; id: string }[];
    refused: JsonObject | undefined;
  },
  options: { path: string },
): string {
  const document = parseDocument(text);
  const wanted = toPlain(document);
  const people = objectIn(wanted, "people");
  const remove = (at: string[]) => {
    document.deleteIn(at);
    delete at.slice(0, -1).reduce<Record<string, unknown>>(objectIn, wanted)[at.at(-1) ?? ""];
  };
  remove(["people", name]);
  if (refused !== undefined) {
    document.setIn(["people", name], document.createNode(refused, { flow: true }));
    people[name] = refused;
  }
  for (const other of Object.keys(people)) {
    if (objectIn(people, other)["stand_in"] === name) remove(["people", other, "stand_in"]);
  }
  for (const { chat, id } of chats) {
    const members = objectIn(objectIn(wanted, "chat"), chat)["people"];
    const index = Array.isArray(members)
      ? members.findIndex((one) => isJsonObject(one) && String(one["id"]) === id)
      : -1;
    if (index === -1) continue;
    document.deleteIn(["chat", chat, "people", index]);
    (members as unknown[]).splice(index, 1);
  }
  return writeDocument(document, wanted, { text, ...options });
}

/** Returns the edited document as text. Throws ConfigNotEditable if it has other values than `wanted`. */
function writeDocument(
  document: Document,
  wanted: unknown,
  { text, path }: { text: string; path: string },
): string {
  const edited = document.toString({ lineWidth: 0 });
  if (!isDeepStrictEqual(toPlain(parseDocument(edited)), wanted)) {
    throw new ConfigNotEditable(path, "an anchor in it makes one value stand for several");
  }
  return text.includes("\r\n") ? edited.replaceAll("\n", "\r\n") : edited;
}

function isSame(document: Document, path: ConfigEdit["path"], value: ConfigValue): boolean {
  // An absent key is not the same as null, because an absent key has its default. So null is written.
  return document.hasIn(path) && document.getIn(path) === value;
}

function setValue(
  document: Document,
  [section, key]: ConfigEdit["path"],
  { value, file }: { value: ConfigValue; file: string },
): void {
  if (key === undefined) {
    document.set(section, value);
    return;
  }
  const parent = document.get(section, true);
  if (isScalar(parent) && parent.value === null) {
    // The section is empty and gets a new map. Its comment stays.
    const map = new YAMLMap();
    const notes = [parent.commentBefore, parent.comment].filter((note) => note != null);
    if (notes.length > 0) map.commentBefore = notes.join("\n");
    document.set(section, map);
  } else if (parent !== undefined && !isMap(parent)) {
    throw new ConfigNotEditable(file, `${section} in it is not a plain section`);
  }
  const isNested = typeof value === "object" && value !== null;
  document.setIn([section, key], isNested ? document.createNode(value, { flow: true }) : value);
}

function toPlain(document: Document): Record<string, unknown> {
  return document.toJS() ?? {};
}

function setPlain(
  root: Record<string, unknown>,
  [section, key]: ConfigEdit["path"],
  value: ConfigValue,
): void {
  if (key === undefined) root[section] = value;
  else {
    const inner = root[section];
    root[section] = { ...(typeof inner === "object" ? inner : {}), [key]: value };
  }
}
