// Renders the button that signs a person in to a remote MCP server. The browser leaves the page, and returns after the
// sign-in.
import type { VNode } from "preact";
import { Button, Problem } from "./parts.tsx";
import { useService } from "../state/service_context.ts";
import { useSending } from "../state/use_resource.ts";

/** Renders the button, and the error of a sign-in that could not begin. */
export function SignInButton(
  { server, ...button }: { server: string; class?: string },
): VNode {
  const { client } = useService();
  const { isSending, problem, send } = useSending();
  const begin = async () => {
    // A proxy may serve the page below any path.
    const page = new URL(".", location.href).href;
    location.assign((await client.beginSignIn({ server, page })).address);
  };
  return (
    <>
      <Button
        {...button}
        aria-label={`Sign in to ${server}`}
        disabled={isSending}
        onClick={() => send(begin)}
      >
        Sign in
      </Button>
      <Problem text={problem} />
    </>
  );
}
