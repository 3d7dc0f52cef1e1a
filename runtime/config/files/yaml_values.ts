// Converts the nodes of a YAML document to plain values, within limits. The document itself keeps the positions.
import type { Alias, Node, Scalar } from "yaml";
import type { Diagnostic } from "../../../base/diagnostics.ts";
import { isAlias, isMap, isScalar, isSeq } from "./yaml_library.ts";

/** The maximum number of values, more than any valid file has. Aliases multiply the values of a file. */
const MAX_VALUES = 50_000;
const MAX_DEPTH = 64;

/** Returns a key for a message: as it is or, if it is longer than a word, quoted and shortened. */
export function showKey(key: string): string {
  if (/^[\p{L}\p{N}_-]{1,60}$/u.test(key)) return key;
  return key.length > 60 ? `${JSON.stringify(key.slice(0, 57))}...` : JSON.stringify(key);
}

/** Converts nodes to values with a limit, so that neither aliases nor nesting can exhaust the memory or the stack. */
export class YamlValueReader {
  readonly diagnostics: Diagnostic[] = [];
  readonly #root: Node | null;
  readonly #diagnose: (offset: number, message: string) => Diagnostic;
  readonly #open = new Set<Node>();
  /** The last node with each anchor so far. A search of the document for each alias would take minutes for many aliases. */
  readonly #anchors = new Map<string, Node>();
  /** The alias in the text that is being resolved. Errors inside its target are reported at this alias. */
  #outermostAlias: Alias | undefined;
  #values = 0;
  #exhausted = false;

  constructor(
    root: Node | null,
    diagnose: (offset: number, message: string) => Diagnostic,
  ) {
    this.#root = root;
    this.#diagnose = diagnose;
  }

  read(): Record<string, unknown> {
    const root = this.#root;
    if (root === null || (isScalar(root) && root.value === null)) return {};
    if (!isMap(root)) {
      this.#problem(root, "The YAML must be a map of keys and values");
      return {};
    }
    return this.#map(root.items, 0);
  }

  #problem(node: Node, message: string): void {
    this.diagnostics.push(this.#diagnose(node.range?.[0] ?? 0, message));
  }

  #value(node: Node | null, depth: number): unknown {
    if (node === null || this.#exhausted) return null;
    if (++this.#values > MAX_VALUES) {
      this.#exhausted = true;
      this.#problem(
        this.#outermostAlias ?? node,
        `The YAML holds too many values: more than ${MAX_VALUES}, aliases counted`,
      );
      return null;
    }
    if (depth > MAX_DEPTH) {
      this.#exhausted = true;
      this.#problem(
        this.#outermostAlias ?? node,
        `The YAML is nested too deeply: more than ${MAX_DEPTH} levels`,
      );
      return null;
    }
    if (isAlias(node)) return this.#alias(node, depth);
    this.#noteAnchor(node);
    if (isScalar(node)) return this.#scalar(node);
    this.#open.add(node);
    const value = isSeq(node)
      ? node.items.map((item) => this.#value(item as Node | null, depth + 1))
      : isMap(node)
      ? this.#map(node.items, depth + 1)
      : null;
    this.#open.delete(node);
    return value;
  }

  #noteAnchor(node: Node): void {
    if (this.#outermostAlias !== undefined || isAlias(node)) return;
    const { anchor } = node as { anchor?: string };
    if (anchor !== undefined) this.#anchors.set(anchor, node);
  }

  #alias(node: Alias, depth: number): unknown {
    const target = this.#anchors.get(node.source);
    if (target === undefined) {
      this.#problem(node, `Unknown alias *${node.source}: no anchor of that name stands before it`);
      return null;
    }
    if (this.#open.has(target)) {
      this.#problem(node, `The alias *${node.source} stands inside its own anchor`);
      return null;
    }
    const outer = this.#outermostAlias;
    this.#outermostAlias ??= node;
    const value = this.#value(target, depth + 1);
    this.#outermostAlias = outer;
    return value;
  }

  #scalar(node: Scalar): unknown {
    const { value } = node;
    if (
      value === null || typeof value === "string" || typeof value === "number" ||
      typeof value === "boolean"
    ) return value;
    this.#problem(node, `The YAML tag ${node.tag ?? "here"} is not supported: write plain text`);
    return null;
  }

  #map(items: readonly { key: unknown; value: unknown }[], depth: number): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    for (const item of items) {
      const keyNode = item.key as Node | null;
      const key = keyNode === null ? "" : keyText(keyNode);
      if (keyNode !== null) this.#noteAnchor(keyNode);
      if (key === undefined) {
        if (keyNode !== null) this.#problem(keyNode, "A key must be plain text");
        continue;
      }
      if (Object.hasOwn(result, key)) {
        if (keyNode !== null && !this.#exhausted) {
          this.#problem(keyNode, `The key ${showKey(key)} stands twice in the same map`);
        }
        continue;
      }
      // The key `__proto__` would set the prototype of the object. Schemas remove it without checking its content.
      if (key === "__proto__") {
        if (keyNode !== null) this.#problem(keyNode, "A key must not be called __proto__");
        continue;
      }
      result[key] = this.#value(item.value as Node | null, depth);
    }
    return result;
  }
}

/** Returns the text of a key, or undefined for a key that is a list, a map or an alias. */
export function keyText(node: Node): string | undefined {
  return isScalar(node) ? String(node.value) : undefined;
}
