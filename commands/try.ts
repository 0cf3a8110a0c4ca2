/** `sonde try`: runs checks from files on this machine, without a service. */
import { EXIT } from '../src/base/exits.ts';
import { argumentList, defineCommand, flag, text } from '../src/cli/framework/index.ts';
import { projectOptions } from '../src/cli/manifest/project-options.ts';
import { gateExits, gateOptions } from './sessions/shared/gate.ts';
import { createLocalRunners } from './try/shared/runners.ts';

export const command = defineCommand({
  name: 'try',
  summary: 'Run checks from files on this machine',
  description:
    'Runs checks without a service and without an account, prints the results like "sonde checks run", and exits with their verdict. ' +
    'An argument is a file, a folder, or the name or key of a check in the files of --path. ' +
    'A file contains sections ("checks", "groups", "variables"), or the body of one check with its "checkType". ' +
    'A check runs with the settings of its group, with the variables of the files, and with its retries. ' +
    'Deactivated checks run only if the line names them. Heartbeat checks never run. ' +
    'The location of all results is "local".',
  arguments: {
    checks: argumentList('Files, folders, or names of checks', { placeholder: 'file|name' }),
  },
  options: {
    path: text('File or folder with the checks that names refer to', {
      placeholder: 'path',
      default: 'monitoring',
    }),
    ...projectOptions,
    watch: flag('Run again when a file changes, until Ctrl-C'),
    retries: flag('Report the first attempt', { negative: 'only' }),
    artifacts: text('Folder for screenshots, traces and transcripts', { placeholder: 'folder' }),
    browser: text('Browser for browser checks (default: an installed browser)', { placeholder: 'path' }),
    ...gateOptions,
  },
  examples: [
    { line: 'try check.yaml', does: 'Run the check of a file' },
    { line: 'try "Apex record" --watch', does: 'Run a check of monitoring/ after each change of its files' },
    { line: 'try monitoring --report junit:report.xml', does: 'Run all activated checks of a folder' },
  ],
  exits: [
    ...gateExits.filter(([code]) => code !== EXIT.unreachable),
    [EXIT.usage, 'a file is invalid, or no check can run'],
    [EXIT.notFound, 'no check has the name or key'],
  ],
  async run(deps, line) {
    const { args, options, output } = line;
    const runners = createLocalRunners(deps, { browser: options.browser, repeats: options.watch });
    const settings = { ...options, runners };
    try {
      const [{ tryChecks }, { readSingleCheck }] = await Promise.all([
        import('./try/shared/lazy/try-checks.ts'),
        import('./try/shared/lazy/read-single-check.ts'),
      ]);
      const single = options.watch ? undefined : await readSingleCheck(deps, args.checks, options);
      if (single !== undefined) return await tryChecks(deps, line, single, settings);
      const { openFileTree, readChecks } = await import('./try/shared/lazy/read-checks.ts');
      const tree = openFileTree(deps, { paths: [options.path, ...args.checks], root: options.root });
      const run = async (from: typeof tree) =>
        tryChecks(deps, line, await readChecks(deps, args.checks, from, options), settings);
      if (!options.watch) return await run(tree);
      const { runAtChanges } = await import('./try/shared/lazy/watch.ts');
      const isVerdictPrinted = output.format === 'json' || output.format === 'jsonl';
      return await runAtChanges(deps, { tree, isVerdictPrinted, run });
    } finally {
      await runners.close();
    }
  },
});
