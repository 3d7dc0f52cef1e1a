// Mails of every shape, with the parts that a run gets.

/** The expected parts of a parsed mail. Absent parts are not compared. */
export interface ExpectedMail {
  sender?: string | null;
  from?: string;
  to?: string | RegExp;
  subject?: string;
  text?: string | RegExp;
  quoted?: string | RegExp;
  /** The names and types of the attachments. */
  files?: [name: string, type: string][];
  notes?: RegExp;
}

const HEAD = "From: Bob <bob@example.org>\r\nTo: ann@example.com\r\nSubject: Hi\r\n";
const PLAIN = `${HEAD}Content-Type: text/plain; charset=utf-8\r\n`;
const HTML = `${HEAD}Content-Type: text/html; charset=utf-8\r\n\r\n`;
const latin1 = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
const base64 = (bytes: Uint8Array | string) =>
  btoa(typeof bytes === "string" ? bytes : String.fromCharCode(...bytes));
const parts = (kind: string, ...list: string[]) =>
  `${HEAD}Content-Type: multipart/${kind}; boundary=b\r\n\r\n` +
  `${list.map((one) => `--b\r\n${one}\r\n`).join("")}--b--\r\n`;
const text = (words: string) => `Content-Type: text/plain\r\n\r\n${words}`;
const html = (words: string) => `Content-Type: text/html\r\n\r\n${words}`;
const file = (name: string, type = "application/pdf") =>
  `Content-Type: ${type}\r\nContent-Disposition: attachment; ${name}\r\n\r\ndata`;
