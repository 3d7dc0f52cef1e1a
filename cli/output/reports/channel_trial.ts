// Prints the result of a test message.
import { toOneLine } from "../sanitize.ts";
import type { ChannelTrial } from "../../../runtime/wiring/message_channels.ts";
import type { Output } from "../output.ts";

/** Prints one line: the channel's name, the result and the receiver's reply. */
export function showTrial(output: Output, { name, delivered, reply }: ChannelTrial): void {
  const { style } = output;
  const verdict = delivered ? style.green("delivered") : style.red("not delivered");
  output.line(`${name}: ${verdict} (${toOneLine(reply.replace(/\.$/, ""))})`);
}
