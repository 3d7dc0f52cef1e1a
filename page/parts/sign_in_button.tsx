// Renders the button that signs a person in to a remote MCP server. The browser leaves the page, and returns after the
// sign-in.
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Button, Problem } from "./parts.tsx";
import { errorMessage } from "../state/resource.ts";
import { useService } from "../state/service_context.ts";

/** Renders the button, and the error of a sign-in that could not begin. */
export function SignInButton(
  { server, ...button }: { server: string; class?: string },
): VNode {
  const { client } = useService();
  const [isBeginning, setBeginning] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const begin = async () => {
    setBeginning(true);
    setProblem(null);
    try {
      // A proxy may serve the page below any path.
      const page = new URL(".", location.href).href;
      location.assign((await client.beginSignIn({ server, page })).address);
    } catch (error) {
      setProblem(errorMessage(error));
    } finally {
      setBeginning(false);
    }
  };
  return (
    <>
      <Button
        {...button}
        aria-label={`Sign in to ${server}`}
        disabled={isBeginning}
        onClick={begin}
      >
        Sign in
      </Button>
      <Problem text={problem} />
    </>
  );
}
