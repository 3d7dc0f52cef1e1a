// A self-signed certificate for a proxy with TLS.
import { join } from "node:path";

/** Returns the certificate as PEM. */
export async function createTestCertificate(): Promise<
  { cert: string; key: string } & AsyncDisposable
> {
  const folder = await Deno.makeTempDir({ prefix: "inkling-tls-" });
  const [key, cert] = ["key.pem", "cert.pem"].map((name) => join(folder, name));
  const remove = () => Deno.remove(folder, { recursive: true });
  const { success, stderr } = await new Deno.Command("openssl", {
    args: [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-keyout", `${key}`, "-out", `${cert}`, "-days", "2", "-subj", "/CN=127.0.0.1"],
    ],
    stdin: "null",
  }).output();
  if (!success) {
    await remove();
    throw new Error(new TextDecoder().decode(stderr));
  }
  return {
    cert: await Deno.readTextFile(`${cert}`),
    key: await Deno.readTextFile(`${key}`),
    [Symbol.asyncDispose]: remove,
  };
}
