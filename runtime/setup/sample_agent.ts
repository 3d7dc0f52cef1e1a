// The first agent of a workspace that has none.
import { formatAgentFile } from "../agents/agent_file_text.ts";

/** Its id. */
export const SAMPLE_AGENT_ID = "hello";

const PROMPT = `You are the first agent of this workspace.

1. Look at what is in it: \`file_glob\` with the pattern \`**/*\`.
2. Say hello in one sentence.
3. Tell in two or three sentences what you found, and name one thing that an agent could do with it
   every day.

Write no files.`;

/** The text of its file: it names no model, so that it follows the default one. */
export function sampleAgentText(provider: string): string {
  const description = "A first agent: says hello and looks around";
  if (provider !== "demo") return formatAgentFile({ description, prompt: PROMPT });
  return formatAgentFile({
    description,
    model: { provider: "demo", name: "echo" },
    trigger: {
      type: "manual",
      input: "Hello! I am the demo model: I repeat what I am told. " +
        '"inkling setup" gives this workspace a model that thinks.',
    },
    prompt: PROMPT,
  });
}
