/** `sonde checks create-playwright`: uploads a Playwright project and creates a check for it. */

import { defineCommand, text } from '../../src/cli/framework/index.ts';
import { localBrowserWarning } from '../../src/cli/local-service/browser.ts';
import { createPlaywrightCheck, getCheck } from '../../src/contract/index.ts';
import {
  ALERT_FIELDS,
  bodyOfType,
  LOCATION_STEPS,
  ORGANIZATION_FIELDS,
  printCreatedCheck,
} from './shared/create-command.ts';

/** The ID of the code bundle in validation, before the upload. */
const PLACEHOLDER_ID = '0'.repeat(64);

export const command = defineCommand({
  name: 'checks create-playwright',
  summary: 'Create a check that runs a Playwright suite',
  description:
    'Packs and uploads the project folder, without files that git ignores, node_modules and the output of earlier runs. ' +
    'Dependencies are installed at the location of the run. The suite runs with the configuration, retries and timeouts of the project.',
  endpoint: createPlaywrightCheck,
  printedBy: getCheck,
  options: {
    project: text('Project folder', { placeholder: 'dir' }),
  },
  flags: {
    groups: {
      'Project upload': ['include', 'exclude', 'codeBundleId'],
      'Test run': [
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
      'Schedule and locations': [
        'activated',
        'locations',
        'privateLocations',
        'frequency',
        'runParallel',
        'shouldFail',
      ],
      Notifications: ALERT_FIELDS,
      Organization: ORGANIZATION_FIELDS,
    },
    fill: { codeBundleId: PLACEHOLDER_ID },
  },
  interview: {
    warning: localBrowserWarning,
    steps: [{ flag: 'name' }, ...LOCATION_STEPS],
    confirm: 'Create this check?',
  },
  examples: [
    {
      line: 'checks create-playwright --name Shop --project . --pw-tags @smoke --frequency 30',
      does: 'Upload the project in the current folder, and run its tests with a tag every 30 minutes',
    },
    {
      line: 'checks create-playwright --name Shop --project e2e --pw-projects chromium --engine bun --engine-version 1.3',
      does: 'Run one project of the configuration with Bun',
    },
    { line: 'checks create-playwright --example > check.yaml', does: 'Create an example file' },
  ],
  dryRun: 'own',
  makeBody(fields, source) {
    const { options, reportProblem } = source;
    if (fields.codeBundleId === PLACEHOLDER_ID && options.project === undefined) {
      reportProblem({ place: '--project', message: 'is required: the project folder' });
    }
    return bodyOfType('PLAYWRIGHT', fields, source);
  },
  async run(deps, invocation) {
    const { client, signal } = deps;
    const { input, options, output, dryRun } = invocation;
    // A dry run uploads nothing, so the code bundle has no ID.
    if (dryRun) return deps.preview(createPlaywrightCheck, [input], output);
    const { project } = options;
    const { uploadSuite } = await import('../../src/cli/pack/pack-suite.ts');
    const codeBundleId =
      project === undefined ? input.body.codeBundleId : await uploadSuite(deps, project, input.body);
    const request = { ...input, body: { ...input.body, codeBundleId } };
    const { body: check } = await (await client()).call(createPlaywrightCheck, request, { signal });
    await printCreatedCheck(deps, invocation, check, {
      type: 'PLAYWRIGHT',
      targetColumns: [
        { key: 'pwProjects', header: 'projects', kind: 'list' },
        { key: 'pwTags', header: 'test tags', kind: 'list' },
      ],
      hasRuntime: true,
    });
  },
});