const inner = "From: eve@example.net\r\nSubject: Inner\r\n\r\nInner text";
/** The mails by name. */
export const MAIL_SHAPES: Readonly<Record<string, [source: string | Uint8Array, ExpectedMail]>> = {
  "plain text": [`${PLAIN}\r\nHello`, {
    sender: "bob@example.org",
    from: "Bob <bob@example.org>",
    to: "ann@example.com",
    subject: "Hi",
    text: "Hello",
    quoted: "",
    files: [],
  }],
  "line feeds only": [`${PLAIN}\r\nOne\r\nTwo`.replaceAll("\r", ""), { text: "One\nTwo" }],
  "nothing": ["", { sender: null, text: "", notes: /no text/ }],
  "no text part": [parts("mixed", file('filename="a.pdf"')), {
    text: "",
    files: [["a.pdf", "application/pdf"]],
    notes: /no text/,
  }],
  "quoted printable": [
    `${PLAIN}Content-Transfer-Encoding: quoted-printable\r\n\r\nGr=C3=BC=C3=9Fe und ein langer =\r\nSatz`,
    { text: "Grüße und ein langer Satz" },
  ],
  "iso-8859-1": [
    latin1(`${HEAD}Content-Type: text/plain; charset=iso-8859-1\r\n\r\nGr\u00fc\u00dfe`),
    { text: "Grüße" },
  ],
  "shift_jis": [
    Uint8Array.from([
      ...latin1(`${HEAD}Content-Type: text/plain; charset=shift_jis\r\n\r\n`),
      ...[0x93, 0xfa, 0x96, 0x7b],
    ]),
    { text: "日本" },
  ],
  "invalid utf-8": [
    Uint8Array.from([...latin1(`${PLAIN}\r\nA`), 0xff, 0x42]),
    { text: /^A.B$/su },
  ],
  "an encoded subject": [
    `From: bob@example.org\r\nSubject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?= =?utf-8?B?${
      base64("!")
    }?=\r\n\r\nx`,
    { subject: "Grüße!" },
  ],
  "an encoded name": ["From: =?utf-8?Q?J=C3=B6rg?= <j@example.org>\r\n\r\nx", {
    from: "Jörg <j@example.org>",
    sender: "j@example.org",
  }],
  "a subject over several lines": [
    "From: b@example.org\r\nSubject: One\r\n two\r\n\tthree\r\n\r\nx",
    {
      subject: "One two three",
    },
  ],
  "a subject with controls": [
    "From: b@example.org\r\nSubject: =?utf-8?Q?A=1B[31m=00=0AB=E2=80=AEC?=\r\n\r\nx",
    { subject: "A BC" },
  ],
  "a very long subject": [`From: b@example.org\r\nSubject: ${"word ".repeat(50_000)}\r\n\r\nx`, {
    text: "x",
  }],
  "html": [`${HTML}<h1>Title</h1><p>A <a href="https://example.org/">link</a></p>`, {
    text: "# Title\n\nA [link](https://example.org/)",
  }],
  "html with scripts and styles": [
    `${HTML}<style>p{}</style><script>evil()</script><p>Text</p>`,
    { text: "Text" },
  ],
  "long html": [`${HTML}<p>First</p>${"<p>More words here</p>".repeat(10_000)}`, {
    text: /^First/,
  }],
  "deeply nested html": [`${HTML}${"<div>".repeat(20_000)}Deep${"</div>".repeat(20_000)}`, {
    text: /Deep/,
  }],
  "alternatives": [parts("alternative", text("Plain"), html("<p>Rich</p>")), { text: "Plain" }],
  "alternatives with an empty text": [parts("alternative", text(" "), html("<p>Rich</p>")), {
    text: "Rich",
  }],
  "an inline picture": [
    parts(
      "related",
      html('<p>See <img src="cid:1"></p>'),
      "Content-Type: image/png\r\nContent-ID: <1>\r\nContent-Disposition: inline; filename=a.png\r\n\r\nx",
    ),
    { text: /See/, files: [["a.png", "image/png"]] },
  ],
  "an unclosed boundary": [
    `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n${text("Hello")}`,
    { text: "Hello" },
  ],
  "parts 300 levels deep": [
    Array.from(
      { length: 300 },
      (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}`,
    ).reduce(
      (all, one) => `${all}\r\n${one}`,
      HEAD.trimEnd(),
    ),
    { sender: "bob@example.org", notes: /cannot be read/ },
  ],
  "a forwarded mail": [
    parts("mixed", text("See below"), `Content-Type: message/rfc822\r\n\r\n${inner}`),
    {
      text: "See below",
      files: [["", "message/rfc822"]],
    },
  ],
  "a file name with a path": [parts("mixed", file('filename="../../etc/passwd"')), {
    files: [["../../etc/passwd", "application/pdf"]],
  }],
  "a file without a name": [parts("mixed", file("x=y")), { files: [["", "application/pdf"]] }],
  "300 files": [
    parts("mixed", ...Array.from({ length: 300 }, (_, at) => file(`filename=${at}.pdf`))),
    {
      notes: /first 100 of 300/,
    },
  ],
  "1,000 recipients": [
    `From: b@example.org\r\nTo: ${
      Array.from({ length: 1_000 }, (_, at) => `r${at}@example.com`).join(",\r\n ")
    }\r\n\r\nHi`,
    { to: /^r0@example\.com, .* and 950 more$/, text: "Hi" },
  ],
  "a group of recipients": [
    "From: b@example.org\r\nTo: Team: a@example.com, c@example.com;\r\n\r\nx",
    {
      to: "a@example.com, c@example.com",
    },
  ],
  "no recipients": ["From: b@example.org\r\nTo: undisclosed-recipients:;\r\n\r\nx", { to: "" }],
  "two addresses in From": ["From: a@example.org, b@example.org\r\n\r\nx", { sender: null }],
  "two From headers": ["From: a@example.org\r\nFrom: b@example.org\r\n\r\nx", { sender: null }],
  "an address in the name": ['From: "a@bank.example" <b@example.org>\r\n\r\nx', {
    sender: "b@example.org",
  }],
  "two addresses in brackets": ["From: <a@bank.example> <b@example.org>\r\n\r\nx", {
    sender: null,
  }],
  "an address without a domain": ["From: root\r\n\r\nx", { sender: null }],
  "a quoted answer": [
    `${PLAIN}\r\nYes.\r\n\r\nOn Mon, 5 Jan 2026 at 10:00, Ann wrote:\r\n> Do you come?\r\n`,
    { text: "Yes.", quoted: /^On Mon.*Do you come\?$/s },
  ],
  "a quoted answer in German": [
    `${PLAIN}\r\nJa.\r\n\r\nAm 05.01.26 um 10:00 schrieb Ann:\r\n> Kommst du?`,
    { text: "Ja.", quoted: /Kommst du/ },
  ],
  "an answer in the style of Outlook": [
    `${PLAIN}\r\nYes.\r\n\r\nFrom: Ann\r\nSent: Monday\r\nTo: Bob\r\nSubject: Hi\r\n\r\nDo you come?`,
    { text: "Yes.", quoted: /Do you come/ },
  ],
  "answers between quoted lines": [`${PLAIN}\r\n> One?\r\nYes.\r\n> Two?\r\nNo.`, {
    text: "> One?\nYes.\n> Two?\nNo.",
  }],
  "a signature": [`${PLAIN}\r\nHello\r\n-- \r\nBob\r\nExample Ltd`, {
    text: "Hello",
    quoted: "-- \nBob\nExample Ltd",
  }],
  "a quoted answer in html": [
    `${HTML}<p>Yes.</p><div>On Mon, 5 Jan 2026, Ann wrote:</div><blockquote>Do you come?</blockquote>`,
    { text: "Yes.", quoted: /Do you come/ },
  ],
};
