/** `sonde help assertions`: how `--assert` is written, and what its words mean. */
import type { DNS_ASSERTION_SOURCES } from '../../../../src/contract/enumerations.ts';
import { COMPARISON_MEANINGS } from '../../../../src/contract/value-names.ts';
import { type Block, heading, lines, rows, text } from '../../blocks.ts';

const SOURCES: Readonly<Record<(typeof DNS_ASSERTION_SOURCES)[number], string>> = {
  RESPONSE_CODE: 'The code of the answer: NOERROR, NXDOMAIN, SERVFAIL, …',
  RESPONSE_TIME: 'Milliseconds until the answer',
  TEXT_ANSWER: 'The records as text, a line each',
  JSON_ANSWER:
    'The answer as JSON: Status, Answer[].name, .type, .TTL, .data; a JSONPath in brackets picks from it',
};

export const assertions = (): readonly Block[] => [
  text(
    "--assert 'SOURCE COMPARISON target', once for each. Upper and lower case are alike in SOURCE and COMPARISON. With several values, as of " +
      'several records, an assertion must hold for every one of them.',
  ),
  lines(
    ["--assert 'RESPONSE_CODE EQUALS NOERROR'", 'the name is there'],
    ["--assert 'RESPONSE_TIME LESS_THAN 200'", 'the answer came within 200 ms'],
    ["--assert 'JSON_ANSWER($.Answer[*].data) CONTAINS 192.0.2.'", 'all records lie in this network'],
    ["--assert 'JSON_ANSWER($.Answer.length) GREATER_THAN 1'", 'there are at least two'],
  ),
  heading('Sources of a DNS check'),
  rows(...Object.entries(SOURCES)),
  heading('Comparisons'),
  rows(...Object.entries(COMPARISON_MEANINGS)),
  text(
    'In a file an assertion may also have a "regex": what it captures is compared. Where no assertion speaks of RESPONSE_CODE, anything but NOERROR ' +
      'fails the check.',
  ),
];
