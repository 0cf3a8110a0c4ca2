/** `sonde api`: calls any endpoint of the service, known or not. */

import { UsageError } from '../src/base/errors.ts';
import { EXIT } from '../src/base/exits.ts';
import { describeRaw } from '../src/client/index.ts';
import { ARTIFACT_BYTES } from '../src/contract/artifact-bytes.ts';
import { render } from '../src/terminal/index.ts';
import { describeFor, printDescribed } from './kernel/connect.ts';
import { argument, defineCommand, flag, text, texts } from './kernel/index.ts';
import { gatherPages, printAnswer, printHead } from './shared/api/answer.ts';
import { readApiRequest } from './shared/api/request.ts';

export const command = defineCommand({
  name: 'api',
  summary: 'Call any endpoint of the service',
  description:
    'Sends the request with the key and the account of the profile and prints the answer as it came: JSON pretty in a terminal and compact in a pipe, files as they are, but never into a terminal. Asks nothing. POST and PATCH are never sent twice.',
  arguments: {
    method: argument('GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS, in any case'),
    path: argument('Path below the base URL, as in /v1/checks'),
  },
  options: {
    query: texts('Add to the query', { placeholder: 'name=value' }),
    header: texts('Add a header', { placeholder: 'name: value' }),
    file: text('Read the body from a JSON or YAML file, - for stdin', { short: 'f', placeholder: 'file' }),
    field: texts('Set a field of the body; true, 5, null, […] and {…} are read as JSON', {
      placeholder: 'path=value',
    }),
    rawField: texts('Set a field of the body to a text, whatever it looks like', {
      placeholder: 'path=value',
    }),
    include: flag("Print the answer's status and headers, too", { short: 'i' }),
    all: flag('Gather every page of a list'),
    dryRun: flag('Print the request and send nothing'),
  },
  examples: [
    { line: 'api get /v1/maintenance-windows --query limit=5', does: 'reads a list' },
    {
      line: "api get /v1/maintenance-windows --query 'startsAt[gte]=2026-11-21' --all --jq '.[].name'",
      does: 'prints a name a line, over all pages',
    },
    {
      line: 'api patch /v1/error-groups/<id> --field archivedUntilNextEvent=true',
      does: 'sends a body put together from fields',
    },
    { line: 'api post /v1/checks/dns -f check.json', does: 'sends a body from a file' },
    { line: 'api get /v1/artifacts/<id> > trace.zip', does: 'keeps the trace that a run left' },
  ],
  exits: [
    [EXIT.refused, 'the API refused the request'],
    [EXIT.credentials, 'no credentials, or not allowed'],
    [EXIT.notFound, 'not found'],
    [EXIT.unreachable, 'the service could not be reached or kept failing'],
  ],
  async run(deps, { args, options, output }) {
    const { terminal, signal } = deps;
    const { include, all, dryRun, file } = options;
    const resolution = await deps.profiles();
    const { accountHeader } = resolution;
    const { query = [], header = [], field = [], rawField = [] } = options;
    const words = { queries: query, headers: header, fields: field, rawFields: rawField };
    const request = await readApiRequest({ ...args, ...words, file, accountHeader }, deps);
    const { method, path, input } = request;
    if (all && (include || method !== 'GET')) {
      const message = include
        ? 'cannot go together with --include'
        : `gathers lists: it needs GET, not ${method}`;
      throw new UsageError(`--all ${message}`, { details: [{ place: '--all', message }] });
    }
    if (dryRun) {
      const requests = await describeFor(resolution, deps, terminal, (config) => [
        describeRaw(config, method, path, input),
      ]);
      return printDescribed(terminal, output, requests);
    }
    const client = await deps.client();
    if (all) {
      const gathered = await gatherPages({ client, request, signal });
      if ('single' in gathered) return printAnswer(terminal, gathered.single, output);
      return render(terminal, {
        kind: 'list',
        data: gathered.rows,
        output: { ...output, format: output.format ?? 'json' },
      });
    }
    const answer = await client.raw(method, path, input, { signal, mostBytes: ARTIFACT_BYTES });
    if (include) await printHead(terminal, answer);
    // With the head printed, or asked for alone, there is nothing to say of a body that isn't there.
    if ((include || method === 'HEAD') && answer.text === '') return;
    await printAnswer(terminal, answer, output);
  },
});
