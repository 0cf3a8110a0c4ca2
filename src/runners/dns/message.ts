/** Encodes DNS queries, and matches and parses their replies. */
import { randomInt } from 'node:crypto';
import { domainToASCII } from 'node:url';
import { type Answer, type DecodedPacket, decode, encode } from 'dns-packet';
import { CannotRun } from '../types.ts';
import type { RecordType } from './types.ts';

const HEADER = 12;
const RECURSION_DESIRED = 0x0100;
/** The UDP payload size that rarely needs fragmentation (DNS flag day 2020). */
const EDNS_PAYLOAD = 1232;
const MAX_NAME_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;
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

/** A decoded reply. */
export interface Reply {
  /** The received bytes. */
  readonly message: Buffer;
  readonly packet: DecodedPacket;
  /** All twelve bits; EDNS has the upper eight. */
  readonly rcode: number;
  readonly hasEdns: boolean;
}

/**
 * Returns the name for the query: without a final dot, international labels in ASCII. Throws CannotRun for an invalid
 * name.
 */
export function toWireName(query: string): string {
  const trimmed = query.trim();
  const ascii = isAscii(trimmed) ? trimmed : domainToASCII(trimmed);
  if (ascii === '') throw new CannotRun(`${JSON.stringify(query)} is not a valid DNS name`);
  const name = ascii.endsWith('.') ? ascii.slice(0, -1) : ascii;
  if (name === '') return '';
  if (name.length > MAX_NAME_LENGTH) {
    throw new CannotRun(`the name ${name} is longer than ${MAX_NAME_LENGTH} characters, the limit of DNS`);
  }
  for (const label of name.split('.')) {
    if (label === '') throw new CannotRun(`the name ${name} has an empty label`);
    if (label.length > MAX_LABEL_LENGTH) {
      throw new CannotRun(
        `the label ${label} is longer than ${MAX_LABEL_LENGTH} characters, the limit of DNS`,
      );
    }
  }
  return name;
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}

/** Encodes a query with a random ID, recursion desired, and EDNS(0) unless `edns` is false. */
export function writeQuery(name: string, type: RecordType, edns = true): Query {
  const message = encode({
    type: 'query',
    id: randomInt(0x10000),
    flags: RECURSION_DESIRED,
    questions: [{ type, name: name === '' ? '.' : name }],
    additionals: edns
      ? [
          {
            type: 'OPT',
            name: '.',
            udpPayloadSize: EDNS_PAYLOAD,
            extendedRcode: 0,
            ednsVersion: 0,
            flags: 0,
            flag_do: false,
            options: [],
          },
        ]
      : [],
  });
  const nameBytes = name === '' ? 1 : name.length + 2;
  return { message, questionEnd: HEADER + nameBytes + QTYPE_AND_CLASS };
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
export function isTruncated(message: Buffer): boolean {
  return (message.readUInt16BE(2) & 0x0200) !== 0;
}

/** Parses a reply; returns undefined for malformed bytes. */
export function parseReply(message: Buffer): Reply | undefined {
  const end = findRecordsEnd(message);
  if (end === undefined) return undefined;
  try {
    const packet = decode(message);
    // The decoder trusts the content of some records more than their length; if they differ, the rest is invalid.
    if (decode.bytes !== end) return undefined;
    const opt = packet.additionals?.find((record) => record.type === 'OPT');
    const extended = opt?.type === 'OPT' ? opt.extendedRcode << 4 : 0;
    return { message, packet, rcode: extended | (message.readUInt16BE(2) & 0xf), hasEdns: opt !== undefined };
  } catch {
    return undefined;
  }
}

/** Returns the end of the last record by its length; undefined if it is beyond the message. */
function findRecordsEnd(message: Buffer): number | undefined {
  let at = HEADER;
  for (let left = message.readUInt16BE(4); left > 0; left -= 1) {
    at = findNameEnd(message, at) + QTYPE_AND_CLASS;
    if (at > message.length) return undefined;
  }
  let records = message.readUInt16BE(6) + message.readUInt16BE(8) + message.readUInt16BE(10);
  for (; records > 0; records -= 1) {
    const fixed = findNameEnd(message, at);
    if (fixed + 10 > message.length) return undefined;
    at = fixed + 10 + message.readUInt16BE(fixed + 8);
    if (at > message.length) return undefined;
  }
  return at;
}

/** Returns Infinity if the name exceeds the message. */
function findNameEnd(message: Buffer, start: number): number {
  let at = start;
  for (;;) {
    const length = message[at];
    if (length === undefined) return Number.POSITIVE_INFINITY;
    if (length === 0) return at + 1;
    if (length >= 0xc0) return at + 2;
    at += 1 + length;
  }
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

/** Returns the records of the answer section. */
export function getAnswers(reply: Reply): readonly Answer[] {
  return reply.packet.answers ?? [];
}
