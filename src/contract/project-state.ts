/** Describes the snippets that store the states of projects, and the entity tags with which clients change them safely. */
import { createHash } from 'node:crypto';

const NAME = /^sonde project (.+)$/s;

/** Returns the name of the snippet with the state of a project. */
export const stateSnippetName = (project: string): string => `sonde project ${project}`;

/** Returns the project whose state a snippet of this name stores. Undefined: it is an ordinary snippet. */
export const projectOfSnippet = (name: unknown): string | undefined =>
  typeof name === 'string' ? NAME.exec(name)?.[1] : undefined;

/** Returns the entity tag of a snippet. Clients compute it too, because lists have no entity tags. */
export const entityTagOf = (script: string): string =>
  `"${createHash('sha256').update(script).digest('hex')}"`;
