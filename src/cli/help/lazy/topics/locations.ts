/** Defines `sonde help locations`: the locations that checks run from. */
import { LOCATIONS } from '../../../../contract/enumerations.ts';
import { regionOf } from '../../../../contract/location-names.ts';
import { type HelpBlock, heading, lines, rows, text } from '../../blocks.ts';

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
