// The command palette: finds agents, views and actions by a few letters.
import type { VNode } from "preact";
import { useId, useState } from "preact/hooks";
import type { AgentSummary } from "../api/schemas/agent_schemas.ts";
import { closeDialog, Dialog } from "./parts/forms.tsx";
import { RunDialog } from "./parts/run_dialog.tsx";
import { agentHref, chatHref } from "./state/route.ts";
import type { Shortcut } from "./shortcuts.ts";
import { useSwitchScheduler } from "./state/scheduler.ts";

/** The maximum number of shown entries. */
const MOST_ENTRIES = 12;

/** Renders the dialog of the command palette. */
export function Palette(
  { agents, shortcuts, onClose }: {
    agents: readonly AgentSummary[];
    /** The keyboard shortcuts, whose actions the palette offers, too. */
    shortcuts: readonly Shortcut[];
    onClose: () => void;
  },
): VNode {
  const [wanted, setWanted] = useState("");
  const [chosen, setChosen] = useState(0);
  const [toRun, setToRun] = useState<AgentSummary | null>(null);
  const id = useId();
  const { switchScheduler } = useSwitchScheduler();
  if (toRun !== null) return <RunDialog agent={toRun} onClose={onClose} />;

  const closing = (title: string, act: () => void) => ({
    title,
    act: () => {
      closeDialog();
      act();
    },
  });
  const entries = [
    ...shortcuts.filter(({ key, isMeant }) =>
      isMeant === undefined && !["j", "k", "/", "Ctrl+K"].includes(key)
    ).map(({ does, act }) => closing(does, act)),
    ...agents.map((agent) =>
      closing(`Open ${agent.display_name}`, () => void (location.hash = agentHref(agent.id)))
    ),
    ...agents.map((agent) => ({
      title: `Run ${agent.display_name}`,
      act: () => setToRun(agent),
    })),
    ...agents.map((agent) =>
      closing(`Chat with ${agent.display_name}`, () => void (location.hash = chatHref(agent.id)))
    ),
    closing("Pause the scheduler", () => void switchScheduler(true)),
    closing("Resume the scheduler", () => void switchScheduler(false)),
  ];
  const found = entries.filter(({ title }) => containsWords(title, wanted));
  const shown = found.slice(0, MOST_ENTRIES);
  const at = Math.min(chosen, shown.length - 1);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    // Without this, Escape only empties the field.
    if (event.key === "Escape") return event.preventDefault(), closeDialog();
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step === 0 && event.key !== "Enter") return;
    event.preventDefault();
    if (step === 0) shown[at]?.act();
    else if (shown.length > 0) setChosen((at + step + shown.length) % shown.length);
  };
  return (
    <Dialog class="palette" aria-label="Find" onClose={onClose}>
      <input
        type="search"
        role="combobox"
        list={undefined}
        aria-label="Agent, view or action"
        aria-expanded="true"
        aria-autocomplete="list"
        aria-controls={id}
        aria-activedescendant={shown.length > 0 ? `${id}-${at}` : undefined}
        value={wanted}
        onInput={({ currentTarget }) => {
          setWanted(currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id={id} role="listbox" aria-label="Found">
        {shown.map(({ title, act }, index) => (
          <li
            key={title}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={act}
          >
            <bdi>{title}</bdi>
          </li>
        ))}
      </ul>
      <p class="muted small" role="status">
        {found.length > shown.length && `and ${found.length - shown.length} more`}
        {found.length === 0 && "No matches."}
      </p>
    </Dialog>
  );
}

function containsWords(title: string, wanted: string): boolean {
  const text = title.toLowerCase();
  return wanted.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}
