// The log-in page with its error messages, and the page for an unknown proxy address.
import { RequestRefused } from "../../api/errors.ts";
import { escapeHtml, noticePage } from "../html/notice_page.ts";

const FAULTS = {
  wrong_key: { status: 401, text: "This is not the API key of this service." },
  too_many: {
    status: 429,
    text: "Too many attempts with a wrong key. Try again in a moment.",
  },
};

/** Keeps the fragment of the address, which is the requested view, through the form and its redirect. */
const KEEP_PLACE = "document.forms[0].action += location.hash;";

/** Returns the log-in page, with the error of a failed attempt. */
export async function loginPage(fault?: keyof typeof FAULTS): Promise<Response> {
  const { status, text } = fault === undefined ? { status: 401, text: "" } : FAULTS[fault];
  const message = text === "" ? "" : `<p class="fault" role="alert" id="fault">${text}</p>`;
  return await noticePage({
    heading: "Log in",
    status,
    ...(status === 429 && { headers: { "retry-after": "1" } }),
    script: KEEP_PLACE,
    body: `<form method="post" action="login">
<label for="key">API key</label>
<input type="password" id="key" name="key" autocomplete="current-password" required autofocus${
      message === "" ? "" : ' aria-describedby="fault" aria-invalid="true"'
    }>
${message}
<button>Log in</button>
</form>
<p class="muted">The API key is the value of <code>--api-key</code> or <code>INKLING_API_KEY</code> at the start of the
service. You stay logged in until you log out or the service restarts, for 7 days at most.</p>
<p class="muted">On the machine of the service, <code>inkling ui</code> opens the page without a key.</p>`,
  });
}

/** Returns the page for a person behind an unknown proxy, with the line for config.yaml that allows its address. */
export async function originPage(request: Request, { status }: RequestRefused): Promise<Response> {
  const line = status === 421
    ? `hosts: ["${escapeHtml(request.headers.get("host") ?? "")}"]`
    : `origins: ["${escapeHtml(request.headers.get("origin") ?? "https://…")}"]`;
  return await noticePage({
    heading: "The service does not know this address",
    status,
    body: `<p>You are not logged in. If this is the address of your own proxy, add these lines to
<code>config.yaml</code>, restart the service, and open the page again:</p>
<pre tabindex="0">http:
  ${line}</pre>
<p><a href="ui">Back to the log-in</a></p>`,
  });
}
