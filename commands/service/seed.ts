/** `sonde service seed`: applies a file of resources to a service. */
import { UsageError } from '../../src/base/errors.ts';
import { EXIT } from '../../src/base/exits.ts';
import { plural } from '../../src/base/plural.ts';
import { argument, defineCommand, flag, text } from '../../src/cli/framework/index.ts';
import { parseEnvFile } from '../../src/cli/framework/parse-flag-values.ts';
import { type Action, type AppliedItem, applyPlan } from '../../src/cli/manifest/apply-plan.ts';
import { kindOf } from '../../src/cli/manifest/kinds.ts';
import { createPlan } from '../../src/cli/manifest/plan.ts';
import { fetchRemoteState } from '../../src/cli/manifest/remote-state.ts';
import { isTableOnScreen, render } from '../../src/terminal/index.ts';

/** Formats `3 created, 12 unchanged`. */
function formatCounts(done: readonly AppliedItem[]): string {
  const order: readonly Action[] = ['created', 'updated', 'unchanged', 'skipped'];
  const counted = order.flatMap((action) => {
    const count = done.filter((each) => each.action === action).length;
    return count === 0 ? [] : [`${count} ${action}`];
  });
  return counted.length === 0 ? 'nothing' : counted.join(', ');
}

export const command = defineCommand({
  name: 'service seed',
  summary: 'Apply a file of resources to a service',
  description:
    'The file contains checks, codeBundles (projects of suites), groups, alertChannels, snippets, variables, privateLocations, services, statusPages, ' +
    'maintenanceWindows and dashboards, with references by name (in a check: group: Shop). sonde creates missing resources, ' +
    'updates resources that differ, matched by name, and never deletes resources. It validates the whole file before it sends a request; ' +
    'a second run changes nothing. Values that an export omits come from --secrets; otherwise existing resources keep their values, ' +
    'and sonde creates new resources without them and prints a warning. Incidents and triggers are not supported.',
  arguments: { file: argument('YAML or JSON file; - for stdin', { placeholder: 'file' }) },
  options: {
    dryRun: flag('Preview the changes without applying them'),
    secrets: text('File of KEY=VALUE lines with the secret values that the resource file omits', {
      placeholder: 'file',
    }),
  },
  examples: [
    { line: 'service seed shop.yaml --dry-run', does: 'Preview the changes' },
    { line: 'service seed shop.yaml', does: 'Apply a file' },
    {
      line: 'service seed shop.yaml --secrets shop.env',
      does: 'Read secret values from another file',
    },
    { line: 'service export | sonde service seed -', does: 'Verify that an export matches the service' },
  ],
  exits: [[EXIT.usage, 'the file is invalid; nothing was sent']],
  async run(deps, { args, options, output }) {
    const { terminal, clock, readFile, readStdin } = deps;
    const shown = args.file === '-' ? 'stdin' : args.file;
    const { parseYamlDocument } = await import('../../src/cli/framework/lazy/yaml-document.ts');
    const document = parseYamlDocument(args.file === '-' ? await readStdin() : await readFile(args.file));
    const broken = document.problems.map(({ line, message }) => ({
      place: line === undefined ? shown : `${shown}:${line}`,
      message,
    }));
    const refuse = (details: typeof broken): never => {
      throw new UsageError(`${shown} is invalid; nothing was sent`, { details });
    };
    if (broken.length > 0) refuse(broken);
    const state = await fetchRemoteState(deps);
    const placeOf = (path: readonly (string | number)[]) => {
      const at = document.positionOf(path);
      return at === undefined ? shown : `${shown}:${at.line}:${at.column}`;
    };
    const values = new Map<string, string>();
    const secrets = options.secrets;
    if (secrets !== undefined) {
      const unread: typeof broken = [];
      const read = parseEnvFile(await readFile(secrets), (line, message) =>
        unread.push({ place: `${secrets}:${line}`, message }),
      );
      if (unread.length > 0) refuse(unread);
      for (const { key, value } of read) values.set(key, value);
    }
    const { items, problems } = createPlan(document.value, state, {
      formatLocation: placeOf,
      values,
      now: clock.now(),
    });
    if (problems.length > 0) refuse([...problems]);
    const done: AppliedItem[] = [];
    const would = options.dryRun ? 'would be ' : '';
    for (const { section, name, missingValues } of items) {
      if (missingValues.length === 0) continue;
      await terminal.warn(
        `${kindOf(section).noun} ${name} has no ${missingValues.join(', ')}: neither the file nor --secrets has a value`,
      );
    }
    try {
      await applyPlan(deps, items, state, options.dryRun, async (each) => {
        done.push(each);
        if (each.action === 'skipped') {
          await terminal.warn(`${each.kind} ${each.name} ${would}skipped: the file has no value for it`);
        } else if (each.action !== 'unchanged') {
          await terminal.note(`${each.kind} ${each.name} ${would}${each.action}`);
        }
      });
    } catch (error) {
      await terminal.warn(
        `stopped at ${items[done.length]?.section}: ${items[done.length]?.name}; before that: ${formatCounts(done)}; remaining: ${items.length - done.length}. ` +
          'To continue, run the same command again',
      );
      throw error;
    }
    for (const { kind, name, id } of done.filter(({ closed }) => closed)) {
      await terminal.note(
        `${kind} ${name} is private; to create its key, run: sonde status-pages access ${id ?? '<id>'} --new-key`,
      );
    }
    if (!isTableOnScreen(terminal, output)) {
      await render(terminal, {
        kind: 'list',
        data: done,
        output,
        columns: [{ key: 'action' }, { key: 'kind' }, { key: 'name' }, { key: 'id', kind: 'id' }],
      });
    }
    await terminal.note(
      done.every(({ action }) => action === 'unchanged')
        ? `No changes. ${plural(done.length, 'resource')} ${done.length === 1 ? 'is' : 'are'} up to date.`
        : `${options.dryRun ? 'Preview: ' : ''}${formatCounts(done)}.`,
    );
  },
});
