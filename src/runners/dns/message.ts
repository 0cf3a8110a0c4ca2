/** Encodes DNS queries, and matches and parses their replies. */
import { randomInt } from 'node:crypto';
import { MalformedError, MessageReader } from './message-reader.ts';
import { formatType, type RecordData, readRecordData, typeCode } from './record-data.ts';
import type { RecordType } from './types.ts';

const HEADER = 12;
const RECURSION_DESIRED = 0x0100;
/** The UDP payload size that rarely needs fragmentation (DNS flag day 2020). */
const EDNS_PAYLOAD = 1232;
const CLASS_IN = 1;
/** The type of the pseudo record of EDNS. */
const OPT = 41;
const QTYPE_AND_CLASS = 4;
const FORMERR = 1;
const SERVFAIL = 2;
const NOTIMP = 4;
const REFUSED = 5;
/** The response codes that servers may send with only a header. */
const BARE_REFUSALS: readonly number[] = [FORMERR, SERVFAIL, NOTIMP, REFUSED];

/** An encoded query. */
export interface Query {
  readonly message: Buffer;
  /** Offset of the end of the question section. */
  readonly questionEnd: number;
}

/** A record of an answer section. */
export interface AnswerRecord extends RecordData {
  /** The owner: in lower case, with a final dot. */
  readonly name: string;
  /** The name of the type, or `TYPE46`. */
  readonly type: string;
  /** The name of the class, or `CLASS4`. */
  readonly class: string;
  /** Seconds. */
  readonly ttl: number;
}

/** A decoded reply. */
export interface Reply {
  /** The received bytes. */
  readonly message: Buffer;
  /** The flags of the header, with opcode and response code. */
  readonly flags: number;
  readonly answers: readonly AnswerRecord[];
  /** All twelve bits; EDNS has the upper eight. */
  readonly rcode: number;
  readonly hasEdns: boolean;
}

/** Encodes a query with a random ID, recursion desired, and EDNS(0) unless `edns` is false. */
export function writeQuery(name: string, type: RecordType, edns = true): Query {
  const header = uint16s(randomInt(0x10000), RECURSION_DESIRED, 1, 0, 0, edns ? 1 : 0);
  const labels = name === '' ? [] : name.split('.');
  const question = [
    ...labels.map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1')),
    Buffer.of(0),
    uint16s(typeCode(type), CLASS_IN),
  ];
  // The root, the type, the payload, no extended response code, version 0, no flags, no options.
  const opt = edns ? [Buffer.of(0), uint16s(OPT, EDNS_PAYLOAD, 0, 0, 0)] : [];
  const beforeOpt = Buffer.concat([header, ...question]);
  return { message: Buffer.concat([beforeOpt, ...opt]), questionEnd: beforeOpt.length };
}

function uint16s(...numbers: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * numbers.length);
  for (const [at, number] of numbers.entries()) bytes.writeUInt16BE(number, 2 * at);
  return bytes;
}

/** Returns why a message does not answer the query; undefined if it does. Examines only header and question. */
export function findMismatch(query: Query, message: Buffer): string | undefined {
  if (message.length < HEADER) return 'shorter than a DNS header';
  if (message.readUInt16BE(0) !== query.message.readUInt16BE(0)) return 'a different ID';
  const flags = message.readUInt16BE(2);
  if ((flags & 0x8000) === 0) return 'not a reply';
  if ((flags & 0x7800) !== 0) return 'a different opcode';
  const questions = message.readUInt16BE(4);
  if (questions === 0 && BARE_REFUSALS.includes(flags & 0xf)) return undefined;
  if (questions !== 1 || !hasSameQuestion(query, message)) return 'a different question';
  return undefined;
}

/** Compares bytes case-insensitively: length bytes (up to 63) never equal letters (from 65). */
function hasSameQuestion(query: Query, message: Buffer): boolean {
  if (message.length < query.questionEnd) return false;
  for (let at = HEADER; at < query.questionEnd; at += 1) {
    const queryByte = query.message[at];
    const replyByte = message[at];
    if (queryByte !== replyByte && toLowerCase(queryByte) !== toLowerCase(replyByte)) return false;
  }
  return true;
}

function toLowerCase(byte: number | undefined): number {
  if (byte === undefined) return -1;
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
}

/** Returns whether the server truncated its answer, so that it must be queried over TCP. */
export const isTruncated = (message: Buffer): boolean => hasFlag(message.readUInt16BE(2), 'TC');

/** Bits of the header's flags. */
const FLAGS = { TC: 0x0200, RD: RECURSION_DESIRED, RA: 0x80, AD: 0x20, CD: 0x10 } as const;

export const hasFlag = (flags: number, flag: keyof typeof FLAGS): boolean => (flags & FLAGS[flag]) !== 0;

/** Parses a reply; returns undefined for malformed bytes. */
export function parseReply(message: Buffer): Reply | undefined {
  try {
    return parseMessage(message);
  } catch (error) {
    if (error instanceof MalformedError) return undefined;
    throw error;
  }
}

/** Parses a reply. Bytes after the last record are ignored. Throws MalformedError. */
export function parseMessage(message: Buffer): Reply {
  const reader = new MessageReader(message);
  const [, flags = 0, questions = 0, answers = 0, authorities = 0, additionals = 0] = Array.from(
    { length: HEADER / 2 },
    () => reader.uint(2),
  );
  for (let left = questions; left > 0; left -= 1) {
    reader.name();
    reader.bytes(QTYPE_AND_CLASS);
  }
  const records = Array.from({ length: answers + authorities + additionals }, () => readRecord(reader));
  const opt = records.slice(answers + authorities).find(({ code }) => code === OPT);
  // The upper byte of the field that has the TTL in other records.
  const extended = opt === undefined ? 0 : Math.floor(opt.ttl / 2 ** 24) << 4;
  return {
    message,
    flags,
    answers: records.slice(0, answers).filter(({ code }) => code !== OPT),
    rcode: extended | (flags & 0xf),
    hasEdns: opt !== undefined,
  };
}

const CLASSES: Readonly<Record<number, string>> = { [CLASS_IN]: 'IN', 3: 'CH', 4: 'HS' };

function readRecord(reader: MessageReader): AnswerRecord & { readonly code: number } {
  const name = reader.name();
  const code = reader.uint(2);
  const number = reader.uint(2);
  const ttl = reader.uint(4);
  const data = readRecordData(code, reader.slice(reader.uint(2)));
  return { name, code, type: formatType(code), class: CLASSES[number] ?? `CLASS${number}`, ttl, ...data };
}

const RCODES: Readonly<Record<number, string>> = {
  0: 'NOERROR',
  1: 'FORMERR',
  2: 'SERVFAIL',
  3: 'NXDOMAIN',
  4: 'NOTIMP',
  5: 'REFUSED',
  6: 'YXDOMAIN',
  7: 'YXRRSET',
  8: 'NXRRSET',
  9: 'NOTAUTH',
  10: 'NOTZONE',
  16: 'BADVERS',
  23: 'BADCOOKIE',
};

/** Returns the IANA name of a response code, or `RCODE11`. */
export function formatRcode(rcode: number): string {
  return RCODES[rcode] ?? `RCODE${rcode}`;
}

/** Returns whether a server without EDNS refused it as in RFC 6891, section 7. */
export function refusesEdns(reply: Reply): boolean {
  return !reply.hasEdns && (reply.rcode === FORMERR || reply.rcode === NOTIMP);
}
