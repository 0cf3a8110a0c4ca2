/** Playwright check: a suite of one's own, run with its own configuration; its folder is sent as an archive before. */
import { SUITE_ENGINES } from '../../enumerations.ts';
import { allOptional, array, closed, integer, nullable, oneOf, open, string } from '../../schema.ts';
import { environmentVariables, runtimeId, timestamps } from '../shared.ts';
import { runFields, schemasOf, standingFields } from './common.ts';
import { scriptedFrequency } from './scripted.ts';

const LONGEST_COMMAND = 2000;
const command = (description: string, example: string) =>
  nullable(
    string(`${description}; left out: ${example}`, { maxLength: LONGEST_COMMAND, 'x-gaps': ['maxLength'] }),
  );
const list = (item: string, description: string) =>
  array(string(item, { minLength: 1, 'x-gaps': ['minLength'] }), description);

const codeBundleId = string('Id of the archive of the project folder, as its upload answered it', {
  pattern: '^[0-9a-f]{64}$',
  'x-gaps': ['pattern'],
});
/** How a suite is run, wherever it comes from. */
const suiteFields = {
  runtimeId,
  playwrightConfigPath: nullable(
    string('Path of the Playwright configuration within the project; left out: the one in its root'),
  ),
  workingDir: nullable(string('Folder within the project that the commands run in; left out: its root')),
  installCommand: command('Command that installs dependencies', "as the project's lock file says"),
  testCommand: command('Command that runs the tests', '`npx playwright test`'),
  pwProjects: list('Name of a project', 'Projects of the configuration that run; none: all'),
  pwTags: list('A tag', 'Tests with any of these tags run; none: all'),
  engine: nullable(oneOf(SUITE_ENGINES, 'What runs the suite', { 'x-gaps': ['enum'] })),
  engineVersion: nullable(
    string("Version of the engine, as far as it matters; left out: the agent's own", {
      pattern: '^\\d+(\\.\\d+){0,2}$',
      'x-gaps': ['pattern'],
    }),
  ),
};
const playwrightFields = {
  frequency: scriptedFrequency,
  environmentVariables,
  ...suiteFields,
  include: list('A glob', 'Files of the project that are sent though git does not keep them'),
  exclude: list('A glob', 'Files of the project that are not sent'),
};

/** A suite that a test session runs: no check is made of it. */
export const suiteOfTest = closed(
  {
    codeBundleId,
    ...allOptional({
      ...suiteFields,
      furtherLocations: array(
        string('A location', { minLength: 1 }),
        'Further locations, public or private, in which it runs at the same time',
      ),
    }),
  },
  {
    title: 'SuiteOfTestSession',
    description:
      'A Playwright suite that was sent for this session: it runs instead of checks, and leaves none',
  },
);

export const playwrightCheck = schemasOf(
  { type: 'PLAYWRIGHT', title: 'PlaywrightCheck' },
  { codeBundleId },
  { ...standingFields, ...runFields, ...playwrightFields },
);

export const codeBundleBody = closed(
  {
    archive: string('The project folder as a ZIP archive, in Base64', {
      minLength: 1,
      writeOnly: true,
    }),
  },
  { title: 'CodeBundleRequest' },
);
const codeBundleFields = {
  id: string('Id of the archive: the SHA-256 of its bytes'),
  bytes: integer('How large it is', { 'x-unit': 'bytes' }),
  created_at: timestamps.created_at,
};
export const codeBundle = open(codeBundleFields, { title: 'CodeBundle' });
export const wholeCodeBundle = open(
  { ...codeBundleFields, archive: string('The project folder as a ZIP archive, in Base64') },
  { title: 'WholeCodeBundle' },
);
