// The root component: the head, the view of the current route, the dialogs, and the announcements of events.
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { toReadable } from "../present/visible_text.ts";
import type { ServiceEventMessage } from "../api/client/client.ts";
import { AgentView } from "./views/agent_view.tsx";
import type { AgentSummary } from "../api/schemas/agent_schemas.ts";
import {
  type AgentsById,
  AgentsContext,
  PersonContext,
  useService,
} from "./state/service_context.ts";
import { AgentsView } from "./views/agents_view.tsx";
import { AuditView } from "./views/audit_view.tsx";
import { ChatView } from "./views/chat/chat_view.tsx";
import { EditorView } from "./views/editor/editor_view.tsx";
import { FilesView } from "./views/editor/files_view.tsx";
import { keyOf, titleOfFile } from "./state/edited_file.ts";
import { ExecutionView } from "./views/execution_view.tsx";
import { HelpDialog } from "./help_dialog.tsx";
import { HistoryView } from "./views/history_view.tsx";
import { LogView } from "./views/log_view.tsx";
import { NowView, useExecutionLists } from "./views/now_view.tsx";
import { LinkBanner, PageHead } from "./page_head.tsx";
import { Palette } from "./palette.tsx";
import { Empty } from "./parts/parts.tsx";
import { formatQuestionCount, loadOpenQuestions } from "./state/open_questions.ts";
import { useRecap } from "./state/use_recap.ts";
import {
  applyTheme,
  chosenTheme,
  keepPreference,
  readPreference,
  THEMES,
} from "./state/preferences.ts";
import { parseRoute, type Route, toHash, toTitle } from "./state/route.ts";
import { ScheduleView } from "./views/schedule_view.tsx";
import { createShortcuts, isForMessage, isForPage, isPaletteKey } from "./shortcuts.ts";
import { UsageView } from "./views/usage_view.tsx";
import { useLinkState, useResource } from "./state/use_resource.ts";

/** Renders the whole page. */
export function App(): VNode {
  const { link, announce } = useService();
  const state = useLinkState();
  const route = useRoute();
  const [theme, setTheme] = useState(chosenTheme());
  const [isHelpOpen, setHelpOpen] = useState(false);
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const [hasKeys, setKeys] = useState(readPreference("shortcuts") !== "off");
  const agents = useResource((client) => client.agents(), { topics: ["agents"] });
  const waiting = useResource(loadOpenQuestions, { topics: ["executions"] });
  const person = useResource((client) => client.whoami(), { topics: [] });
  const lists = useExecutionLists(route.view === "now");
  const happened = useRecap(route.view === "now");
  const byId = useMemo(() => new Map(agents.data?.map((one) => [one.id, one])), [agents.data]);
  const count = formatQuestionCount(waiting.data);

  const known = useRef(byId);
  known.current = byId;
  useEffect(
    () => link.onEvent((event) => announceEvent(event, { announce, agents: known.current })),
    [link, announce],
  );
  useConnectionAnnouncements(state.phase, announce);
  useEffect(() => {
    const title = `${titleOf(route, byId)} – Inkling`;
    document.title = toReadable(count === null ? title : `(${count}) ${title}`);
  });
  const changeTheme = () => {
    const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? "system";
    applyTheme(next);
    setTheme(next);
    announce(`Theme: ${next}`);
  };
  const openPalette = () => setPaletteOpen(document.querySelector("dialog[open]") === null);
  const openHelp = () => setHelpOpen(true);
  const armed = useRef<Element | null>(null);
  const shortcuts = createShortcuts({ openHelp, openPalette, changeTheme, announce, armed });
  useKeys(hasKeys ? shortcuts : [], { openPalette, disarm: () => armed.current = null });
  const main = useFocusOnViewChange(route);
  return (
    <>
      <nav aria-label="Within the page">
        {count !== null && (
          <a class="skip" href={toHash({ view: "now" })} onClick={skipToCard}>
            Skip to the open questions
          </a>
        )}
        <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), main.focus())}>
          Skip to the content
        </a>
      </nav>
      <PageHead
        route={route}
        waiting={count}
        failing={countFailing(agents.data ?? [])}
        theme={theme}
        onTheme={changeTheme}
        onHelp={openHelp}
        onPalette={openPalette}
      />
      <LinkBanner state={state} />
      <main id="main" ref={main.ref} tabIndex={-1}>
        <AgentsContext.Provider value={byId}>
          <PersonContext.Provider value={person.data ?? null}>
            {drawView(route, {
              now: () => <NowView {...lists} waiting={waiting} happened={happened} />,
              agents: () => <AgentsView agents={agents} />,
            })}
          </PersonContext.Provider>
        </AgentsContext.Provider>
      </main>
      {isPaletteOpen && (
        <Palette
          agents={agents.data ?? []}
          shortcuts={shortcuts}
          onClose={() => setPaletteOpen(false)}
        />
      )}
      {isHelpOpen && (
        <HelpDialog
          shortcuts={shortcuts}
          isOn={hasKeys}
          onToggle={(isOn) => {
            keepPreference("shortcuts", isOn ? null : "off");
            setKeys(isOn);
          }}
          onClose={() => setHelpOpen(false)}
        />
      )}
    </>
  );
}

