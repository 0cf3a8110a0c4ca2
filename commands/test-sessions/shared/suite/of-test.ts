/** A local Playwright project as the suite of a test session: its flags, and what is made of its folder. */
import { readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { isObject } from '../../../../src/base/object.ts';
import { type Deps, text, texts } from '../../../../src/cli/framework/index.ts';
import type { BodySource } from '../../../../src/cli/framework/types.ts';
import type { BodyOf, triggerTestSessions } from '../../../../src/contract/index.ts';

type Body = BodyOf<typeof triggerTestSessions>;

export const suiteOptions = {
  suite: text('Folder of a Playwright project to send and run instead of checks', {
    placeholder: 'dir',
  }),
  include: texts('With --suite: globs of additional files to send that git ignores', {
    placeholder: 'glob',
    splitAtCommas: true,
  }),
  exclude: texts('With --suite: globs of files to exclude', {
    placeholder: 'glob',
    splitAtCommas: true,
  }),
};

/** How the fields of a suite are called on the line. */
export const SUITE_FLAGS = {
  'suite.playwrightConfigPath': 'playwright-config-path',
  'suite.pwProjects': 'pw-projects',
  'suite.pwTags': 'pw-tags',
  'suite.installCommand': 'install-command',
  'suite.testCommand': 'test-command',
  'suite.workingDir': 'working-dir',
  'suite.engine': 'engine',
  'suite.engineVersion': 'engine-version',
  'suite.runtimeId': 'runtime-id',
  'suite.furtherLocations': 'further-locations',
} as const;

/** Stand for what is known once the folder is read. */
const PLACEHOLDER_ID = '0'.repeat(64);
const PLACEHOLDER_NAME = 'the name of the suite';

type Fields = Readonly<Record<string, unknown>>;

/** The body of a suite from what file and flags came to: of several locations, separated by commas, the first is the session's. */
export function toSuiteBody(given: Fields, note: BodySource['note']): Record<string, unknown> {
  const { suite = {}, runLocation } = given;
  const fields = isObject(suite) ? suite : {};
  const [first, ...others] =
    typeof runLocation === 'string' ? runLocation.split(',').map((each) => each.trim()) : [];
  const further = Array.isArray(fields.furtherLocations) ? fields.furtherLocations : [];
  for (const index of others.keys()) note(['suite', 'furtherLocations', index], '--run-location');
  return {
    name: PLACEHOLDER_NAME,
    ...given,
    ...(first === undefined ? {} : { runLocation: first }),
    suite: {
      codeBundleId: PLACEHOLDER_ID,
      ...fields,
      ...(others.length > 0 ? { furtherLocations: [...others, ...further] } : {}),
    },
  };
}

/** What a suite is called where nobody says: as its package, else as its folder. */
export async function detectSuiteName(folder: string): Promise<string> {
  const written = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}');
  try {
    const manifest: unknown = JSON.parse(written);
    if (isObject(manifest) && typeof manifest.name === 'string' && manifest.name.trim() !== '')
      return manifest.name.trim();
  } catch {
    // Whoever installs it will say so.
  }
  return basename(folder) || 'suite';
}

/** The body with the suite's name, where none was given. */
export async function fillSuiteName({ cwd }: Pick<Deps, 'cwd'>, body: Body, dir: string): Promise<Body> {
  return body.name === PLACEHOLDER_NAME ? { ...body, name: await detectSuiteName(resolve(cwd, dir)) } : body;
}

/** Sends the folder, and answers the body that names it. @throws UsageError where there is no suite in it. */
export async function uploadTestSuite(
  deps: Deps,
  body: Body,
  options: {
    readonly suite: string;
    readonly include: readonly string[];
    readonly exclude: readonly string[];
  },
): Promise<Body> {
  const { uploadSuite } = await import('./send.ts');
  const { include, exclude, suite: dir } = options;
  const { testCommand, playwrightConfigPath } = body.suite ?? {};
  const codeBundleId = await uploadSuite(deps, dir, {
    ...{ include, exclude, config: playwrightConfigPath ?? undefined },
    // Whoever says how the tests are run may do it without.
    needsConfig: !testCommand,
  });
  return { ...body, suite: { ...body.suite, codeBundleId } };
}
