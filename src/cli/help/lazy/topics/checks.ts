/** Defines `sonde help assertions`: the syntax of `--assert` and its sources. */
import {
  type API_ASSERTION_SOURCES,
  type DNS_ASSERTION_SOURCES,
  type ICMP_ASSERTION_SOURCES,
  LOCATIONS,
  type TCP_ASSERTION_SOURCES,
} from '../../../../contract/enumerations.ts';
import { regionOf } from '../../../../contract/location-names.ts';
import { COMPARISON_MEANINGS } from '../../../../contract/value-names.ts';
import { type HelpBlock, heading, lines, rows, text } from '../../topics.ts';

type Meanings<S extends readonly string[]> = Readonly<Record<S[number], string>>;

const DNS: Meanings<typeof DNS_ASSERTION_SOURCES> = {
  RESPONSE_CODE: 'Response code: NOERROR, NXDOMAIN, SERVFAIL, …',
  RESPONSE_TIME: 'Response time in milliseconds',
  TEXT_ANSWER: 'Records as text, one per line',
  JSON_ANSWER:
    'Response as JSON: Status, Answer[].name, .type, .TTL, .data; select a part with a JSONPath in parentheses',
};
const HTTP: Meanings<typeof API_ASSERTION_SOURCES> = {
  STATUS_CODE: 'HTTP status code; the only source of URL checks',
  HEADERS: 'Response header, with its name in parentheses',
  JSON_BODY: 'Body as JSON; select a part with a JSONPath in parentheses',
  TEXT_BODY: 'Body as text',
  RESPONSE_TIME: 'Response time in milliseconds',
};
const TCP: Meanings<typeof TCP_ASSERTION_SOURCES> = {
  RESPONSE_TIME: 'Milliseconds until the connection is open and data is received',
  RESPONSE_DATA: 'Received data as text',
};
const ICMP: Meanings<typeof ICMP_ASSERTION_SOURCES> = {
  LATENCY: 'Round-trip time in milliseconds: avg, min, max or stdDev in parentheses',
  PACKET_LOSS: 'Percentage of lost packets',
  JSON_RESPONSE: 'All ping statistics as JSON; select a part with a JSONPath in parentheses',
};

export const assertions = (): readonly HelpBlock[] => [
  text(
    "Write each assertion as --assert 'SOURCE COMPARISON target'; the flag is repeatable. SOURCE and COMPARISON are not case-sensitive. " +
      'If a source has several values, such as several records, the assertion must hold for each of them.',
  ),
  lines(
    ["--assert 'RESPONSE_CODE EQUALS NOERROR'", 'Check that the name exists'],
    ["--assert 'RESPONSE_TIME LESS_THAN 200'", 'Check that the response takes less than 200 ms'],
    ["--assert 'JSON_ANSWER($.Answer[*].data) CONTAINS 192.0.2.'", 'Check that all records are in a network'],
    ["--assert 'JSON_ANSWER($.Answer.length) GREATER_THAN 1'", 'Check that there are at least two records'],
    ["--assert 'HEADERS(content-type) CONTAINS json'", 'Check a response header of an API check'],
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
    'In a file, an assertion can also have a "regex"; sonde then compares its capture. A DNS check without an assertion on RESPONSE_CODE ' +
      'fails on any code except NOERROR.',
  ),
];

export const locations = (): readonly HelpBlock[] => [
  text(`A check runs from one or more of ${LOCATIONS.length} public locations and from private locations.`),
  text(
    'A service started with sonde service start runs all public locations on its own machine. Use agents for real locations: sonde agent start.',
  ),
  heading('Public'),
  rows(
    ...[...new Set(LOCATIONS.map(regionOf))].toSorted().map(
      (region) =>
        [
          region,
          LOCATIONS.filter((location) => regionOf(location) === region)
            .toSorted()
            .join(', '),
        ] as const,
    ),
  ),
  heading('Use'),
  lines(
    [
      'sonde checks create-dns --name "Apex record" --query example.com --locations eu-west-1,us-east-1',
      'Create a check that runs from two locations',
    ],
    ['sonde static-ips', 'List the source addresses of check runs by location'],
  ),
  text(
    'Pass the slugs of private locations to --private-locations. With --run-parallel, each run uses all locations; without it, runs rotate through the locations.',
  ),
];
