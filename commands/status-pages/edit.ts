/** `sonde status-pages edit`: edits a status page in an editor (endpoints 5 and 4). */

import { UsageError } from '../../src/base/errors.ts';
import { EXIT } from '../../src/base/exits.ts';
import { editAndSend } from '../../src/cli/edit/editor.ts';
import { replaceResource, showDiff } from '../../src/cli/edit/replace-resource.ts';
import { toRequestBody } from '../../src/cli/edit/to-request.ts';
import { argument, type Deps, defineCommand } from '../../src/cli/framework/index.ts';
import { trackValueSources, validateInput } from '../../src/cli/framework/validate-input.ts';
import { printResource } from '../../src/cli/resource-commands/read.ts';
import { statusPages, toStatusPageBody } from '../../src/cli/resources/status-pages.ts';
import { getStatusPage, type Input, updateStatusPage } from '../../src/contract/index.ts';
import { sanitizeLine } from '../../src/terminal/index.ts';

type Params = Input<typeof updateStatusPage>['params'];

/** Parses an edited page. Throws UsageError with every problem at its line. */
async function parsePage(
  { terminal, clock }: Deps,
  path: string,
  text: string,
  params: Params,
): Promise<Input<typeof updateStatusPage>> {
  const { formatPosition, parseYamlDocument } = await import('../../src/cli/framework/lazy/yaml-document.ts');
  const document = parseYamlDocument(text);
  const broken = document.problems.map((problem) => ({
    place: formatPosition(path, problem),
    message: problem.message,
  }));
  const sources = trackValueSources();
  sources.recordFile(path, document.lineOf);
  const body = toStatusPageBody(document.value);
  const parts = { params: { ...params }, query: {}, body };
  const validated = validateInput(updateStatusPage, parts, { fields: [], sources, now: clock.now() });
  const problems = broken.length > 0 ? broken : validated.problems;
  if (problems.length > 0) {
    throw new UsageError('the edited page is invalid; nothing was sent', {
      details: problems,
    });
  }
  for (const { place, message } of validated.warnings) await terminal.warn(`${place} ${message}`);
  // `validateInput` has validated the body.
  return { params, body: body as Input<typeof updateStatusPage>['body'] };
}

export const command = defineCommand({
  name: 'status-pages edit',
  summary: 'Edit a status page in an editor',
  description:
    'Opens the page in $VISUAL or $EDITOR as YAML with an explanation of each field. Then shows the difference, asks for ' +
    'confirmation and sends the page. Without changes, nothing is sent. An invalid or rejected page can be edited again, with the ' +
    'problems listed at the top. An edit that is not sent is saved to a file.',
  endpoint: getStatusPage,
  arguments: { id: argument('ID of the page', { param: 'statusPageId', of: 'status-page' }) },
  examples: [
    { line: 'status-pages edit 7c0f1d2e', does: 'Edit a page' },
    { line: 'status-pages edit 7c0f1d2e --yes', does: 'Edit a page, and send it without confirmation' },
  ],
  exits: [
    [EXIT.declined, 'confirmation declined, or the editor failed; nothing was changed'],
    [EXIT.output, 'could not save the undo file; nothing was changed'],
  ],
  async run(deps, line) {
    const { client, terminal, signal } = deps;
    const { params } = line.input;
    const { statusPageId: id } = params;
    if (!terminal.canAsk) {
      throw new UsageError('an editor requires a terminal', {
        hint: `without a terminal, run: sonde status-pages get ${id} -o yaml > page.yaml, then sonde status-pages put ${id} -f page.yaml`,
      });
    }
    const api = await client();
    const read = async () => (await api.call(getStatusPage, { params }, { signal })).body;
    const { toYaml } = await import('../../src/cli/edit/lazy/changes.ts');
    const { explainedYaml } = await import('../../src/cli/framework/lazy/example-body.ts');
    const schema = updateStatusPage.body ?? {};
    const opened = await read();
    const form = toRequestBody(schema, opened);
    const head = `# Status page ${sanitizeLine(id)}\n# Save and close the file to send the changes. Without changes, nothing is sent.\n\n`;
    const page = await editAndSend(deps, line, {
      target: { kind: 'status-page', id },
      text: head + explainedYaml(schema, form as Record<string, unknown>, toYaml),
      resendCommand: ['status-pages', 'put', id],
      async send(text, path) {
        const input = await parsePage(deps, path, text, params);
        // Someone else may have changed the page during the edit: compare with the current page.
        const before = await read();
        if (toYaml(toRequestBody(schema, before)) !== toYaml(form)) {
          await terminal.warn(
            'someone else changed the page while you edited it; sending your version undoes these changes',
          );
          await showDiff(deps, line, {
            title: 'Changed by someone else:',
            endpoint: updateStatusPage,
            before: opened,
            after: before,
          });
        }
        return replaceResource(deps, line, {
          noun: 'status page',
          id,
          endpoint: updateStatusPage,
          body: input.body,
          before,
          restoreCommand: ['status-pages', 'put', id],
          send: async () => (await api.call(updateStatusPage, input, { signal })).body,
        });
      },
    });
    if (page === undefined) return;
    await printResource(deps, line, statusPages, page);
  },
});
