/** `sonde help assertions`: how `--assert` is written, and what its words mean. */
import type {
  API_ASSERTION_SOURCES,
  DNS_ASSERTION_SOURCES,
  ICMP_ASSERTION_SOURCES,
  TCP_ASSERTION_SOURCES,
} from '../../../../src/contract/enumerations.ts';
import { COMPARISON_MEANINGS } from '../../../../src/contract/value-names.ts';
import { type Block, heading, lines, rows, text } from '../../blocks.ts';

type Meanings<S extends readonly string[]> = Readonly<Record<S[number], string>>;

const DNS: Meanings<typeof DNS_ASSERTION_SOURCES> = {
  RESPONSE_CODE: 'The code of the answer: NOERROR, NXDOMAIN, SERVFAIL, …',
  RESPONSE_TIME: 'Milliseconds until the answer',
  TEXT_ANSWER: 'The records as text, a line each',
  JSON_ANSWER:
    'The answer as JSON: Status, Answer[].name, .type, .TTL, .data; a JSONPath in brackets picks from it',
};
const HTTP: Meanings<typeof API_ASSERTION_SOURCES> = {
  STATUS_CODE: 'The status of the answer; URL checks look at it alone',
  HEADERS: 'A header of the answer, named in brackets',
  JSON_BODY: 'The body as JSON; a JSONPath in brackets picks from it',
  TEXT_BODY: 'The body as text',
  RESPONSE_TIME: 'Milliseconds until the answer was there',
};
const TCP: Meanings<typeof TCP_ASSERTION_SOURCES> = {
  RESPONSE_TIME: 'Milliseconds until the connection stood and something was received',
  RESPONSE_DATA: 'What was received, as text',
};
const ICMP: Meanings<typeof ICMP_ASSERTION_SOURCES> = {
  LATENCY: 'Milliseconds until a reply: avg, min, max or stdDev, in brackets',
  PACKET_LOSS: 'The percentage of packets that were lost',
  JSON_RESPONSE: 'All that is known of the replies as JSON; a JSONPath in brackets picks from it',
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
    ["--assert 'HEADERS(content-type) CONTAINS json'", 'a header of the answer to an API check'],
  ),
  heading('Sources of a DNS check'),
  rows(...Object.entries(DNS)),
  heading('Sources of an API check'),
  rows(...Object.entries(HTTP)),
  heading('Sources of a TCP check'),
  rows(...Object.entries(TCP)),
  heading('Sources of an ICMP check'),
  rows(...Object.entries(ICMP)),
  heading('Comparisons'),
  rows(...Object.entries(COMPARISON_MEANINGS)),
  text(
    'In a file an assertion may also have a "regex": what it captures is compared. Where no assertion of a DNS check speaks of RESPONSE_CODE, anything but ' +
      'NOERROR fails it.',
  ),
];
