// `inkling notify`: lists the notification channels with their problems, or sends test messages.
import { performs } from "../../command_line/command.ts";
import type { notify } from "../../declarations/service_commands.ts";
import { suggest } from "../../../base/text/suggestion.ts";
import type { ChannelReport, ChannelTrial } from "../../../runtime/wiring/message_channels.ts";
import { warnOfConfig } from "../../context/config_warnings.ts";
import { commandFailed, EXIT, misuse } from "../../context/exit.ts";
import { showTrial } from "../../output/reports/channel_trial.ts";

const NONE = "config.yaml has no channels. Add one under notify.channels, for example:\n" +
  "  phone: { type: ntfy, topic: a-long-random-name }";

/** Lists the channels, or with `test` sends a test message through all channels or the named channel. */
export const perform = performs<typeof notify>(async (context, options) => {
  const { app, output } = context;
  const channels = await app.openChannels(context);
  const reports = channels.report();
  if (options.test === undefined) {
    if (options.json) output.json({ channels: reports.map(toJson) });
    else if (reports.length === 0) output.note(NONE);
    else {
      output.table(reports, [
        { header: "Channel", cell: ({ name }) => name },
        { header: "Type", cell: ({ type }) => type },
        { header: "State", cell: ({ problem }) => problem === null ? "ready" : "not ready" },
      ]);
      for (const { name, problem } of reports) {
        if (problem !== null) output.warning(`The channel ${name} cannot deliver: ${problem}`);
      }
    }
    if (!options.json) await warnOfConfig(context);
    return;
  }
  const names = options.test === true ? reports.map(({ name }) => name) : [options.test];
  if (names.length === 0) throw commandFailed(NONE);
  const trials: ChannelTrial[] = [];
  for (const name of names) {
    const trial = await channels.try(name);
    if (trial === undefined) {
      const known = reports.map(({ name }) => name);
      const nearest = suggest(name, known);
      const hint = nearest === undefined ? "" : `\nDid you mean "${nearest}"?`;
      throw misuse(`config.yaml has no channel "${name}"${hint}`);
    }
    trials.push(trial);
    if (!options.json) showTrial(output, trial);
  }
  if (options.json) output.json({ trials });
  return trials.every(({ delivered }) => delivered) ? EXIT.ok : EXIT.failed;
});

function toJson({ isEmpty, ...report }: ChannelReport) {
  return { ...report, is_empty: isEmpty };
}
