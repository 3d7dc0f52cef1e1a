// The page's composition root: client, connection, voice, and the first drawing.
import { render } from "preact";
import { SystemClock } from "../../../base/clock.ts";
import { Client } from "../../client.ts";
import { App } from "./app.tsx";
import { ServiceLink } from "./state/link.ts";
import { ServiceContext } from "./state/service_context.ts";
import { guardTexts } from "./text_guard.ts";
import { applyTheme, chosenTheme } from "./preferences.ts";
import { fetchBesideThePage, makeStreamsIterable } from "./state/transport.ts";
import { Announcements, Voice } from "./announcer.tsx";

function start(root: HTMLElement): void {
  makeStreamsIterable();
  guardTexts();
  applyTheme(chosenTheme());
  const clock = new SystemClock();
  const client = new Client({ fetch: fetchBesideThePage });
  const link = new ServiceLink({ client, clock });
  const voice = new Voice();
  render(
    <ServiceContext.Provider value={{ client, clock, link, announce: voice.say }}>
      <App />
      <Announcements voice={voice} clock={clock} />
    </ServiceContext.Provider>,
    root,
  );
  // For as long as the page is open.
  link.run(new AbortController().signal);
}

const root = document.getElementById("app");
if (root !== null) start(root);
