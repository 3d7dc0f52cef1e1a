// Rules between the fields of `notify` in config.yaml. They look at the values as written.
import type { Diagnostic } from "../../base/diagnostics.ts";
import { isJsonObject } from "../../base/json.ts";
import { suggest } from "../../base/text/suggestion.ts";
import { diagnose, type DiagnosedFile } from "./files/diagnosed_file.ts";
import { showValue } from "./shown_value.ts";

type Written = Readonly<Record<string, unknown>>;

/** Every broken rule; a command that is not allowed is a warning: it is off until it is. */
export function checkNotify(file: DiagnosedFile): Diagnostic[] {
  const notify = mapIn(file.document.value, "notify");
  const channels = mapIn(notify, "channels");
  return [
    ...checkTo(file, notify, channels),
    ...checkQuiet(file, notify),
    ...offCommands(file, channels),
  ];
}

function checkTo(file: DiagnosedFile, notify: Written, channels: Written): Diagnostic[] {
  const to = notify["to"];
  return (Array.isArray(to) ? to : []).flatMap((name, index) => {
    if (typeof name !== "string" || Object.hasOwn(channels, name)) return [];
    const nearest = suggest(name, Object.keys(channels));
    return [diagnose(file, ["notify", "to", index], {
      message: `notify.to names ${showValue(name)}, which is none of notify.channels`,
      ...(nearest !== undefined && { hint: `did you mean "${nearest}"?` }),
    })];
  });
}

function checkQuiet(file: DiagnosedFile, notify: Written): Diagnostic[] {
  const { from, to } = mapIn(notify, "quiet");
  if (from == null && to == null) return [];
  if (from != null && to != null && from !== to) return [];
  const message = from === to
    ? "notify.quiet.from and notify.quiet.to are the same: no hour is quiet then"
    : "notify.quiet needs both from and to";
  return [diagnose(file, ["notify", "quiet", from == null ? "to" : "from"], { message })];
}

function offCommands(file: DiagnosedFile, channels: Written): Diagnostic[] {
  return Object.entries(channels).flatMap(([name, one]) => {
    if (!isJsonObject(one) || one["type"] !== "command" || one["allow"] === true) return [];
    return [diagnose(file, ["notify", "channels", name], {
      severity: "warning",
      message: `notify.channels.${name} is off: a command is started only with allow: true`,
    }, "key")];
  });
}

function mapIn(value: Written, key: string): Written {
  const inner = value[key];
  return isJsonObject(inner) ? inner : {};
}
