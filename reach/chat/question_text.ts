// Writes the text of a question of an agent for a chat.
import type { PendingBody } from "../../api/schemas/request_schemas.ts";
import { beginningOf, cutEnd } from "../../base/text/cut_text.ts";
import { describeApprovals } from "../../present/asked_approvals.ts";
import { signInServerOf } from "../../present/asked_sign_in.ts";
import { toVisible } from "../../present/visible_text.ts";
import type { Post } from "./chat_app.ts";

const NOTE = "\nThis is cut: the file above has all of it.";

/** Returns the message of a question. If a part was cut, `whole` is its complete text. */
export function describeQuestion(
  pending: PendingBody,
  maxText: number,
): { post: Post; whole?: string } {
  const { asked_by: asker, execution_id: id, is_guard: isGuard, preview } = pending;
  const server = signInServerOf(pending);
  const approvals = describeApprovals(pending);
  const text = toVisible(
    `${asker} asks (execution ${id}):\n${pending.message}` +
      (approvals === undefined ? "" : `\n${approvals}`) +
      (server === undefined ? "" : `\nAt the machine, type: inkling mcp login ${server}`),
  );
  const args = Object.entries(pending.tool_args).map(([name, value]) =>
    `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`
  ).join("\n");
  const change = preview === null
    ? args
    : [preview.path, preview.problem ?? "", preview.diff].filter((part) => part !== "").join("\n");
  const code = isGuard ? toVisible(change) : "";
  const room = maxText - NOTE.length - 200;
  if (text.length + code.length <= room) return { post: code === "" ? { text } : { text, code } };
  const shortText = cutEnd(text, room / 2);
  const shortCode = beginningOf(code, room - shortText.length);
  return {
    post: { text: `${shortText}${NOTE}`, ...(shortCode !== "" && { code: shortCode }) },
    whole: toVisible([text, code, ...(preview === null ? [] : ["Arguments:", args])].join("\n\n")),
  };
}
