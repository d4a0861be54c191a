import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";

type Options = { readonly challenge: string; readonly rp?: { readonly id?: string } };
type CreateOptions = Options & { readonly user: { readonly id: string } };

const PRESENT = 1;
const VERIFIED = 4;
const HAS_CREDENTIAL = 64;

/** A passkey of WebAuthn level 2, as a phone makes and uses it: ES256, no attestation. */
export class SoftPasskey {
  /** Whether it has checked who uses it. */
  verifiesUser = true;
  readonly #id = randomBytes(32);
  readonly #keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  readonly #origin: string;
  #userHandle = "";
  #counter = 0;

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** What `navigator.credentials.create` gives, as JSON. */
  create({ challenge, user }: CreateOptions, origin = this.#origin): object {
    this.#userHandle = user.id;
    const { x = "", y = "" } = this.#keys.publicKey.export({ format: "jwk" });
    const key = cborMap([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, "base64url")],
      [-3, Buffer.from(y, "base64url")],
    ]);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.#id.length);
    const credential = Buffer.concat([Buffer.alloc(16), length, this.#id, key]);
    const authData = Buffer.concat([this.#data(HAS_CREDENTIAL), credential]);
    const attestationObject = cborMap([
      ["fmt", "none"],
      ["attStmt", []],
      ["authData", authData],
    ]);
    return this.#credential({
      clientDataJSON: clientData("webauthn.create", challenge, origin).toString("base64url"),
      attestationObject: attestationObject.toString("base64url"),
      transports: ["internal"],
    });
  }

  /** What `navigator.credentials.get` gives, as JSON. */
  get({ challenge }: Options, origin = this.#origin): object {
    const client = clientData("webauthn.get", challenge, origin);
    const authData = this.#data(0);
    const hash = createHash("sha256").update(client).digest();
    const signature = sign("sha256", Buffer.concat([authData, hash]), this.#keys.privateKey);
    return this.#credential({
      clientDataJSON: client.toString("base64url"),
      authenticatorData: authData.toString("base64url"),
      signature: signature.toString("base64url"),
      userHandle: this.#userHandle,
    });
  }

  #data(flags: number): Buffer {
    this.#counter += 1;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(this.#counter);
    const rp = createHash("sha256").update(new URL(this.#origin).hostname).digest();
    const all = flags | PRESENT | (this.verifiesUser ? VERIFIED : 0);
    return Buffer.concat([rp, Buffer.from([all]), counter]);
  }

  #credential(response: object): object {
    const id = this.#id.toString("base64url");
    return { id, rawId: id, type: "public-key", clientExtensionResults: {}, response };
  }
}

const clientData = (type: string, challenge: string, origin: string): Buffer =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));

type Cbor = number | string | Buffer | readonly (readonly [Cbor, Cbor])[];

/** As much of CBOR (RFC 8949) as a credential is written in; lengths up to 65535. */
function cbor(value: Cbor): Buffer {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string") return Buffer.concat([head(3, value.length), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  return cborMap(value);
}

function cborMap(entries: readonly (readonly [Cbor, Cbor])[]): Buffer {
  return Buffer.concat([head(5, entries.length), ...entries.flat().map(cbor)]);
}

function head(major: number, value: number): Buffer {
  const first = major << 5;
  if (value < 24) return Buffer.from([first | value]);
  if (value < 256) return Buffer.from([first | 24, value]);
  return Buffer.from([first | 25, value >> 8, value & 255]);
}
