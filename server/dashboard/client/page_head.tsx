// The top of the page: its name, the ways to its views, the theme, the keys; and the banner when the connection is lost.
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { formatRelative } from "./format.ts";
import type { LinkState } from "./state/link.ts";
import { type Route, toHash } from "./route.ts";
import { useService } from "./state/service_context.ts";
import { NAVIGATION } from "./shortcuts.ts";
import type { Theme } from "./theme.ts";
import { fetchBesideThePage } from "./state/transport.ts";
import { useNow } from "./state/use_resource.ts";

/** Whether the page was served to a browser that has logged in: the service says so in the page. */
const isLoggedIn = globalThis.document?.getElementById("app")?.dataset.loggedIn !== undefined;

/** The head of every view. */
export function PageHead(
  { route, waiting, failing, theme, onTheme, onHelp, onPalette }: {
    route: Route;
    /** How many questions wait for a person: `3`, `20+`; null for none. */
    waiting: string | null;
    /** How many agents failed the last time that they ran. */
    failing: number;
    theme: Theme;
    onTheme: () => void;
    onHelp: () => void;
    onPalette: () => void;
  },
): VNode {
  const nav = useRef<HTMLElement>(null);
  const { announce } = useService();
  const logOut = async () => {
    const ended = await fetchBesideThePage("/logout", { method: "POST" }).catch(() => null);
    if (ended?.ok) location.reload();
    else announce("The service did not answer: you are still logged in.");
  };
  useEffect(() => {
    // On a narrow screen the row of views is longer than the screen.
    const here = nav.current?.querySelector("[aria-current]");
    here?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [route.view]);
  return (
    <header class="page-head">
      <a class="wordmark" href={toHash({ view: "now" })}>Inkling</a>
      <nav aria-label="Views" ref={nav}>
        <ul>
          {NAVIGATION.map(({ name, route: to }) => (
            <li key={name}>
              <a href={toHash(to)} aria-current={isWithin(route, to) ? "page" : undefined}>
                {name}
                {to.view === "now" && waiting !== null && (
                  <span class="badge">
                    {waiting}
                    <span class="unseen">
                      {waiting === "1" ? " question waits" : " questions wait"}
                    </span>
                  </span>
                )}
                {to.view === "agents" && failing > 0 && (
                  <span class="badge failing">
                    {failing}
                    <span class="unseen">{failing === 1 ? " fails" : " fail"}</span>
                  </span>
                )}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="tools">
        <button type="button" class="quiet" onClick={onPalette} aria-label="Find">
          <span aria-hidden="true">⌕</span>
        </button>
        <button type="button" class="quiet" onClick={onTheme} aria-label={`Theme: ${theme}`}>
          <span aria-hidden="true">{theme === "system" ? "◐" : theme === "light" ? "○" : "●"}</span>
        </button>
        <button type="button" class="quiet" onClick={onHelp} aria-label="Keys">
          <span aria-hidden="true">?</span>
        </button>
        {isLoggedIn && <button type="button" class="quiet words" onClick={logOut}>Log out</button>}
      </div>
    </header>
  );
}

function isWithin(route: Route, to: Route): boolean {
  if (route.view === "agent") return to.view === "agents";
  if (route.view === "execution") return to.view === "history";
  return route.view === to.view;
}

/** Says that the connection is lost, and that the page tries to reconnect. */
export function LinkBanner({ state }: { state: LinkState }): VNode | null {
  const { link } = useService();
  const isLost = state.phase === "lost";
  const now = useNow(1_000, isLost);
  if (!isLost) return null;
  return (
    <section class="banner" aria-label="Connection">
      <p>
        <strong>Connection lost.</strong> {state.reason} Showing data from{" "}
        {formatRelative(state.since, now)} while trying to reconnect.
      </p>
      <button type="button" onClick={() => link.retry()}>Try now</button>
    </section>
  );
}
