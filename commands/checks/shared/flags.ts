/** Names the flags of nested check fields, for create and update. */

/** Flags of HTTP requests, for URL and API checks. */
export const HTTP_FLAGS = {
  'request.url': 'url',
  'request.method': 'method',
  'request.followRedirects': 'follow-redirects',
  'request.skipSSL': 'skip-ssl',
  'request.ipFamily': 'ip-family',
  'request.assertions': 'assert',
} as const;

export const API_FLAGS = {
  ...HTTP_FLAGS,
  'request.headers': 'header',
  'request.queryParameters': 'query-parameter',
  'request.body': 'body',
  'request.bodyType': 'body-type',
  'request.basicAuth.username': 'username',
  'request.basicAuth.password': 'password',
} as const;

export const TCP_FLAGS = {
  'request.hostname': 'hostname',
  'request.port': 'port',
  'request.data': 'data',
  'request.ipFamily': 'ip-family',
  'request.assertions': 'assert',
} as const;

export const ICMP_FLAGS = {
  'request.hostname': 'hostname',
  'request.pingCount': 'ping-count',
  'request.ipFamily': 'ip-family',
  'request.assertions': 'assert',
} as const;

export const DNS_FLAGS = {
  'request.query': 'query',
  'request.recordType': 'record-type',
  'request.nameServer': 'name-server',
  'request.port': 'port',
  'request.protocol': 'protocol',
  'request.assertions': 'assert',
} as const;

export const HEARTBEAT_FLAGS = {
  'heartbeat.period': 'period',
  'heartbeat.periodUnit': 'period-unit',
  'heartbeat.grace': 'grace',
  'heartbeat.graceUnit': 'grace-unit',
} as const;

export const AGENTIC_FLAGS = { 'agentRuntime.skills': 'skills' } as const;
