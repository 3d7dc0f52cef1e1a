// The schemas of starting an execution.
import { z } from "zod";
import { isStorable } from "../../base/text/storable_text.ts";
import { id } from "./wire_values.ts";

/** The maximum length of a session id in code points. */
const SESSION_ID_MAX = 200;

const pictures = z.array(z.string()).nullish().meta({
  description: "PNG, JPEG, GIF or WebP pictures of the message, in base64",
});

const HistoryMessage = z.object({
  role: z.enum(["user", "assistant"]),
  content: z.string(),
  pictures: pictures.unwrap().unwrap().optional(),
}).meta({ id: "HistoryMessage" });

/** The request body of POST /agents/{id}/run. Every field may be absent or null. */
export const RunBody = z.object({
  args: z.array(z.string()).nullish().meta({
    description: "The arguments to substitute into the prompt",
  }),
  message: z.string().nullish().meta({
    description: "The user message, instead of `trigger.input`; a blank text counts as absent",
  }),
  context: z.string().nullish().meta({ description: "Appended to the user message" }),
  dry_run: z.boolean().nullish().meta({
    description: "True to change nothing: calls that would do so are described in `would_do` of " +
      "their `tool_result`",
  }),
  agent_text: z.string().nullish().meta({
    description: "The text of an agent file to try instead of the agent's file, within the saved " +
      "file's budget: the run joins no conversation, keeps no memory, and starts no other agents. " +
      "Needs the right to change files",
  }),
  editor_folder: z.string().nullish().meta({
    description:
      "The absolute path of the folder that is open in the caller's editor, for an agent " +
      "with `paths: { project: editor }`. Accepted only over the Unix socket",
  }),
  pictures,
  history: z.array(HistoryMessage).nullish().meta({
    description: "The messages before this one, which are then the run's whole history: the run " +
      "joins no conversation, is in no other run's history, and waits for no other run. " +
      "`session_id` then only labels it",
  }),
  continues: id.nullish().meta({
    description: "An ended execution whose conversation is the whole history, like `history`",
  }),
  depth: z.int().min(0).max(1_000).nullish().meta({
    description:
      "The number of executions above this one, if an agent sends the request: a run that is deeper than " +
      "`defaults.max_agent_depth` is refused",
  }),
  session_id: z.string().refine(
    // Count code points. A blank text of any length is the same as no session id.
    (text) => text.trim() === "" || [...text].length <= SESSION_ID_MAX,
    { error: `String should have at most ${SESSION_ID_MAX} characters` },
  ).refine(isStorable, { error: "String must not contain NUL characters or lone surrogates" })
    .nullish().meta({
      description: `The conversation; at most ${SESSION_ID_MAX} characters, blank means none. ` +
        "NUL characters and lone surrogates are refused",
      maxLength: SESSION_ID_MAX,
    }),
}).meta({ id: "RunRequest" });
export type RunBody = z.infer<typeof RunBody>;

/** The response of POST /agents/{id}/run. */
export const RunAccepted = z.object({
  execution_id: id,
  model: z.string().meta({ description: "`provider/name`" }),
  notices: z.array(z.string()).optional().meta({
    description:
      "The reasons why the run uses an earlier version of a file: it is invalid or keeps changing",
  }),
}).meta({ id: "RunAccepted" });
export type RunAccepted = z.infer<typeof RunAccepted>;
