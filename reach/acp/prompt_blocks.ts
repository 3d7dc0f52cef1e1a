// Reads the blocks of an editor's prompt, and turns questions to buttons.
import { type ContentBlock, type PermissionOption, RequestError } from "@agentclientprotocol/sdk";
import type { PendingBody } from "../../api/schemas/request_schemas.ts";

/** Returns true if the editor asks the question with buttons. Other questions are answered by the next message. */
export function isAskedByButton({ kind, multi }: PendingBody): boolean {
  return kind === "confirm" || kind === "choice" && !multi;
}

/** Returns the buttons of a question. */
export function toOptions({ kind, options }: PendingBody): PermissionOption[] {
  if (kind === "confirm") {
    return [
      { optionId: "approve", name: "Approve", kind: "allow_once" },
      { optionId: "deny", name: "Deny", kind: "reject_once" },
    ];
  }
  return (options ?? []).map((name, index) => ({ optionId: `${index}`, name, kind: "allow_once" }));
}

/** Returns the text, the contents of attached files, and the pictures of a prompt. */
export function readBlocks(
  blocks: readonly ContentBlock[],
): { message: string; context: string; pictures: string[] } {
  const texts: string[] = [];
  const files: string[] = [];
  const pictures: string[] = [];
  for (const block of blocks) {
    if (block.type === "text") texts.push(block.text);
    else if (block.type === "image") pictures.push(block.data);
    else if (block.type === "resource_link") texts.push(`[${block.name}](${block.uri})`);
    else if (block.type === "resource" && "text" in block.resource) {
      files.push(`${block.resource.uri}\n${block.resource.text}`);
    } else {throw RequestError.invalidParams(
        undefined,
        `A ${block.type} cannot be sent to the agent`,
      );}
  }
  return { message: texts.join("\n"), context: files.join("\n\n"), pictures };
}
