/** `sonde service seed`: brings a service to what a file says. */
import { UsageError } from '../../src/base/errors.ts';
import { EXIT } from '../../src/base/exits.ts';
import { isTableOnScreen, render } from '../../src/terminal/index.ts';
import { argument, defineCommand, flag, text } from '../kernel/index.ts';
import { readEnvFile } from '../kernel/values.ts';
import { type Action, apply, type Done } from '../shared/seed/apply.ts';
import { kindOf } from '../shared/seed/kinds.ts';
import { planOf } from '../shared/seed/plan.ts';
import { readStanding } from '../shared/seed/standing.ts';

/** `3 created, 12 unchanged`. */
function sumOf(done: readonly Done[]): string {
  const order: readonly Action[] = ['created', 'updated', 'unchanged', 'skipped'];
  const counted = order.flatMap((action) => {
    const count = done.filter((each) => each.action === action).length;
    return count === 0 ? [] : [`${count} ${action}`];
  });
  return counted.length === 0 ? 'nothing' : counted.join(', ');
}

export const command = defineCommand({
  name: 'service seed',
  summary: 'Bring a service to what a file says',
  description:
    'The file holds checks, codeBundles (the projects of suites), groups, alertChannels, snippets, variables, privateLocations, services, statusPages, ' +
    'maintenanceWindows and dashboards, which name each other by their names (a check: group: Shop). What is not there is made, ' +
    'what differs is changed by its name, what a file does not name stays. All that is wrong is told at once, before anything is sent; ' +
    'a second run changes nothing. Hidden values that an export left out are taken from --secrets; without, what is there keeps its ' +
    'own, and what is made does without them, with a word. Incidents are no part of it, being history, nor are triggers, whose addresses are made anew.',
  arguments: { file: argument('A YAML or JSON file, - for stdin', { placeholder: 'file' }) },
  options: {
    dryRun: flag('Tell what would happen, and change nothing'),
    secrets: text('Take hidden values that the file leaves out from a file of KEY=VALUE lines', {
      placeholder: 'file',
    }),
  },
  examples: [
    { line: 'service seed shop.yaml --dry-run', does: 'tells what would be made and changed' },
    { line: 'service seed shop.yaml', does: 'makes and changes it' },
    {
      line: 'service seed shop.yaml --secrets shop.env',
      does: 'gives secret variables the values that stand in another file',
    },
    { line: 'service export | sonde service seed -', does: 'changes nothing' },
  ],
  exits: [[EXIT.usage, 'something is wrong with the file; nothing was sent']],
  async run(deps, { args, options, output }) {
    const { terminal, clock, readFile, readStdin } = deps;
    const shown = args.file === '-' ? 'stdin' : args.file;
    const { readDocument } = await import('../kernel/late/document.ts');
    const document = readDocument(args.file === '-' ? await readStdin() : await readFile(args.file));
    const broken = document.problems.map(({ line, message }) => ({
      place: line === undefined ? shown : `${shown}:${line}`,
      message,
    }));
    const refuse = (details: typeof broken): never => {
      throw new UsageError(`${shown} cannot be used, and nothing was sent`, { details });
    };
    if (broken.length > 0) refuse(broken);
    const standing = await readStanding(deps);
    const placeOf = (path: readonly (string | number)[]) => {
      const at = document.placeOf(path);
      return at === undefined ? shown : `${shown}:${at.line}:${at.column}`;
    };
    const values = new Map<string, string>();
    const secrets = options.secrets;
    if (secrets !== undefined) {
      const unread: typeof broken = [];
      const read = readEnvFile(await readFile(secrets), (line, message) =>
        unread.push({ place: `${secrets}:${line}`, message }),
      );
      if (unread.length > 0) refuse(unread);
      for (const { key, value } of read) values.set(key, value);
    }
    const { items, problems } = planOf(document.value, standing, { placeOf, values, now: clock.now() });
    if (problems.length > 0) refuse([...problems]);
    const done: Done[] = [];
    const would = options.dryRun ? 'would be ' : '';
    for (const { section, name, lacks } of items) {
      if (lacks.length === 0) continue;
      await terminal.warn(
        `${kindOf(section).noun} ${name} is without ${lacks.join(', ')}: neither the file nor --secrets has a value`,
      );
    }
    try {
      await apply(deps, items, standing, options.dryRun, async (each) => {
        done.push(each);
        if (each.action === 'skipped') {
          await terminal.warn(`${each.kind} ${each.name} ${would}left out: the file has no value for it`);
        } else if (each.action !== 'unchanged') {
          await terminal.note(`${each.kind} ${each.name} ${would}${each.action}`);
        }
      });
    } catch (error) {
      await terminal.warn(
        `stopped at ${items[done.length]?.section}: ${items[done.length]?.name}; before that: ${sumOf(done)}; left: ${items.length - done.length}. ` +
          'The same command goes on from there',
      );
      throw error;
    }
    for (const { kind, name, id } of done.filter(({ closed }) => closed)) {
      await terminal.note(
        `${kind} ${name} is private; its key is made by: sonde status-pages access ${id ?? '<id>'} --new-key`,
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
        ? `The service is so already: ${sumOf(done)}.`
        : `${options.dryRun ? 'Would be: ' : ''}${sumOf(done)}.`,
    );
  },
});
