/** `sonde help locations`: where checks run. */
import { LOCATIONS } from '../../../../src/contract/enumerations.ts';
import { regionOf } from '../../../../src/contract/location-names.ts';
import { type Block, heading, lines, rows, text } from '../../blocks.ts';

export const locations = (): readonly Block[] => [
  text(`A check runs from one or more of ${LOCATIONS.length} public locations, and from private ones.`),
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
      'runs from two locations',
    ],
    ['sonde static-ips', 'the addresses that checks come from, by location'],
  ),
  text(
    'Private locations are named by their slug: --private-locations. --run-parallel runs a check in all its locations at once; without it each run takes the next.',
  ),
];
