/** Names files after resources. The names are unique and valid on every file system. */

const MAX_LENGTH = 60;
/** Windows reserves the names of devices. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/** Returns a name of lower-case letters, digits and hyphens: `Sign in (EU)` gives `sign-in-eu`. */
export function toSlug(name: string, fallback: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, MAX_LENGTH)
    .replace(/-$/, '');
  return slug === '' ? fallback : RESERVED.test(slug) ? `${fallback}-${slug}` : slug;
}

/** What a path is made of: `scripts`, `Sign in`, `check`, `.spec.ts`. */
export interface PathParts {
  readonly folder: string;
  /** The name of the resource. */
  readonly name: string;
  /** The name of the file if the resource's name has no letter or digit. */
  readonly fallback: string;
  readonly extension: string;
}

/** Returns a function that makes paths. Of equal names, all but the first get a number. */
export function createPaths(): (parts: PathParts) => string {
  const taken = new Set<string>();
  return ({ folder, name, fallback, extension }) => {
    const stem = `${folder}/${toSlug(name, fallback)}`;
    for (let number = 1; ; number++) {
      const path = `${stem}${number === 1 ? '' : `-${number}`}${extension}`;
      if (taken.has(path)) continue;
      taken.add(path);
      return path;
    }
  };
}
