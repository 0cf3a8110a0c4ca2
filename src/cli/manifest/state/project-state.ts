/**
 * Encodes the state of a project: the resources that it owns on a deployment. A snippet stores it, because every deployment has
 * snippets, keeps their text unchanged and runs them only if something refers to them.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { UsageError } from '../../../base/errors.ts';
import { isObject, type JsonObject } from '../../../base/object.ts';
import { projectOfSnippet } from '../../../contract/project-state.ts';
import { SECTIONS, type Section } from '../kinds.ts';

export type ResourceId = string | number;

/** A value that the API changed: the path of the field, and the value as it was sent (undefined: the field was left out). */
export interface RewrittenField {
  readonly path: readonly string[];
  readonly sent?: unknown;
}

/** One resource of a project. */
export interface OwnedResource {
  readonly section: Section;
  /** Identifies its entry in the section. */
  readonly key: string;
  readonly name: string;
  /** The former name that its entry had at the last apply, so that a swap of names happens once. */
  readonly renamedFrom?: string;
  /** The type of a check or alert channel. */
  readonly type?: string;
  /** Null: sonde was going to create the resource and does not know whether it exists. */
  readonly id: ResourceId | null;
  /** The fields as the API answered them after the last apply, without defaults and secrets. References are names. */
  readonly applied?: JsonObject;
  readonly rewritten?: readonly RewrittenField[];
}

/** The lock of an apply in progress. */
export interface ProjectLock {
  readonly id: string;
  readonly user: string;
  readonly host: string;
  /** Identifies the machine since its start, and its processes; null: unknown. */
  readonly machine: string | null;
  readonly pid: number;
  /** ISO 8601. */
  readonly since: string;
  /** The last sign of life by the clock of the holder, ISO 8601. */
  readonly renewedAt: string;
}

export interface ProjectState {
  readonly project: string;
  readonly resources: readonly OwnedResource[];
  /** Undefined: no apply is in progress. */
  readonly lock?: ProjectLock | undefined;
}

/** A state with a lock has the second version, so that a sonde that knows no locks refuses it. */
const VERSIONS = { free: '1', locked: '2' } as const;
const MARK = '// sonde-project-state ';
const LINE_LENGTH = 100;
/** Limits the memory that a damaged snippet can take. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Whether a snippet stores the state of a project. */
export const isProjectState = (snippet: JsonObject): boolean => projectOfSnippet(snippet.name) !== undefined;

/** Returns the script of the snippet: only comments, so that it does nothing if something runs it. */
export function encodeState({ project, resources, lock }: ProjectState): string {
  const data = deflateRawSync(JSON.stringify({ project, resources, lock })).toString('base64');
  const lines = data.match(new RegExp(`.{1,${LINE_LENGTH}}`, 'g')) ?? [];
  return [
    `// sonde stores here which resources the project ${JSON.stringify(project)} owns. Do not change or delete this snippet.`,
    `${MARK}${lock ? VERSIONS.locked : VERSIONS.free}`,
    ...lines.map((line) => `// ${line}`),
    '',
  ].join('\n');
}

const isLock = (value: unknown): value is ProjectLock =>
  isObject(value) &&
  typeof value.pid === 'number' &&
  ['id', 'user', 'host', 'since', 'renewedAt'].every((name) => typeof value[name] === 'string');

const isOwnedResource = (value: unknown): value is OwnedResource =>
  isObject(value) &&
  (SECTIONS as readonly unknown[]).includes(value.section) &&
  typeof value.key === 'string' &&
  typeof value.name === 'string' &&
  (value.renamedFrom === undefined || typeof value.renamedFrom === 'string') &&
  (value.type === undefined || typeof value.type === 'string') &&
  (value.id === null || typeof value.id === 'string' || typeof value.id === 'number') &&
  (value.applied === undefined || isObject(value.applied)) &&
  (value.rewritten === undefined || Array.isArray(value.rewritten));

/** Returns the state that a snippet stores. Throws UsageError if the snippet was damaged. */
export function decodeState(snippet: JsonObject): ProjectState {
  const project = projectOfSnippet(snippet.name) ?? '';
  const damaged = (why: string, cause?: unknown) =>
    new UsageError(`the state of the project "${project}" is damaged (snippet ${snippet.id}): ${why}`, {
      cause,
      hint: `restore the script of the snippet, or delete it: sonde snippets delete ${snippet.id}\nwithout it, the project owns nothing until the next "sonde apply", which matches resources by name`,
    });
  const [, mark = '', ...lines] = String(snippet.script ?? '').split('\n');
  if (!mark.startsWith(MARK)) throw damaged('its second line was changed');
  if (!Object.values<string>(VERSIONS).includes(mark.slice(MARK.length))) {
    throw new UsageError(`a newer version of sonde wrote the state of the project "${project}"`, {
      hint: 'update sonde',
    });
  }
  let state: unknown;
  try {
    const data = Buffer.from(lines.map((line) => line.replace(/^\/\/ /, '')).join(''), 'base64');
    state = JSON.parse(inflateRawSync(data, { maxOutputLength: MAX_BYTES }).toString());
  } catch (error) {
    throw damaged('its data cannot be read', error);
  }
  if (!isObject(state) || !Array.isArray(state.resources) || !state.resources.every(isOwnedResource))
    throw damaged('its data is incomplete');
  return { project, resources: state.resources, lock: isLock(state.lock) ? state.lock : undefined };
}
