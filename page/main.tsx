// The entry point of the page: creates the shared objects, renders the page, and makes invisible characters of all texts
// visible.
import { options, render } from "preact";
import { SystemClock } from "../base/clock.ts";
import { Client } from "../api/client/client.ts";
import { App } from "./app.tsx";
import { ServiceLink } from "./state/link.ts";
import { applyTheme, chosenTheme } from "./state/preferences.ts";
import { fetchRelative, makeStreamsIterable } from "./state/transport.ts";
import { Announcements } from "./announcer.tsx";
import { toReadable } from "../present/visible_text.ts";

function start(root: HTMLElement): void {
  makeStreamsIterable();
  guardTexts();
  applyTheme(chosenTheme());
  const clock = new SystemClock();
  const client = new Client({ fetch: fetchRelative });
  const link = new ServiceLink({ client, clock });
  render(
    <Announcements service={{ client, clock, link }}>
      <App />
    </Announcements>,
    root,
  );
  // The connection lasts until the page is closed.
  link.run(new AbortController().signal);
}

/** The attributes whose texts browsers show or screen readers read. */
const SHOWN_ATTRIBUTES = ["title", "aria-label", "aria-valuetext"];

/** Makes Preact pass every rendered text through toReadable(). Texts that are sent to the service stay unchanged. */
function guardTexts(): void {
  options.vnode = (vnode) => {
    // A text node is a node without a type.
    const node: { type: unknown; props: unknown } = vnode;
    if (node.type === null && typeof node.props === "string") node.props = toReadable(node.props);
    else if (typeof node.type === "string") guardAttributes(node.props as Record<string, unknown>);
  };
}

function guardAttributes(props: Record<string, unknown>): void {
  for (const name of SHOWN_ATTRIBUTES) {
    const value = props[name];
    if (typeof value === "string") props[name] = toReadable(value);
  }
}

const root = document.getElementById("app");
if (root !== null) start(root);
