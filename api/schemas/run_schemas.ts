// The wire of starting an execution.
import { z } from "zod";
import { isStorable } from "../../base/text/storable_text.ts";
import { id } from "./wire_values.ts";

/** The most characters (code points) of a session id. */
const SESSION_ID_MAX = 200;

/** What POST /agents/{id}/run takes; every field may be absent or null. */
export const RunBody = z.object({
  args: z.array(z.string()).nullish().meta({ description: "Substituted into the prompt" }),
  message: z.string().nullish().meta({ description: "Replaces the user turn; blank is absent" }),
  context: z.string().nullish().meta({ description: "Appended to the user turn" }),
  dry_run: z.boolean().nullish().meta({
    description: "Nothing is changed: calls that would change something, or that wait for " +
      "consent, are described in `would_do` of their `tool_result`",
  }),
  session_id: z.string().refine(
    // Characters are code points; blank is absent at any length.
    (text) => text.trim() === "" || [...text].length <= SESSION_ID_MAX,
    { error: `String should have at most ${SESSION_ID_MAX} characters` },
  ).refine(isStorable, { error: "String must not contain NUL characters or lone surrogates" })
    .nullish().meta({
      description: `The conversation; at most ${SESSION_ID_MAX} characters, blank is absent. ` +
        "NUL characters and lone surrogates are refused",
      maxLength: SESSION_ID_MAX,
    }),
}).meta({ id: "RunRequest" });
export type RunBody = z.infer<typeof RunBody>;

/** POST /agents/{id}/run. */
export const RunAccepted = z.object({
  execution_id: id,
  model: z.string().meta({ description: "`provider/name`" }),
  notices: z.array(z.string()).optional().meta({
    description:
      "Why the run does not use a file as it is now: it does not parse, or keeps changing",
  }),
}).meta({ id: "RunAccepted" });
export type RunAccepted = z.infer<typeof RunAccepted>;
