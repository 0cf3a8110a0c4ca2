/** Writes DNS messages byte by byte, flaws included. */

/** A record type, as in the registry of IANA. */
export const TYPE = { A: 1, NS: 2, CNAME: 5, MX: 15, TXT: 16, AAAA: 28, DNAME: 39 } as const;
const HEADER_BYTES = 12;
const RESPONSE = 0x8000;
const AUTHORITATIVE = 0x0400;
export const TRUNCATED = 0x0200;
const RECURSION_DESIRED = 0x0100;
const RECURSION_AVAILABLE = 0x0080;

/** Points at the name of the question. */
export const OWNER = Buffer.from([0xc0, HEADER_BYTES]);

export const u16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
};

export const name = (...labels: readonly string[]): Buffer =>
  Buffer.concat([
    ...labels.map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')])),
    Buffer.from([0]),
  ]);

export const text = (value: string, encoding: BufferEncoding = 'utf8'): Buffer => {
  const bytes = Buffer.from(value, encoding);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
};

export const address = (value: string): Buffer => Buffer.from(value.split('.').map(Number));

export const record = (type: keyof typeof TYPE, data: Buffer, owner: Buffer = OWNER): Buffer =>
  Buffer.concat([owner, u16(TYPE[type]), u16(1), u16(0), u16(60), u16(data.length), data]);

export const a = (value: string): Buffer => record('A', address(value));

/** A query, and the parts of it that answers need. */
export interface Query {
  readonly id: number;
  /** Lower case. */
  readonly labels: readonly string[];
  readonly question: Buffer;
  readonly recursionDesired: number;
  readonly hasEdns: boolean;
  readonly overTcp: boolean;
}

export function readQuery(bytes: Buffer, overTcp: boolean): Query {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = bytes[at] ?? 0; length > 0; length = bytes[at] ?? 0) {
    labels.push(bytes.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += length + 1;
  }
  return {
    ...{ labels, overTcp },
    id: bytes.readUInt16BE(0),
    question: bytes.subarray(HEADER_BYTES, at + 5),
    recursionDesired: bytes.readUInt16BE(2) & RECURSION_DESIRED,
    hasEdns: bytes.readUInt16BE(10) > 0,
  };
}

export interface Reply {
  readonly answers?: readonly Buffer[];
  readonly rcode?: number;
  readonly flags?: number;
  readonly id?: number;
  readonly question?: Buffer;
}

export function reply(query: Query, { answers = [], rcode = 0, flags = 0, ...rest }: Reply): Buffer {
  const { id, question } = { ...query, ...rest };
  const bits = RESPONSE | AUTHORITATIVE | RECURSION_AVAILABLE | query.recursionDesired | flags | rcode;
  const counts = [question.length > 0 ? 1 : 0, answers.length, 0, 0];
  return Buffer.concat([u16(id), u16(bits), ...counts.map(u16), question, ...answers]);
}
