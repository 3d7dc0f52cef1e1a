// Formats the database, and the nodes that share it.
import { SECOND_MS } from "../../../base/time_units.ts";
import type { InfoBody, NodeBody } from "../../../api/schemas/info_schemas.ts";
import type { Output } from "../output.ts";
import { NOTHING } from "../table.ts";
import { formatMinute } from "../../../present/local_time.ts";
import { formatRelative } from "../time.ts";

/**
 * The seconds since the last heartbeat up to which a node is shown as seen `now`. A node sends a heartbeat every three
 * seconds.
 */
const NOW_SECONDS = 5;

/**
 * Returns the database as text: `SQLite: /home/me/.local/state/inkling/inkling.db` or `PostgreSQL:
 * postgres://inkling@db.example/inkling`.
 */
export function describeStorage({ kind, place }: NonNullable<InfoBody["storage"]>): string {
  return `${kind === "sqlite" ? "SQLite" : "PostgreSQL"}: ${place}`;
}

/** Returns whether the database has a live node, whose service fires triggers. */
export function hasLivingNode({ nodes = [] }: Pick<InfoBody, "nodes">): boolean {
  return nodes.some(({ alive }) => alive);
}

/** Prints a table of the nodes. */
export function showNodes(output: Output, nodes: readonly NodeBody[], now: number): void {
  const { style } = output;
  output.table(nodes, [
    { header: "Node", cell: ({ name }) => name, shrinks: true, paint: style.bold },
    { header: "Version", cell: ({ version }) => version },
    { header: "Labels", cell: ({ labels }) => labels.join(", ") || NOTHING, shrinks: true },
    { header: "Since", cell: (node) => formatMinute(node.started_at) },
    { header: "Runs", cell: (node) => String(node.running_executions), align: "right" },
    {
      header: "Last Seen",
      cell: (node) => describeSign(node, now),
      paint: (cell, value) => value.startsWith("dead") ? style.red(cell) : style.green(cell),
    },
  ], { cutNote: ({ name, labels }) => [name, ...labels].join(", ") });
}

/**
 * Returns when a node was last seen: `now`, `12 s ago` or `dead, 4 min ago`. Adds `(this node)` for the node that answered.
 */
function describeSign(node: NodeBody, now: number): string {
  const { alive, silent_seconds: seconds, this_node: isThis } = node;
  const ago = alive && seconds < NOW_SECONDS
    ? "now"
    : seconds < 60
    ? `${Math.floor(seconds)} s ago`
    : formatRelative(new Date(now - seconds * SECOND_MS).toISOString(), now);
  return `${alive ? "" : "dead, "}${ago}${isThis ? " (this node)" : ""}`;
}
