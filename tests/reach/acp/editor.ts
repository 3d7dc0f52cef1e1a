// Connects an editor to `inkling acp`: the client side of the protocol's own package.
import assert from "node:assert/strict";
import {
  client as createEditor,
  type ClientContext,
  methods,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { SystemClock } from "../../../base/clock.ts";
import { openSocketClient } from "../../../api/client/client.ts";
import type { Runtime } from "../../../runtime/interface/runtime.ts";
import { createAcpAgent } from "../../../reach/acp/acp_agent.ts";

/** An editor with one session. */
export interface Editor {
  agent: ClientContext;
  updates: SessionUpdate[];
  asked: RequestPermissionRequest[];
  sessionId: string;
  prompt(text: string): Promise<string>;
  /** Returns the joined text of all updates of a kind. */
  text(kind: SessionUpdate["sessionUpdate"]): string;
}

/**
 * Connects an editor to an agent. `choose` returns the id of a chosen button, or undefined for none. The open folder is the
 * workspace, or `cwd`.
 */
export async function withEditor(
  on: { runtime: Runtime; place: { workspace: string } },
  { agent: agentId, choose = () => undefined, cwd = on.place.workspace }: {
    agent: string;
    choose?: () => string | undefined;
    cwd?: string;
  },
  work: (editor: Editor) => Promise<void>,
): Promise<void> {
  const updates: SessionUpdate[] = [];
  const asked: RequestPermissionRequest[] = [];
  const app = createEditor({ name: "editor" })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      asked.push(params);
      const optionId = choose();
      return {
        outcome: optionId === undefined
          ? { outcome: "cancelled" as const }
          : { outcome: "selected" as const, optionId },
      };
    });
  const open = () => Promise.resolve(openSocketClient(on.runtime.directories.socketFile));
  const ports = { open, agentId, version: "1.2.3", clock: new SystemClock() };
  await app.connectWith(createAcpAgent(ports), async (agent) => {
    const hello = await agent.request(methods.agent.initialize, { protocolVersion: 1 });
    assert.equal(hello.agentCapabilities?.loadSession, true);
    const { sessionId } = await agent.request(methods.agent.session.new, {
      cwd,
      mcpServers: [],
    });
    await work({
      agent,
      updates,
      asked,
      sessionId,
      async prompt(text) {
        const { stopReason } = await agent.request(methods.agent.session.prompt, {
          sessionId,
          prompt: [{ type: "text", text }],
        });
        return stopReason;
      },
      text: (kind) =>
        updates.map((one) =>
          one.sessionUpdate === kind && "content" in one && one.content !== null &&
            !Array.isArray(one.content) && one.content?.type === "text"
            ? one.content.text
            : ""
        ).join(""),
    });
  });
}
