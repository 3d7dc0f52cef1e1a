// The arguments of a call as a table: texts as texts, everything else as JSON.
import type { VNode } from "preact";
import type { JsonObject } from "../../../../../base/json.ts";
import { Preformatted } from "../../parts.tsx";
import { toVisible } from "../../../../../present/visible_text.ts";
import { ShownText } from "./shown_text.tsx";

/** Texts up to this length, of one line, stand in the table as they are. */
const SHORT_CHARACTERS = 120;

/** One row for each argument. */
export function ArgumentTable(
  { tool, args, whose }: { tool: string; args: JsonObject; whose: string },
): VNode {
  const entries = Object.entries(args);
  if (entries.length === 0) return <p class="muted">Without arguments.</p>;
  return (
    <table class="arguments" aria-label={`Arguments of ${tool} ${whose}`}>
      <tbody>
        {entries.map(([name, value]) => (
          <tr key={name}>
            <th scope="row">
              <code>{toVisible(name)}</code>
            </th>
            <td>
              <Value label={`The argument ${name} ${whose}`} value={value} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Value({ label, value }: { label: string; value: unknown }): VNode {
  if (typeof value === "string") {
    if (value === "") return <span class="muted">an empty text</span>;
    return value.length <= SHORT_CHARACTERS && !value.includes("\n")
      ? <span class="value" dir="auto">{toVisible(value)}</span>
      : <ShownText label={label} text={value} />;
  }
  const json = JSON.stringify(value, null, 2);
  return typeof value === "object" && value !== null
    ? <Preformatted label={label} text={toVisible(json)} />
    : <code>{json}</code>;
}