/**
 * Handles a click on the skip link: moves the focus to the answer form of the view's first question. In a view without a
 * question, the link opens the view of all questions.
 */
function skipToCard(event: Event): void {
  const answer = document.querySelector<HTMLElement>("[data-request] .answer");
  if (answer === null) return;
  event.preventDefault();
  answer.focus();
}

/**
 * Returns the rendered view of a route. `kept` contains functions for the views whose data the page keeps while another
 * view is open.
 */
function drawView(route: Route, kept: Record<"now" | "agents", () => VNode>): VNode {
  switch (route.view) {
    case "now":
    case "agents":
      return kept[route.view]();
    case "agent":
      return <AgentView key={route.id} id={route.id} />;
    case "edit":
      return <EditorView key={keyOf(route.place)} place={route.place} />;
    case "files":
      return <FilesView />;
    case "chat":
      return <ChatView key={route.agent} agentId={route.agent} sessionId={route.session} />;
    case "execution":
      return <ExecutionView key={route.id} id={route.id} step={route.step} />;
    case "history":
      return <HistoryView route={route} />;
    case "audit":
      return <AuditView route={route} />;
    case "schedule":
      return <ScheduleView />;
    case "usage":
      return <UsageView days={route.days} />;
    case "log":
      return <LogView />;
    case "unknown":
      return (
        <>
          <h1>Page not found</h1>
          <Empty>
            This page does not exist. <a href={toHash({ view: "now" })}>Go to the start page</a>
          </Empty>
        </>
      );
    default:
      return route satisfies never;
  }
}

function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const onChange = () => setHash(location.hash);
    addEventListener("hashchange", onChange);
    return () => removeEventListener("hashchange", onChange);
  }, []);
  return useMemo(() => parseRoute(hash), [hash]);
}

/**
 * Moves the focus to the content when the view changes, as a browser does after loading a page. Does nothing for the first
 * view and for a view that focuses one of its fields.
 */
function useFocusOnViewChange(
  route: Route,
): { ref: { current: HTMLElement | null }; focus: () => void } {
  const ref = useRef<HTMLElement | null>(null);
  const which = "id" in route ? route.id : route.view === "chat" ? route.agent ?? "" : "";
  const place = `${route.view} ${which}`;
  const before = useRef(place);
  // A layout effect, because it runs before the person can focus a field of the new view.
  useLayoutEffect(() => {
    if (before.current === place) return;
    before.current = place;
    const takesFocus = ref.current?.querySelector("[data-message]") !== null;
    if (!takesFocus) ref.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [place]);
  return { ref, focus: () => ref.current?.focus() };
}

/** Returns the number of enabled agents whose last run failed. */
function countFailing(agents: readonly AgentSummary[]): number {
  return agents.filter(({ enabled, last_status }) =>
    enabled && (last_status === "error" || last_status === "timeout")
  ).length;
}

function useKeys(
  shortcuts: ReturnType<typeof createShortcuts>,
  actions: { openPalette: () => void; disarm: () => void },
): void {
  const latest = useRef({ shortcuts, ...actions });
  latest.current = { shortcuts, ...actions };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isPaletteKey(event)) {
        event.preventDefault();
        return latest.current.openPalette();
      }
      if (!isForPage(event) || isForMessage(event)) return;
      const shortcut = latest.current.shortcuts.find(({ key, isMeant }) =>
        key === event.key && (isMeant === undefined || isMeant())
      );
      if (shortcut === undefined) return;
      event.preventDefault();
      // While a key is held down, only j and k are repeated, which move through rows.
      if (event.repeat && event.key !== "j" && event.key !== "k") return;
      if (shortcut.key !== "y") latest.current.disarm();
      shortcut.act();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

function useConnectionAnnouncements(phase: string, announce: (sentence: string) => void): void {
  const before = useRef(phase);
  useEffect(() => {
    if (phase === "lost" && before.current !== "lost") announce("Connection lost.");
    if (phase === "online" && before.current === "lost") announce("Reconnected.");
    before.current = phase;
  }, [phase, announce]);
}

/** Announces questions, and the ends of runs except those of agents that start by themselves, which may be many. */
function announceEvent(
  event: ServiceEventMessage,
  { announce, agents }: { announce: (sentence: string) => void; agents: AgentsById },
): void {
  const { agent_id, display_name: name, execution_id: id, status } = event.payload;
  if (event.event === "execution_waiting") announce(`${name} has a question (execution ${id}).`);
  if (
    event.event === "execution_completed" && agents.get(String(agent_id))?.trigger_type === "manual"
  ) {
    announce(`${name} ended: ${status} (execution ${id}).`);
  }
}

function titleOf(route: Route, agents: AgentsById): string {
  if (route.view === "execution") return `Execution ${route.id}`;
  if (route.view === "chat" && route.agent !== null) {
    return `Chat with ${agents.get(route.agent)?.display_name ?? route.agent}`;
  }
  if (route.view === "edit") return `Edit ${titleOfFile(route.place)}`;
  if (route.view === "agent") return agents.get(route.id)?.display_name ?? route.id;
  return toTitle(route.view);
}
