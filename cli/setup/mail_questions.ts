// Asks for a mail account whose mails reach the user. Returns the channel, the account and, separately, the password.
import { addressOf, domainOf } from "../../base/text/mail_address.ts";
import type { Installation } from "../../ops/setup/installation.ts";
import type { ChannelChoice } from "../../ops/setup/setup_choices.ts";
import type { Output } from "../output/output.ts";
import type { Interview } from "../prompting/interview.ts";

/** The servers of a provider. `authServer` is the name of its server in `Authentication-Results`, if it is always the same. */
interface Provider {
  domains: readonly string[];
  imap: string;
  smtp: string;
  authServer?: string;
  passwordAt: string;
}

/** The providers of docs/reference/mail-accounts.md. */
const PROVIDERS: readonly Provider[] = [
  {
    domains: ["gmail.com", "googlemail.com"],
    ...{ imap: "imap.gmail.com:993", smtp: "smtp.gmail.com:465", authServer: "mx.google.com" },
    passwordAt: "https://myaccount.google.com/apppasswords",
  },
  {
    domains: ["icloud.com", "me.com", "mac.com"],
    imap: "imap.mail.me.com:993",
    ...{ smtp: "smtp.mail.me.com:587", authServer: "dmarc.icloud.com" },
    passwordAt: "https://account.apple.com",
  },
  {
    domains: ["yahoo.com"],
    ...{ imap: "imap.mail.yahoo.com:993", smtp: "smtp.mail.yahoo.com:465" },
    passwordAt: "https://login.yahoo.com/account/security",
  },
  {
    domains: ["fastmail.com"],
    ...{ imap: "imap.fastmail.com:993", smtp: "smtp.fastmail.com:465" },
    passwordAt: "https://app.fastmail.com/settings/security",
  },
  {
    domains: ["gmx.net", "gmx.de", "gmx.at", "gmx.ch"],
    ...{ imap: "imap.gmx.net:993", smtp: "mail.gmx.net:465", authServer: "gmx.net" },
    passwordAt: "your password; allow IMAP in the settings first",
  },
];

const ACCOUNT = "home";
const PASSWORD = "HOME_MAIL_PASSWORD";
/** Matches a server on this machine, such as a bridge to a provider. It is used without encryption. */
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\]):/;

/** Asks for the account. Returns undefined if the user leaves a question empty. */
export async function askMail(
  { output, interview, installation }: {
    output: Output;
    interview: Interview;
    installation: Installation;
  },
): Promise<ChannelChoice | undefined> {
  const address = await interview.text({
    message: "Your mail address; leave empty to skip this",
    check: (answer) =>
      answer === "" || addressOf(answer) !== undefined
        ? undefined
        : "This is no mail address. For example: ann@example.com",
  });
  if (address === "") return undefined;
  const domain = domainOf(address.toLowerCase());
  const provider = PROVIDERS.find(({ domains }) => domains.includes(domain));
  const toChoice = (imap: string, smtp: string): ChannelChoice => ({
    name: "inbox",
    settings: { type: "mail", account: ACCOUNT, to: [address] },
    account: {
      name: ACCOUNT,
      settings: {
        ...{ address, imap, smtp, password_env: PASSWORD },
        ...(provider?.authServer !== undefined && { auth_server: provider.authServer }),
        ...(LOOPBACK.test(imap) && LOOPBACK.test(smtp) && { tls: false }),
      },
    },
  });
  const imap = provider?.imap ?? await interview.text({
    message: "Server that mail is read from, with its port",
    initial: `imap.${domain}:993`,
    check: (imap) => installation.describeProblem({ channel: toChoice(imap, imap) }),
  });
  const smtp = provider?.smtp ?? await interview.text({
    message: "Server that sends mail, with its port",
    initial: `smtp.${domain}:465`,
    check: (smtp) => installation.describeProblem({ channel: toChoice(imap, smtp) }),
  });
  if (provider !== undefined) {
    output.sentence(`The provider needs a password for programs: ${provider.passwordAt}`);
  }
  const value = await interview.secret({
    message: "Password of the account, often an app password; leave empty to skip this",
    check: (apiKey) => installation.describeProblem({ apiKey }),
  });
  if (value === "") return undefined;
  return { ...toChoice(imap, smtp), secrets: [{ name: PASSWORD, value }] };
}
