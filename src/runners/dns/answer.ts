/** Formats a DNS answer for display, storage and assertions: JSON, plain text, and the alias chain. */
import { type Resolution, resolveAliases } from './aliases.ts';
import { type AnswerRecord, formatRcode, hasFlag, type Reply } from './message.ts';
import type { Question } from './query.ts';
import { type AnswerTextRules, createTextRules } from './text-rules.ts';

/** One record. Names are in lower case and end with a dot; the strings of a TXT record are joined. */
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
   * data is quoted, with `"` and `\` escaped; bytes that are not printable ASCII are `\DDD`.
   */
  readonly text: string;
  /** How the text, the values of the JSON document and parts of both compare. */
  readonly rules: AnswerTextRules;
  /** The names from the queried one to the owner of the records. */
  readonly chain: readonly string[];
  /** Why the answer has no record for the question; undefined if it has one. */
  readonly fault: string | undefined;
}

/** Formats a reply with its records in the order of the message. */
export function shapeAnswer(question: Question, { answers, flags, rcode }: Reply): ShapedAnswer {
  const lines = answers.map((record) => ({ start: startLine(record), record }));
  const text = lines.map(({ start, record }) => `${start}${record.spellings[0]}`).join('\n');
  const { chain, fault }: Resolution = resolveAliases(question, answers);
  return {
    json: {
      Status: formatRcode(rcode),
      TC: hasFlag(flags, 'TC'),
      RD: hasFlag(flags, 'RD'),
      RA: hasFlag(flags, 'RA'),
      AD: hasFlag(flags, 'AD'),
      CD: hasFlag(flags, 'CD'),
      Question: [{ name: chain[0] ?? '.', type: question.type }],
      Answer: answers.map((record) => ({
        name: record.name,
        type: record.type,
        TTL: record.ttl,
        data: record.plain ?? record.spellings[0],
      })),
    },
    text,
    rules: createTextRules(lines, text),
    chain,
    fault,
  };
}

const startLine = (record: AnswerRecord): string =>
  `${record.name}\t${record.ttl}\t${record.class}\t${record.type}\t`;

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
