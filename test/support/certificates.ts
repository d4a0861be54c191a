import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/** PEM texts. */
export type CertificatePair = { readonly cert: string; readonly key: string };

export type CertificateAuthority = {
  /** The authority's own certificate, PEM: what a client has to trust. */
  readonly cert: string;
  /** A server's or a client's pair for 127.0.0.1 and localhost. */
  readonly issue: () => CertificatePair;
};

const DAY_MS = 86_400_000;

// DER, as far as X.509 (RFC 5280) needs it here.
const tlv = (tag: number, ...contents: Buffer[]): Buffer => {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
};
const sequence = (...contents: Buffer[]) => tlv(0x30, ...contents);
const oid = (hex: string) => tlv(0x06, Buffer.from(hex, "hex"));
const utf8 = (text: string) => tlv(0x0c, Buffer.from(text));
const octets = (content: Buffer) => tlv(0x04, content);
/** The first byte says how many bits of the last one are unused. */
const bits = (content: Buffer, unused = 0) => tlv(0x03, Buffer.of(unused), content);
const TRUE = tlv(0x01, Buffer.of(0xff));

const COMMON_NAME = oid("550403");
const ECDSA_WITH_SHA256 = sequence(oid("2a8648ce3d040302"));
const BASIC_CONSTRAINTS = oid("551d13");
const KEY_USAGE = oid("551d0f");
const EXTENDED_KEY_USAGE = oid("551d25");
const SUBJECT_ALT_NAME = oid("551d11");
const SERVER_AUTH = oid("2b06010505070301");
const CLIENT_AUTH = oid("2b06010505070302");

const name = (text: string) => sequence(tlv(0x31, sequence(COMMON_NAME, utf8(text))));
const time = (ms: number) =>
  tlv(0x18, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]|\..*/g, "")}Z`));

const AUTHORITY_EXTENSIONS = [
  sequence(BASIC_CONSTRAINTS, TRUE, octets(sequence(TRUE))),
  sequence(KEY_USAGE, TRUE, octets(bits(Buffer.of(0x06), 1))), // signs certificates and lists
];
const SERVER_EXTENSIONS = [
  sequence(KEY_USAGE, TRUE, octets(bits(Buffer.of(0x80), 7))), // signs
  sequence(EXTENDED_KEY_USAGE, octets(sequence(SERVER_AUTH, CLIENT_AUTH))),
  sequence(
    SUBJECT_ALT_NAME,
    octets(sequence(tlv(0x82, Buffer.from("localhost")), tlv(0x87, Buffer.of(127, 0, 0, 1)))),
  ),
];

type Content = {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly signer: KeyObject;
  readonly extensions: readonly Buffer[];
};

function certificate({ subject, issuer, publicKey, signer, extensions }: Content): string {
  const now = Date.now();
  const serial = randomBytes(8);
  serial[0] = 0x40 | ((serial[0] ?? 0) & 0x3f); // positive, of a fixed length
  const content = sequence(
    tlv(0xa0, tlv(0x02, Buffer.of(2))), // version 3
    tlv(0x02, serial),
    ECDSA_WITH_SHA256,
    name(issuer),
    sequence(time(now - DAY_MS), time(now + DAY_MS)),
    name(subject),
    publicKey.export({ type: "spki", format: "der" }),
    tlv(0xa3, sequence(...extensions)),
  );
  const der = sequence(content, ECDSA_WITH_SHA256, bits(sign("sha256", content, signer)));
  const lines = der.toString("base64").replace(/.{64}(?=.)/g, "$&\n");
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

/** A new authority that nobody trusts but who is given its certificate. Keys are EC P-256. */
export function createAuthority(subject = "Test Authority"): CertificateAuthority {
  const authority = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const signer = authority.privateKey;
  return {
    cert: certificate({
      subject,
      issuer: subject,
      publicKey: authority.publicKey,
      signer,
      extensions: AUTHORITY_EXTENSIONS,
    }),
    issue: () => {
      const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const cert = certificate({
        subject: "localhost",
        issuer: subject,
        publicKey,
        signer,
        extensions: SERVER_EXTENSIONS,
      });
      return { cert, key: String(privateKey.export({ type: "pkcs8", format: "pem" })) };
    },
  };
}
