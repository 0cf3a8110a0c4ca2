/** Schemas of what the service itself offers: runtimes, locations and source addresses. */
import { RUNTIME_IDS } from '../enumerations.ts';
import { array, boolean, open, openOneOf, optional, string, Type } from '../schema.ts';

const byName = <T>(items: object, description: string) =>
  Type.Unsafe<Record<string, T>>({ type: 'object', additionalProperties: items, description });

export const runtime = open(
  {
    name: openOneOf(RUNTIME_IDS, 'ID of the runtime, as in runtimeId of checks and groups'),
    stage: optional(
      openOneOf(
        ['ALPHA', 'BETA', 'CURRENT', 'DEPRECATED', 'REMOVED', 'STABLE'],
        'CURRENT: used by checks without a runtimeId; STABLE: installed beside it',
      ),
    ),
    description: optional(string('Versions of Node.js and Playwright')),
    multiStepSupport: boolean('Whether multi-step checks can use it'),
    nodeJsVersion: string('Version of Node.js'),
    dependencies: byName<string>({ type: 'string' }, 'Versions of the packages that scripts can import'),
  },
  { title: 'Runtime' },
);

export const publicLocation = open(
  {
    region: string('Code of the location, as in locations of checks and groups'),
    name: string('Name of the location'),
  },
  { title: 'PublicLocation' },
);

export const addressList = array(string('IPv4 address', { format: 'ipv4' }), 'Source addresses of checks');
export const networkList = array(
  string('IPv6 network in CIDR notation; /128: a single address'),
  'Source networks of checks',
);
export const networksByRegion = byName<string[]>(
  { type: 'array', items: { type: 'string' } },
  'IPv6 networks in CIDR notation by region',
);
/** A text file. */
export const addressFile = Type.Unsafe<Uint8Array>({
  type: 'string',
  contentEncoding: 'binary',
  description: 'One address or network per line',
});
