// Asks how a new agent begins, for an agent of the gallery, and when that agent runs.
import type { CommandContext } from "../context/context.ts";
import { Interview } from "../prompting/interview.ts";
import { toOneLine } from "../output/sanitize.ts";
import { describeTrigger } from "../../present/triggers.ts";
import { GALLERY_NAMES } from "../../present/gallery_names.ts";
import type { AgentAuthor } from "../../ops/authoring/agent_author.ts";
import type { Gallery, GalleryAgent, GalleryChanges } from "../../ops/authoring/gallery.ts";
import { askSchedule } from "./start_questions.ts";

/** Asks how the text of the file is made. `model` is the model that can write it, if there is one. */
export async function askBeginning(
  interview: Interview,
  { id, model }: { id: string; model: string | undefined },
): Promise<"describe" | "gallery" | "questions"> {
  return await interview.select({
    message: `How should ${toOneLine(id)} begin?`,
    choices: [
      model === undefined
        ? { value: "describe", label: "Answer questions" }
        : { value: "describe", label: "Describe it", hint: `${toOneLine(model)} writes the file` },
      {
        value: "gallery",
        label: "Copy one of the gallery",
        hint: `${GALLERY_NAMES.length} ready agents with tests`,
      },
      ...(model === undefined ? [] : [{ value: "questions" as const, label: "Answer questions" }]),
    ],
  });
}

/** Asks for an agent of the gallery, and returns its name. */
export async function askGalleryName(
  interview: Interview,
  gallery: Gallery,
): Promise<typeof GALLERY_NAMES[number]> {
  const agents = await Promise.all(GALLERY_NAMES.map((name) => gallery.read(name)));
  return await interview.select({
    message: "Which agent?",
    choices: agents.map(({ description }, index) => {
      const value = GALLERY_NAMES[index] ?? GALLERY_NAMES[0];
      return { value, label: value, hint: description };
    }),
  });
}

/** Asks when an agent of the gallery runs by itself. */
export async function askStart(
  { context, author, id, trigger }: {
    context: CommandContext;
    author: AgentAuthor;
    id: string;
    trigger: NonNullable<GalleryAgent["trigger"]>;
  },
): Promise<Pick<GalleryChanges, "schedule" | "startsByItself">> {
  const interview = new Interview(context, "Pass --yes, --every or --cron");
  const { type, every = null, cron = null, paths = [] } = trigger;
  const own = describeTrigger({
    trigger_type: type,
    trigger_every: every,
    trigger_cron: cron,
    trigger_paths: [...paths],
    trigger_scheme: null,
    trigger_source: trigger.url ?? trigger.account ?? null,
  }, "full");
  const when = await interview.select({
    message: "When should it run by itself?",
    choices: [
      { value: "later", label: "Not yet", hint: "try it first" },
      { value: "own", label: "As in the gallery", hint: own },
      { value: "other", label: "By another schedule" },
    ],
  });
  if (when !== "other") return { startsByItself: when === "own" };
  return { schedule: await askSchedule({ interview, author, id }), startsByItself: true };
}
