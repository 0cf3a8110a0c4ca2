/** Endpoints that describe the service: its runtimes, public locations and source addresses. */
import * as platform from '../resources/platform.ts';
import { array, string } from '../schema.ts';
import { define } from './define.ts';

const runtimes = { resource: 'runtimes' } as const;
export const listRuntimes = define({
  ...runtimes,
  name: 'listRuntimes',
  method: 'GET',
  path: '/v1/runtimes',
  summary: 'List the installed runtimes of scripts, with the packages that scripts can import',
  response: array(platform.runtime, 'Runtimes, newest first'),
});
export const getRuntime = define({
  ...runtimes,
  name: 'getRuntime',
  method: 'GET',
  path: '/v1/runtimes/{id}',
  summary: 'Get an installed runtime',
  params: { id: string('ID of the runtime, such as 2026.04') },
  response: platform.runtime,
});

export const listLocations = define({
  name: 'listLocations',
  method: 'GET',
  path: '/v1/locations',
  summary: 'List the public locations',
  resource: 'locations',
  response: array(platform.publicLocation, 'Public locations'),
});

const addresses = { resource: 'static addresses', method: 'GET' } as const;
export const listStaticIps = define({
  ...addresses,
  name: 'listStaticIps',
  path: '/v1/static-ips',
  summary: 'List the source IPv4 addresses of check runs',
  response: platform.addressList,
});
export const getStaticIpsText = define({
  ...addresses,
  name: 'getStaticIpsText',
  path: '/v1/static-ips.txt',
  summary: 'Get the source IPv4 addresses of check runs as text',
  response: platform.addressFile,
  file: 'text/plain',
});
export const listStaticIpv6s = define({
  ...addresses,
  name: 'listStaticIpv6s',
  path: '/v1/static-ipv6s',
  summary: 'List the source IPv6 networks of check runs',
  response: platform.networkList,
});
export const getStaticIpv6sText = define({
  ...addresses,
  name: 'getStaticIpv6sText',
  path: '/v1/static-ipv6s.txt',
  summary: 'Get the source IPv6 networks of check runs as text',
  response: platform.addressFile,
  file: 'text/plain',
});
export const listStaticIpv6sByRegion = define({
  ...addresses,
  name: 'listStaticIpv6sByRegion',
  path: '/v1/static-ipv6s-by-region',
  summary: 'List the source IPv6 networks of check runs by region',
  response: platform.networksByRegion,
});
