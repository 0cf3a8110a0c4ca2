/** Schemas of Playwright checks: a test suite with its own configuration, uploaded as an archive. */
import { SUITE_ENGINES } from '../../enumerations.ts';
import { FOLDER_PATTERN } from '../../limits.ts';
import { allOptional, array, closed, integer, nullable, oneOf, open, set, string } from '../../schema.ts';
import { environmentVariables, runtimeId, timestamps } from '../shared.ts';
import { answerOf, runFields, schemasOf, standingFields } from './common.ts';
import { scriptedFrequency } from './scripted.ts';

const LONGEST_COMMAND = 2000;
const command = (description: string, example: string) =>
  nullable(
    string(`${description}; default: ${example}`, { maxLength: LONGEST_COMMAND, 'x-gaps': ['maxLength'] }),
  );
const text = (item: string) => string(item, { minLength: 1, 'x-gaps': ['minLength'] });

const codeBundleId = string('ID of the uploaded archive of the project folder', {
  pattern: '^[0-9a-f]{64}$',
  'x-gaps': ['pattern'],
  'x-alias': 'codeBundlePath',
});
/** Settings of a suite run. */
const suiteFields = {
  runtimeId,
  playwrightConfigPath: nullable(
    string('Path of the Playwright configuration in the project; default: the one in the root folder'),
  ),
  workingDir: nullable(
    string('Folder in the project to run the commands in; default: the root folder', {
      pattern: FOLDER_PATTERN,
      'x-gaps': ['pattern'],
    }),
  ),
  installCommand: command('Command that installs the dependencies', "according to the project's lock file"),
  testCommand: command('Command that runs the tests', '`npx playwright test`'),
  pwProjects: set(text('Name of a project'), 'Projects of the configuration to run; default: all'),
  pwTags: set(text('Tag'), 'Tags of the tests to run (any of them); default: all tests'),
  engine: nullable(oneOf(SUITE_ENGINES, 'Engine that runs the suite', { 'x-gaps': ['enum'] })),
  engineVersion: nullable(
    string("Version of the engine, such as 22 or 1.3; default: the agent's own", {
      pattern: '^\\d+(\\.\\d+){0,2}$',
      'x-gaps': ['pattern'],
    }),
  ),
};
const playwrightFields = {
  frequency: scriptedFrequency,
  environmentVariables,
  ...suiteFields,
  include: array(text('Glob'), 'Globs of files to upload although git ignores them'),
  exclude: array(text('Glob'), 'Globs of files not to upload'),
};

/** A suite that a test session runs without a check. */
export const suiteOfTest = closed(
  {
    codeBundleId,
    ...allOptional({
      ...suiteFields,
      furtherLocations: array(
        string('Location', { minLength: 1 }),
        'Further public or private locations to run from in parallel',
      ),
    }),
  },
  {
    title: 'SuiteOfTestSession',
    description: 'An uploaded Playwright suite to run in this session instead of checks; no check is created',
  },
);

const info = { type: 'PLAYWRIGHT', title: 'PlaywrightCheck' } as const;
const others = { ...standingFields, ...runFields, ...playwrightFields };
export const playwrightCheck = {
  ...schemasOf(info, { codeBundleId }, others),
  answer: answerOf(info, {
    codeBundleId,
    ...allOptional({ ...others, codeBundlePath: string('The same ID, by the name of the published API') }),
  }),
};

export const codeBundleBody = closed(
  {
    archive: string('The project folder as a Base64-encoded ZIP archive', {
      minLength: 1,
      writeOnly: true,
    }),
  },
  { title: 'CodeBundleRequest' },
);
const codeBundleFields = {
  id: string('ID of the archive: the SHA-256 of its bytes'),
  bytes: integer('Size of the archive', { 'x-unit': 'bytes' }),
  created_at: timestamps.created_at,
};
export const codeBundle = open(codeBundleFields, { title: 'CodeBundle' });
export const wholeCodeBundle = open(
  { ...codeBundleFields, archive: string('The project folder as a Base64-encoded ZIP archive') },
  { title: 'WholeCodeBundle' },
);
