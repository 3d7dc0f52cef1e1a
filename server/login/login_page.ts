// The page that asks for the API key, and what it says when that did not do.
import { RequestRefused } from "../../api/errors.ts";
import { escapeHtml, noticePage } from "../notice_page.ts";

const FAULTS = {
  wrong_key: { status: 401, text: "This is not the API key of this service." },
  too_many: {
    status: 429,
    text: "Too many wrong keys are being tried just now. Try again in a moment.",
  },
};

/** What is behind `#` in the address is where the person wants to go: it goes along, and through the redirect. */
const KEEP_PLACE = "document.forms[0].action += location.hash;";

/** The log-in page, with what was wrong. */
export async function loginPage(fault?: keyof typeof FAULTS): Promise<Response> {
  const { status, text } = fault === undefined ? { status: 401, text: "" } : FAULTS[fault];
  const told = text === "" ? "" : `<p class="fault" role="alert" id="fault">${text}</p>`;
  return await noticePage({
    heading: "Log in",
    status,
    ...(status === 429 && { headers: { "retry-after": "1" } }),
    script: KEEP_PLACE,
    body: `<form method="post" action="login">
<label for="key">API key</label>
<input type="password" id="key" name="key" autocomplete="current-password" required autofocus${
      told === "" ? "" : ' aria-describedby="fault" aria-invalid="true"'
    }>
${told}
<button>Log in</button>
</form>
<p class="muted">The key is the one that the service was started with: <code>--api-key</code> or
<code>INKLING_API_KEY</code>. This browser then stays logged in until you log out, for 7 days at most, or
until the service restarts.</p>
<p class="muted">On the machine of the service, <code>inkling ui</code> opens the page without a key.</p>`,
  });
}

/** Tells a person behind a proxy which line of config.yaml lets the proxy's address in. */
export async function originPage(request: Request, { status }: RequestRefused): Promise<Response> {
  const line = status === 421
    ? `hosts: ["${escapeHtml(request.headers.get("host") ?? "")}"]`
    : `origins: ["${escapeHtml(request.headers.get("origin") ?? "https://…")}"]`;
  return await noticePage({
    heading: "The service does not know this address",
    status,
    body: `<p>Nobody was logged in. If this is the address of your own proxy, add it to
<code>config.yaml</code>, restart the service, and open the page again:</p>
<pre tabindex="0">http:
  ${line}</pre>
<p><a href="ui">Back to the log-in</a></p>`,
  });
}
