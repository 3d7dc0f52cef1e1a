// The one place that every drawn text passes, whichever view draws it: no view can forget it.
import { options } from "preact";
import { toReadable } from "../../../present/visible_text.ts";

/** Attributes that are read out or shown as they are. */
const SHOWN_ATTRIBUTES = ["title", "aria-label", "aria-valuetext"];

/** Draws every text from now on as toReadable() makes it. What is sent keeps its characters. */
export function guardTexts(): void {
  options.vnode = (vnode) => {
    // A text is a node without a type.
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
