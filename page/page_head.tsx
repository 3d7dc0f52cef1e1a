// The top of the page: navigation, tools, and the banner for a lost connection.
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { formatRelative } from "./parts/format.ts";
import type { LinkState } from "./state/link.ts";
import { type Route, toHash, toTitle } from "./state/route.ts";
import { useService } from "./state/service_context.ts";
import { NAVIGATION } from "./shortcuts.ts";
import type { Theme } from "./state/preferences.ts";
import { fetchRelative } from "./state/transport.ts";
import { Button } from "./parts/parts.tsx";
import { useNow } from "./state/use_resource.ts";

/** True if the browser is logged in. The service sets an attribute of the page in this case. */
const isLoggedIn = globalThis.document?.getElementById("app")?.dataset.loggedIn !== undefined;

/** Renders the head of every view. */
export function PageHead(
  { route, waiting, failing, theme, onTheme, onHelp, onPalette }: {
    route: Route;
    /** The number of open questions as text, `3` or `20+`; null for none. */
    waiting: string | null;
    /** The number of agents whose last run failed. */
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
    const ended = await fetchRelative("/logout", { method: "POST" }).catch(() => null);
    if (ended?.ok) location.reload();
    else announce("The service did not answer: you are still logged in.");
  };
  useEffect(() => {
    // Scroll the open view's link into sight: on a narrow screen the navigation is wider than the screen.
    const here = nav.current?.querySelector("[aria-current]");
    here?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [route.view]);
  return (
    <header class="page-head">
      <a class="wordmark" href={toHash({ view: "now" })}>Inkling</a>
      <nav aria-label="Views" ref={nav}>
        <ul>
          {NAVIGATION.map(({ name, hash }) => (
            <li key={name}>
              <a href={hash} aria-current={sectionOf(route) === name ? "page" : undefined}>
                {name}
                {name === "Now" && waiting !== null && (
                  <Badge count={waiting}>
                    {waiting === "1" ? " open question" : " open questions"}
                  </Badge>
                )}
                {name === "Agents" && failing > 0 && (
                  <Badge count={failing} isFailure>
                    failed
                  </Badge>
                )}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="tools">
        <Tool name="Find" sign="⌕" onClick={onPalette} />
        <Tool name={`Theme: ${theme}`} sign={THEME_SIGNS[theme]} onClick={onTheme} />
        <Tool name="Keys" sign="?" onClick={onHelp} />
        {isLoggedIn && <Button class="quiet words" onClick={logOut}>Log out</Button>}
      </div>
    </header>
  );
}

function Badge(
  { count, isFailure = false, children }: {
    count: string | number;
    isFailure?: boolean;
    children: string;
  },
): VNode {
  return (
    <span class={isFailure ? "badge failing" : "badge"}>
      {count}
      <span class="unseen">{children}</span>
    </span>
  );
}

const THEME_SIGNS: Readonly<Record<Theme, string>> = { system: "◐", light: "○", dark: "●" };

function Tool(
  { name, sign, onClick }: { name: string; sign: string; onClick: () => void },
): VNode {
  return (
    <Button class="quiet" onClick={onClick} aria-label={name}>
      <span aria-hidden="true">{sign}</span>
    </Button>
  );
}

/** Returns the name of the navigation entry for a route. */
function sectionOf({ view }: Route): string {
  if (view === "agent" || view === "edit" || view === "files") return "Agents";
  return view === "execution" ? "History" : toTitle(view);
}

/** Renders the banner for a lost connection. */
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
      <Button onClick={() => link.retry()}>Try now</Button>
    </section>
  );
}
