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
const forward = (depth: number): string =>
  depth === 0
    ? inner
    : `From: f${depth}@example.net\r\nSubject: Level ${depth}\r\nContent-Type: multipart/mixed; boundary=l${depth}\r\n\r\n` +
      `--l${depth}\r\nContent-Type: message/rfc822\r\n\r\n${forward(depth - 1)}\r\n--l${depth}--`;

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
  "no head at all": ["Hello there", { sender: null, subject: "" }],
  "nothing": ["", { sender: null, text: "", notes: /no text/ }],
  "no text part": [parts("mixed", file('filename="a.pdf"')), {
    text: "",
    files: [["a.pdf", "application/pdf"]],
    notes: /no text/,
  }],
  "no content type": [`${HEAD}\r\nHello`, { text: "Hello" }],
  "quoted printable": [
    `${PLAIN}Content-Transfer-Encoding: quoted-printable\r\n\r\nGr=C3=BC=C3=9Fe und ein langer =\r\nSatz`,
    { text: "Grüße und ein langer Satz" },
  ],
  "base64": [`${PLAIN}Content-Transfer-Encoding: base64\r\n\r\n${base64("Hello you")}`, {
    text: "Hello you",
  }],
  "broken base64": [`${PLAIN}Content-Transfer-Encoding: base64\r\n\r\n!!SGVsbG8`, {
    text: /Hello/,
  }],
  "unknown encoding": [`${PLAIN}Content-Transfer-Encoding: x-unknown\r\n\r\nHello`, {
    text: "Hello",
  }],
  "iso-8859-1": [
    latin1(`${HEAD}Content-Type: text/plain; charset=iso-8859-1\r\n\r\nGr\u00fc\u00dfe`),
    { text: "Grüße" },
  ],
  "windows-1252": [
    latin1(`${HEAD}Content-Type: text/plain; charset=windows-1252\r\n\r\n\u0080 5`),
    { text: "€ 5" },
  ],
  "shift_jis": [
    Uint8Array.from([
      ...latin1(`${HEAD}Content-Type: text/plain; charset=shift_jis\r\n\r\n`),
      ...[0x93, 0xfa, 0x96, 0x7b],
    ]),
    { text: "日本" },
  ],
  "iso-2022-jp": [
    latin1(`${HEAD}Content-Type: text/plain; charset=iso-2022-jp\r\n\r\n\x1b$BF|K\\\x1b(B`),
    { text: "日本" },
  ],
  "gb18030": [
    Uint8Array.from([
      ...latin1(`${HEAD}Content-Type: text/plain; charset=gb18030\r\n\r\n`),
      ...[0xd6, 0xd0, 0xce, 0xc4],
    ]),
    { text: "中文" },
  ],
  "koi8-r": [
    Uint8Array.from([
      ...latin1(`${HEAD}Content-Type: text/plain; charset=koi8-r\r\n\r\n`),
      ...[0xf0, 0xd2, 0xc9],
    ]),
    { text: "При" },
  ],
  "an unknown charset": [`${HEAD}Content-Type: text/plain; charset=klingon\r\n\r\nHello`, {
    text: "Hello",
  }],
  "invalid utf-8": [
    Uint8Array.from([...latin1(`${PLAIN}\r\nA`), 0xff, 0x42]),
    { text: /^A.B$/su },
  ],
  "utf-7 that hides a tag": [
    `${HEAD}Content-Type: text/plain; charset=utf-7\r\n\r\n+ADw-script+AD4-`,
    { text: /script/ },
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
  "html tables": [
    `${HTML}<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>`,
    { text: /\| A \| B \|/ },
  ],
  "five megabytes of html": [`${HTML}<p>First</p>${"<p>More words here</p>".repeat(250_000)}`, {
    text: /^First/,
  }],
  "deeply nested html": [`${HTML}${"<div>".repeat(20_000)}Deep${"</div>".repeat(20_000)}`, {
    text: /Deep/,
  }],
  "html without tags": [`${HTML}Just words`, { text: "Just words" }],
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
  "two texts": [parts("mixed", text("One"), text("Two")), { text: /One\s+Two/ }],
  "a missing boundary": [`${HEAD}Content-Type: multipart/mixed\r\n\r\nHello`, {}],
  "an unclosed boundary": [
    `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n${text("Hello")}`,
    { text: "Hello" },
  ],
  "a boundary in the text": [parts("mixed", text("--bc\r\nHello")), { text: /Hello/ }],
  "a preamble": [
    `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\nIgnored\r\n--b\r\n${
      text("Hi")
    }\r\n--b--\r\nIgnored`,
    { text: "Hi" },
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
  "nested forwards": [forward(12), { sender: "f12@example.net", subject: "Level 12" }],
  "a delivery report": [
    parts(
      "report; report-type=delivery-status",
      text("It failed"),
      "Content-Type: message/delivery-status\r\n\r\nAction: failed",
    ),
    { text: /It failed/ },
  ],
  "tnef": [parts("mixed", text("Hi"), file("filename=winmail.dat", "application/ms-tnef")), {
    text: "Hi",
    files: [["winmail.dat", "application/ms-tnef"]],
  }],
  "s/mime, encrypted": [
    `${HEAD}Content-Type: application/pkcs7-mime; name=smime.p7m\r\nContent-Disposition: attachment; filename=smime.p7m\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA`,
    { text: "", files: [["smime.p7m", "application/pkcs7-mime"]] },
  ],
  "pgp, encrypted": [
    parts(
      'encrypted; protocol="application/pgp-encrypted"',
      "Content-Type: application/pgp-encrypted\r\n\r\nVersion: 1",
      "Content-Type: application/octet-stream; name=encrypted.asc\r\n\r\n-----BEGIN PGP MESSAGE-----",
    ),
    {
      text: "",
      files: [["", "application/pgp-encrypted"], ["encrypted.asc", "application/octet-stream"]],
    },
  ],
  "pgp, signed": [
    parts(
      "signed",
      text("Signed words"),
      "Content-Type: application/pgp-signature; name=s.asc\r\n\r\nsig",
    ),
    { text: "Signed words", files: [["s.asc", "application/pgp-signature"]] },
  ],
  "an invitation": [
    parts(
      "mixed",
      text("Come"),
      "Content-Type: text/calendar; method=REQUEST\r\n\r\nBEGIN:VCALENDAR",
    ),
    { text: /Come/ },
  ],
  "a name of two parts": [parts("mixed", file("filename*0=long; filename*1=name.pdf")), {
    files: [["longname.pdf", "application/pdf"]],
  }],
  "an encoded file name": [parts("mixed", file("filename*=utf-8''Gr%C3%BC%C3%9Fe.pdf")), {
    files: [["Grüße.pdf", "application/pdf"]],
  }],
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
  "10,000 recipients": [
    `From: b@example.org\r\nTo: ${
      Array.from({ length: 10_000 }, (_, at) => `r${at}@example.com`).join(",\r\n ")
    }\r\n\r\nHi`,
    { to: /^r0@example\.com, .* and 9950 more$/, text: "Hi" },
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
