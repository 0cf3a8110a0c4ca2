/** Describes what changed between the last good result of a check and a failed one, one sentence a line. Pure. */
import { formatLongDuration } from '../../../base/format-duration.ts';
import { isObject, type JsonObject } from '../../../base/object.ts';
import { oneLine } from '../../../base/sanitize.ts';
import { formatSize } from '../../../base/size.ts';

/** Details of results, without secrets, as runners store them. Those of agents are untrusted. */
export interface ComparedResults {
  readonly good: JsonObject;
  readonly failed: JsonObject;
}

const MAX_CHANGES = 3;
const MAX_VALUE_LENGTH = 120;
/** Headers that often explain a failure. Headers that assertions read count too. */
const HEADERS = ['server', 'location', 'content-type'];
/** A phase counts as slow if it takes this many times as long, and this much longer in ms. */
const SLOWER = { factor: 2, ms: 100 };
/** A body counts as changed if its size differs by this share. */
const BODY_SHARE = 0.1;

const PHASE_NAMES: Readonly<Record<string, string>> = {
  dns: 'the DNS lookup',
  connect: 'the connection',
  tls: 'the TLS handshake',
  firstByte: 'the wait for the first byte',
  download: 'the download',
  data: 'the data',
};

type Describe = (results: ComparedResults) => string | undefined;

/** Returns the value at a path; undefined if there is none. */
const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((found, name) => (isObject(found) ? found[name] : undefined), value);

function quote(value: unknown): string {
  const text = oneLine(typeof value === 'string' ? value : JSON.stringify(value ?? null));
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH - 1)}…` : text;
}

/** Describes the change of a value that both results have. */
const describeValue =
  (label: string, read: (details: JsonObject) => unknown): Describe =>
  ({ good, failed }) => {
    const [before, after] = [read(good), read(failed)];
    if (before == null || after == null || quote(before) === quote(after)) return undefined;
    return `${label} changed from ${quote(before)} to ${quote(after)}`;
  };

/** Returns the data of DNS records in a fixed order, because servers rotate them. */
function recordsOf(details: JsonObject): string | undefined {
  const answer = at(details, 'dns', 'response', 'Answer');
  if (!Array.isArray(answer)) return undefined;
  const data = answer.map((record: unknown) => String(at(record, 'data') ?? '')).sort();
  return data.length === 0 ? 'nothing' : data.join(', ');
}

interface Certificate {
  readonly issuer: unknown;
  readonly fingerprint: unknown;
  readonly validTo: unknown;
}

/** Returns the certificate of an HTTP check or of an SSL check. */
function certificateOf(details: JsonObject): Certificate | undefined {
  const tls = at(details, 'tls');
  if (isObject(tls)) return { issuer: tls.issuer, fingerprint: tls.fingerprint, validTo: tls.validTo };
  const certificate = at(details, 'response', 'certificate');
  if (!isObject(certificate)) return undefined;
  const { issuerCN: issuer, fingerprintSha256: fingerprint, validTo } = certificate;
  return { issuer, fingerprint, validTo };
}

const describeCertificate: Describe = ({ good, failed }) => {
  const [before, after] = [certificateOf(good), certificateOf(failed)];
  if (!before?.fingerprint || !after?.fingerprint || before.fingerprint === after.fingerprint)
    return undefined;
  const issuer =
    quote(before.issuer) === quote(after.issuer)
      ? `still issued by ${quote(after.issuer)}`
      : `issued by ${quote(after.issuer)} instead of ${quote(before.issuer)}`;
  const until = typeof after.validTo === 'string' ? `, valid until ${after.validTo.slice(0, 10)}` : '';
  return `the certificate changed: ${issuer}${until}`;
};

/** Returns the names of headers that assertions of the failed result read, in lower case. */
function assertedHeaders({ assertions }: JsonObject): readonly string[] {
  if (!Array.isArray(assertions)) return [];
  return assertions.flatMap((assertion: unknown) =>
    at(assertion, 'source') === 'HEADERS' ? String(at(assertion, 'property') ?? '').toLowerCase() : [],
  );
}

function headerOf(details: JsonObject, name: string): unknown {
  const headers = at(details, 'response', 'headers');
  if (!isObject(headers)) return undefined;
  return Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
}

const describeHeaders: Describe = (results) => {
  for (const name of new Set([...assertedHeaders(results.failed), ...HEADERS])) {
    const change = describeValue(`the header ${name}`, (details) => headerOf(details, name))(results);
    if (change !== undefined) return change;
  }
  return undefined;
};

/** Whether a failed assertion reads the body. */
const readsBody = ({ assertions }: JsonObject): boolean =>
  Array.isArray(assertions) &&
  assertions.some(
    (assertion: unknown) =>
      at(assertion, 'passed') === false &&
      ['TEXT_BODY', 'JSON_BODY', 'RESPONSE_DATA'].includes(String(at(assertion, 'source'))),
  );

/** Describes the body by its size. A body of the same size counts only if an assertion on it failed: many contain times. */
const describeBody: Describe = ({ good, failed }) => {
  const [before, after] = [at(good, 'response', 'bytes'), at(failed, 'response', 'bytes')];
  if (typeof before !== 'number' || typeof after !== 'number') return undefined;
  if (Math.abs(after - before) > BODY_SHARE * Math.max(before, after))
    return `the body has ${formatSize(after)} instead of ${formatSize(before)}`;
  const textOf = (details: JsonObject) => at(details, 'response', 'body') ?? at(details, 'response', 'data');
  const hasChanged = textOf(good) !== undefined && textOf(good) !== textOf(failed);
  return hasChanged && readsBody(failed) ? 'the body changed, but not its size' : undefined;
};

/** Describes the phase that became slow most. */
const describePhases: Describe = ({ good, failed }) => {
  const [before, after] = [at(good, 'timing'), at(failed, 'timing')];
  if (!isObject(before) || !isObject(after)) return undefined;
  const slower = Object.entries(after).flatMap(([name, ms]) => {
    const usual = before[name];
    if (!Object.hasOwn(PHASE_NAMES, name) || typeof ms !== 'number' || typeof usual !== 'number') return [];
    return ms - usual >= SLOWER.ms && ms >= usual * SLOWER.factor ? [{ name, ms, usual }] : [];
  });
  const [slowest] = slower.sort((one, other) => other.ms - other.usual - (one.ms - one.usual));
  if (slowest === undefined) return undefined;
  const { name, ms, usual } = slowest;
  return `${PHASE_NAMES[name]} took ${formatLongDuration(ms)} instead of ${formatLongDuration(usual)}`;
};

/** The most telling changes first. A type without a value has no such change. */
const CHANGES: readonly Describe[] = [
  describeValue('the status', ({ response }) => at(response, 'status')),
  describeValue('the DNS response code', (details) => at(details, 'dns', 'response', 'Status')),
  describeValue('the DNS answer', recordsOf),
  describeCertificate,
  describeValue('the address', ({ address }) => address),
  describeHeaders,
  describeBody,
  describePhases,
  describeValue('the number of packets received', ({ response }) => at(response, 'packetsReceived')),
];

/** Returns at most three sentences without a full stop. */
export function describeChange(results: ComparedResults): readonly string[] {
  const found: string[] = [];
  for (const describe of CHANGES) {
    const change = describe(results);
    if (change !== undefined) found.push(change);
  }
  return found.slice(0, MAX_CHANGES);
}
