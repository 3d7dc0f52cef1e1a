// The port to telemetry, keeping what it is told in a line each.
import type { Telemetry } from "../../../runtime/executions/telemetry.ts";

/** `lines` hold how each thing ended, in that order, and where a stretch of an execution began. */
export class ToldTelemetry implements Telemetry {
  readonly lines: string[] = [];

  async execution(...[{ id }, work]: Parameters<Telemetry["execution"]>): Promise<void> {
    this.lines.push(`execution ${id} begins`);
    this.lines.push(`execution ${id}: ${await work()}`);
  }

  async modelCall(
    ...[{ model }, work]: Parameters<Telemetry["modelCall"]>
  ): ReturnType<Telemetry["modelCall"]> {
    try {
      const reply = await work();
      this.lines.push(`${model.id}: ${reply.stop}`);
      return reply;
    } catch (error) {
      this.lines.push(`${model.id}: ${error instanceof Error ? error.name : error}`);
      throw error;
    }
  }

  async toolCall<T extends object>(
    { call }: Parameters<Telemetry["toolCall"]>[0],
    work: () => Promise<T>,
  ): Promise<T> {
    const result = await work();
    const end = !("isError" in result) ? "waits" : result.isError === true ? "fails" : "done";
    this.lines.push(`${call.name}: ${end}`);
    return result;
  }

  cost(_asked: unknown, usd: number): void {
    this.lines.push(`$${usd}`);
  }

  ended({ id, status }: Parameters<Telemetry["ended"]>[0]): void {
    this.lines.push(`execution ${id} ended: ${status}`);
  }
}
