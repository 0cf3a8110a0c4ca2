/** Defines `sonde help assertions`: the syntax of `--assert` and its sources. */

import { CHECK_TYPE_NAMES, type CheckType } from '../../../contract/check-type-facts.ts';
import { LOCATIONS } from '../../../contract/enumerations.ts';
import { ASSERTION_SOURCES, CHECK_TYPES } from '../../../contract/generated/check-types.js';
import { regionOf } from '../../../contract/location-names.ts';
import { COMPARISON_MEANINGS } from '../../../contract/value-names.ts';
import { type HelpBlock, heading, lines, rows, text } from '../topics.ts';

/** The types in the order of the topic; others follow. URL checks share the source of API checks. */
const ORDER: readonly CheckType[] = ['DNS', 'API', 'TCP', 'ICMP'];

const sourcesOf = (type: CheckType): readonly HelpBlock[] => {
  const described = Object.entries(ASSERTION_SOURCES[type]).flatMap(([source, { help }]) =>
    help === undefined ? [] : [[source, help] as const],
  );
  const { article, label } = CHECK_TYPES[type];
  return described.length === 0 ? [] : [heading(`Sources of ${article} ${label} check`), rows(...described)];
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
  ...[...new Set([...ORDER, ...CHECK_TYPE_NAMES])].flatMap(sourcesOf),
  heading('Comparisons'),
  rows(...Object.entries(COMPARISON_MEANINGS)),
  text(
    'In a file, an assertion can also have a "regex"; sonde then compares its capture. A DNS check without an assertion on RESPONSE_CODE ' +
      'fails on any code except NOERROR. Without assertions on the answer, it also fails without a record of the type.',
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
