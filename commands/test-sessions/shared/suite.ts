/** Defines the suite options of a test session, and uploads the project. */
import { readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { isObject, type JsonObject } from '../../../src/base/object.ts';
import { type Deps, text, texts } from '../../../src/cli/framework/index.ts';
import type { BodySource } from '../../../src/cli/framework/types.ts';
import type { BodyOf, triggerTestSessions } from '../../../src/contract/index.ts';

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

/** Placeholders until the folder is read. */
const PLACEHOLDER_ID = '0'.repeat(64);
const PLACEHOLDER_NAME = 'the name of the suite';

/** Returns the body of a suite. The first of several locations, separated by commas, is the location of the session. */
export function toSuiteBody(body: JsonObject, note: BodySource['recordSource']): Record<string, unknown> {
  const { suite = {}, runLocation } = body;
  const fields = isObject(suite) ? suite : {};
  const [first, ...others] =
    typeof runLocation === 'string' ? runLocation.split(',').map((each) => each.trim()) : [];
  const further = Array.isArray(fields.furtherLocations) ? fields.furtherLocations : [];
  for (const index of others.keys()) note(['suite', 'furtherLocations', index], '--run-location');
  return {
    name: PLACEHOLDER_NAME,
    ...body,
    ...(first === undefined ? {} : { runLocation: first }),
    suite: {
      codeBundleId: PLACEHOLDER_ID,
      ...fields,
      ...(others.length > 0 ? { furtherLocations: [...others, ...further] } : {}),
    },
  };
}

/** Returns the name of the package, or else of the folder. */
export async function detectSuiteName(folder: string): Promise<string> {
  const written = await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}');
  try {
    const manifest: unknown = JSON.parse(written);
    if (isObject(manifest) && typeof manifest.name === 'string' && manifest.name.trim() !== '')
      return manifest.name.trim();
  } catch {
    // Installing the package reports an invalid package.json.
  }
  return basename(folder) || 'suite';
}

/** Fills in the name of the suite unless it is set. */
export async function fillSuiteName({ cwd }: Pick<Deps, 'cwd'>, body: Body, dir: string): Promise<Body> {
  return body.name === PLACEHOLDER_NAME ? { ...body, name: await detectSuiteName(resolve(cwd, dir)) } : body;
}

/** Uploads the folder and returns the body with its ID. Throws UsageError if it has no suite. */
export async function uploadTestSuite(
  deps: Deps,
  body: Body,
  options: {
    readonly suite: string;
    readonly include: readonly string[];
    readonly exclude: readonly string[];
  },
): Promise<Body> {
  const { uploadSuite } = await import('../../../src/cli/pack/pack-suite.ts');
  const { include, exclude, suite: dir } = options;
  const { testCommand, playwrightConfigPath } = body.suite ?? {};
  const codeBundleId = await uploadSuite(deps, dir, {
    include,
    exclude,
    config: playwrightConfigPath ?? undefined,
    // A custom test command may not need the configuration.
    needsConfig: !testCommand,
  });
  return { ...body, suite: { ...body.suite, codeBundleId } };
}
