/** Formats a DNS answer for display, storage and assertions: JSON, plain text, and the alias chain. */
import type { Answer } from 'dns-packet';
import type { RecordForms } from '../assertions/types.ts';
import { formatRcode, getAnswers, type Reply } from './message.ts';
import type { Question } from './query.ts';

/** One record. Names end with a dot; the strings of a TXT record are joined. */
export interface JsonRecord {
  readonly name: string;
  readonly type: string;
  readonly TTL: number;
  readonly data: string;
}

/** The document of JSON_ANSWER. */
export interface JsonAnswer {
  /** The name of the response code. */
  readonly Status: string;
  readonly TC: boolean;
  readonly RD: boolean;
  readonly RA: boolean;
  readonly AD: boolean;
  readonly CD: boolean;
  readonly Question: readonly { readonly name: string; readonly type: string }[];
  readonly Answer: readonly JsonRecord[];
}

/** An answer in all formats. */
export interface ShapedAnswer {
  readonly json: JsonAnswer;
  /**
   * The answer section as dig prints it, one record per line: name, TTL, class, type and data, separated by tabs. TXT
   * data is quoted, with `"` and `\` escaped; control characters are `\DDD`.
   */
  readonly text: string;
  /** For each record its line and its data (TXT data with and without quotes). */
  readonly records: readonly RecordForms[];
  /** The names from the queried one to the owner of the records. */
  readonly chain: readonly string[];
}

/** Formats a reply with its records in the order of the message. */
export function shapeAnswer(question: Question, reply: Reply): ShapedAnswer {
  const { packet } = reply;
  const queriedName = toAbsoluteName(question.name);
  const json: JsonRecord[] = [];
  const lines: string[] = [];
  const records: RecordForms[] = [];
  for (const record of getAnswers(reply)) {
    if (record.type === 'OPT') continue;
    const data = formatData(record);
    const jsonRecord = {
      name: toAbsoluteName(record.name),
      type: formatType(record.type),
      TTL: record.ttl ?? 0,
      data,
    };
    const lineData = record.type === 'TXT' ? quote(data) : data;
    const line = `${jsonRecord.name}\t${jsonRecord.TTL}\t${record.class ?? 'IN'}\t${jsonRecord.type}\t${lineData}`;
    json.push(jsonRecord);
    lines.push(line);
    records.push({
      forms: lineData === data ? [line, data] : [line, lineData, data],
      ignoreCase: record.type !== 'TXT',
    });
  }
  return {
    json: {
      Status: formatRcode(reply.rcode),
      TC: packet.flag_tc,
      RD: packet.flag_rd,
      RA: packet.flag_ra,
      AD: packet.flag_ad,
      CD: packet.flag_cd,
      Question: [{ name: queriedName, type: question.type }],
      Answer: json,
    },
    text: lines.join('\n'),
    records,
    chain: followAliases(queriedName, json),
  };
}

/** Maximum number of records and bytes that a result stores. */
const MAX_STORED_RECORDS = 200;
const MAX_STORED_BYTES = 64 * 1024;

/** Returns the part of an answer that a result stores, because the server determines its size. */
export function toStoredAnswer({ json, text, chain }: ShapedAnswer) {
  const lines = text.split('\n');
  let bytes = 0;
  const cutAt = lines.findIndex((line, index) => {
    // JSON needs six bytes for a control character.
    bytes += Buffer.byteLength(JSON.stringify(line));
    return index === MAX_STORED_RECORDS || bytes > MAX_STORED_BYTES;
  });
  const { length: recordCount } = json.Answer;
  if (cutAt < 0) return { response: json, text, chain, recordCount, recordsLeftOut: 0 };
  const recordsLeftOut = recordCount - cutAt;
  return {
    response: { ...json, Answer: json.Answer.slice(0, cutAt) },
    text: [...lines.slice(0, cutAt), `; ${recordsLeftOut} more records are not stored`].join('\n'),
    chain: chain.slice(0, cutAt + 1),
    recordCount,
    recordsLeftOut,
  };
}

/** Follows CNAME records case-insensitively and stops at a loop. */
function followAliases(queriedName: string, records: readonly JsonRecord[]): string[] {
  const aliases = new Map<string, string>();
  for (const record of records) {
    if (record.type === 'CNAME') aliases.set(record.name.toLowerCase(), record.data);
  }
  const chain = [queriedName];
  let next = aliases.get(queriedName.toLowerCase());
  while (next !== undefined && chain.length <= aliases.size) {
    chain.push(next);
    next = aliases.get(next.toLowerCase());
  }
  return chain;
}

function formatData(record: Exclude<Answer, { type: 'OPT' }>): string {
  switch (record.type) {
    case 'CNAME':
    case 'DNAME':
    case 'NS':
    case 'PTR':
      return toAbsoluteName(record.data);
    case 'TXT':
      return joinText(record.data);
    case 'MX':
      return `${record.data.preference ?? 0} ${toAbsoluteName(record.data.exchange)}`;
    case 'SOA': {
      const { mname, rname, serial, refresh, retry, expire, minimum } = record.data;
      const numbers = [serial, refresh, retry, expire, minimum].map((number) => number ?? 0);
      return [toAbsoluteName(mname), toAbsoluteName(rname), ...numbers].join(' ');
    }
    default:
      return formatOtherData(record.data);
  }
}

/** Formats data of types that a check cannot query but a server may add; unknown types as in RFC 3597. */
function formatOtherData(data: unknown): string {
  if (typeof data === 'string') return data;
  if (Buffer.isBuffer(data)) return `\\# ${data.length} ${data.toString('hex')}`.trimEnd();
  return Object.values(data ?? {})
    .map((field: unknown) => (Buffer.isBuffer(field) ? field.toString('base64') : String(field)))
    .join(' ');
}

function joinText(data: string | Buffer | readonly (string | Buffer)[]): string {
  if (typeof data === 'string') return data;
  if (Buffer.isBuffer(data)) return data.toString('utf8');
  // Joins bytes, because a character may span two strings.
  return Buffer.concat(data.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))).toString(
    'utf8',
  );
}

function quote(text: string): string {
  return `"${escapeControls(text.replaceAll(/["\\]/g, '\\$&'))}"`;
}

function toAbsoluteName(name: string): string {
  const escaped = escapeControls(name.replaceAll(' ', '\\032'));
  return escaped === '' || escaped === '.' ? '.' : `${escaped}.`;
}

/** Escapes control characters like zone files, so that a record stays on its line. */
function escapeControls(text: string): string {
  return text.replaceAll(/\p{Cc}|[\u2028\u2029]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `\\${String(byte).padStart(3, '0')}`).join(''),
  );
}

/** Converts the decoder's `UNKNOWN_65` to `TYPE65` of RFC 3597. */
function formatType(type: string): string {
  return type.replace(/^UNKNOWN_/, 'TYPE');
}
