/** The shape in which an answer is shown, stored and asserted on: JSON, plain text, the chain of aliases. */
import type { Answer } from 'dns-packet';
import type { RecordForms } from '../assertions/types.ts';
import { answersOf, type Reply, rcodeName } from './message.ts';
import type { Question } from './query.ts';

/** One record. Names end with their dot; a text record's strings are joined, as its readers join them. */
export interface JsonRecord {
  readonly name: string;
  readonly type: string;
  readonly TTL: number;
  readonly data: string;
}

/** What JSON_ANSWER looks at. */
export interface JsonAnswer {
  /** The response code's name. */
  readonly Status: string;
  readonly TC: boolean;
  readonly RD: boolean;
  readonly RA: boolean;
  readonly AD: boolean;
  readonly CD: boolean;
  readonly Question: readonly { readonly name: string; readonly type: string }[];
  readonly Answer: readonly JsonRecord[];
}

/** An answer in all its forms. */
export interface ShapedAnswer {
  readonly json: JsonAnswer;
  /**
   * The answer section as dig prints it, one record a line: name, TTL, class, type and data, with one tab between
   * them. A text record's joined strings stand in quotes with `"` and `\` escaped; control characters are `\DDD`.
   */
  readonly text: string;
  /** For each record: its line, and its data alone (a text record's data with and without quotes). */
  readonly records: readonly RecordForms[];
  /** The names from the one asked for to the one that owns the records; a single one where there is no alias. */
  readonly chain: readonly string[];
}

/** Shapes a reply, every record of it in the order of the message. */
export function shape(question: Question, reply: Reply): ShapedAnswer {
  const { packet } = reply;
  const asked = absolute(question.name);
  const json: JsonRecord[] = [];
  const lines: string[] = [];
  const records: RecordForms[] = [];
  for (const record of answersOf(reply)) {
    if (record.type === 'OPT') continue;
    const data = dataOf(record);
    const shown = { name: absolute(record.name), type: typeName(record.type), TTL: record.ttl ?? 0, data };
    const written = record.type === 'TXT' ? quoted(data) : data;
    const line = `${shown.name}\t${shown.TTL}\t${record.class ?? 'IN'}\t${shown.type}\t${written}`;
    json.push(shown);
    lines.push(line);
    records.push({
      forms: written === data ? [line, data] : [line, written, data],
      ignoreCase: record.type !== 'TXT',
    });
  }
  return {
    json: {
      Status: rcodeName(reply.rcode),
      TC: packet.flag_tc,
      RD: packet.flag_rd,
      RA: packet.flag_ra,
      AD: packet.flag_ad,
      CD: packet.flag_cd,
      Question: [{ name: asked, type: question.type }],
      Answer: json,
    },
    text: lines.join('\n'),
    records,
    chain: chainOf(asked, json),
  };
}

/** How much of an answer a result stores: records, and bytes of their lines. */
const STORED_RECORDS = 200;
const STORED_BYTES = 64 * 1024;

/** Returns the part of an answer that a result stores: the server decides how many records an answer has. */
export function stored({ json, text, chain }: ShapedAnswer) {
  const lines = text.split('\n');
  let bytes = 0;
  const beyond = lines.findIndex((line, place) => {
    // As JSON has it: a control character takes six bytes.
    bytes += Buffer.byteLength(JSON.stringify(line));
    return place === STORED_RECORDS || bytes > STORED_BYTES;
  });
  const { length: recordCount } = json.Answer;
  if (beyond < 0) return { response: json, text, chain, recordCount, recordsLeftOut: 0 };
  const recordsLeftOut = recordCount - beyond;
  return {
    response: { ...json, Answer: json.Answer.slice(0, beyond) },
    text: [...lines.slice(0, beyond), `; ${recordsLeftOut} more records are not stored`].join('\n'),
    chain: chain.slice(0, beyond + 1),
    ...{ recordCount, recordsLeftOut },
  };
}

/** Follows CNAME records by their names, without their case, and stops at a loop. */
function chainOf(asked: string, records: readonly JsonRecord[]): string[] {
  const aliases = new Map<string, string>();
  for (const record of records) {
    if (record.type === 'CNAME') aliases.set(record.name.toLowerCase(), record.data);
  }
  const chain = [asked];
  let next = aliases.get(asked.toLowerCase());
  while (next !== undefined && chain.length <= aliases.size) {
    chain.push(next);
    next = aliases.get(next.toLowerCase());
  }
  return chain;
}

function dataOf(record: Exclude<Answer, { type: 'OPT' }>): string {
  switch (record.type) {
    case 'CNAME':
    case 'DNAME':
    case 'NS':
    case 'PTR':
      return absolute(record.data);
    case 'TXT':
      return textOf(record.data);
    case 'MX':
      return `${record.data.preference ?? 0} ${absolute(record.data.exchange)}`;
    case 'SOA': {
      const { mname, rname, serial, refresh, retry, expire, minimum } = record.data;
      const numbers = [serial, refresh, retry, expire, minimum].map((number) => number ?? 0);
      return [absolute(mname), absolute(rname), ...numbers].join(' ');
    }
    default:
      return plain(record.data);
  }
}

/** The data of types that a check cannot ask for, yet a server may add: unknown ones as RFC 3597 writes them. */
function plain(data: unknown): string {
  if (typeof data === 'string') return data;
  if (Buffer.isBuffer(data)) return `\\# ${data.length} ${data.toString('hex')}`.trimEnd();
  return Object.values(data ?? {})
    .map((field: unknown) => (Buffer.isBuffer(field) ? field.toString('base64') : String(field)))
    .join(' ');
}

function textOf(data: string | Buffer | readonly (string | Buffer)[]): string {
  if (typeof data === 'string') return data;
  if (Buffer.isBuffer(data)) return data.toString('utf8');
  // Joined as bytes: a character may lie across two strings.
  return Buffer.concat(data.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))).toString(
    'utf8',
  );
}

function quoted(text: string): string {
  return `"${escaped(text.replaceAll(/["\\]/g, '\\$&'))}"`;
}

function absolute(name: string): string {
  const shown = escaped(name.replaceAll(' ', '\\032'));
  return shown === '' || shown === '.' ? '.' : `${shown}.`;
}

/** Control characters in decimal, as zone files write them: no record may break out of its line. */
function escaped(text: string): string {
  return text.replaceAll(/\p{Cc}|[\u2028\u2029]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `\\${String(byte).padStart(3, '0')}`).join(''),
  );
}

/** `UNKNOWN_65` is what the decoder calls a type it does not know; RFC 3597 calls it `TYPE65`. */
function typeName(type: string): string {
  return type.replace(/^UNKNOWN_/, 'TYPE');
}
