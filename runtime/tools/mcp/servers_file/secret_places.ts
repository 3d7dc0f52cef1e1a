// Finds the places of secrets in the text of mcp-servers.json, also in a text that is not valid yet.
import { type Node, parseTree } from "jsonc-parser";
import type { Mark } from "../../../secrets/secret_finder.ts";
import { isSecretPlace } from "./declared_secrets.ts";

/** Returns the ranges of the values whose names say that they are secret, and of the arguments of such options. */
export function findSecretPlaces(text: string): Mark[] {
  const found: Mark[] = [];
  const look = (name: unknown, value: Node | undefined) => {
    if (typeof name !== "string" || value?.type !== "string" || value.value === "") return;
    if (!isSecretPlace(name)) return;
    const from = value.offset + 1;
    // A string that is not closed ends where its line ends.
    const isClosed = text[value.offset + value.length - 1] === '"' && value.length > 1;
    found.push({ from, to: value.offset + value.length - (isClosed ? 1 : 0), name });
  };
  const open = [parseTree(text, [], { allowTrailingComma: true })];
  for (let node; (node = open.pop()) !== undefined;) {
    const { type, children = [] } = node;
    if (type === "property") look(children[0]?.value, children[1]);
    if (type === "array") {
      children.forEach((one, index) => {
        const option = /^--?([\w.-]+)$/.exec(String(children[index - 1]?.value))?.[1];
        look(option, one);
      });
    }
    open.push(...children);
  }
  return found;
}
