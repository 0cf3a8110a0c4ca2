/** `sonde checks create-playwright`: sends the folder of a Playwright project, and creates a check of it. */
import { createPlaywrightCheck } from '../../src/contract/index.ts';
import { defineCommand, text } from '../kernel/index.ts';
import { tellCreatedCheck } from '../shared/checks/created.ts';
import { ALERTS, ORDER } from '../shared/checks/groups.ts';
import { warningOfLocalService } from '../shared/service/browser.ts';

/** Stands for the archive until the folder is packed. */
const TO_BE_PACKED = '0'.repeat(64);

export const command = defineCommand({
  name: 'checks create-playwright',
  summary: 'Create a check that runs a Playwright suite',
  description:
    'The folder of the project is packed and sent as git keeps it, without node_modules and what runs left there; its packages are ' +
    'installed again where it runs. It runs as it does with you: with its own configuration, its own retries and its own time-outs.',
  endpoint: createPlaywrightCheck,
  options: {
    project: text('Folder of the project', { placeholder: 'dir' }),
  },
  flags: {
    groups: {
      'What is sent': ['include', 'exclude', 'codeBundleId'],
      'How it runs': [
        'playwrightConfigPath',
        'pwProjects',
        'pwTags',
        'installCommand',
        'testCommand',
        'workingDir',
        'engine',
        'engineVersion',
        'environmentVariables',
        'runtimeId',
      ],
      'Where and when it runs': [
        'activated',
        'locations',
        'privateLocations',
        'frequency',
        'runParallel',
        'shouldFail',
      ],
      'Who is told': ALERTS,
      'How it is found again': ORDER,
    },
    fill: { codeBundleId: TO_BE_PACKED },
  },
  interview: {
    warning: warningOfLocalService,
    steps: [
      { flag: 'name' },
      { flag: 'locations', message: 'Where it runs from' },
      { flag: 'frequency', message: 'How often it runs' },
    ],
    confirm: 'Create this check?',
  },
  examples: [
    {
      line: 'checks create-playwright --name Shop --project . --pw-tags @smoke --frequency 30',
      does: 'sends the project in this folder, and runs its tests with a tag every half hour',
    },
    {
      line: 'checks create-playwright --name Shop --project e2e --pw-projects chromium --engine bun --engine-version 1.3',
      does: 'runs one project of the configuration, on Bun',
    },
    { line: 'checks create-playwright --example > check.yaml', does: 'writes a file to start from' },
  ],
  dryRun: 'own',
  makeBody(given, { options, complain }) {
    if (given.codeBundleId === TO_BE_PACKED && options.project === undefined) {
      complain({ place: '--project', message: 'is required: the folder of the project' });
    }
    return { ...given };
  },
  async run(deps, invocation) {
    const { client, terminal, signal } = deps;
    const { input, options, output, dryRun } = invocation;
    // A dry run sends nothing: the archive has no id yet.
    if (dryRun) return deps.preview(createPlaywrightCheck, [input], output);
    const { project } = options;
    const { sendSuite } = await import('../shared/suites/send.ts');
    const codeBundleId =
      project === undefined ? input.body.codeBundleId : await sendSuite(deps, project, input.body);
    const made = { ...input, body: { ...input.body, codeBundleId } };
    const { body: check } = await (await client()).call(createPlaywrightCheck, made, { signal });
    await tellCreatedCheck(terminal, check, {
      ...{ type: 'Playwright', output, invocation },
      subject: [
        { key: 'pwProjects', header: 'projects', kind: 'list' },
        { key: 'pwTags', header: 'tests tagged', kind: 'list' },
      ],
      runner: [{ key: 'runtimeId', header: 'runtime' }],
    });
  },
});
