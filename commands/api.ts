/** `sonde api`: calls any endpoint of the service, even one that this version does not know. */

import { UsageError } from '../src/base/errors.ts';
import { EXIT } from '../src/base/exits.ts';
import { describeRequests, printDescribedRequests } from '../src/cli/framework/deps.ts';
import { argument, defineCommand, flag, text, texts } from '../src/cli/framework/index.ts';
import { describeRaw } from '../src/client/index.ts';
import { ARTIFACT_BYTES } from '../src/contract/artifact-bytes.ts';
import { render } from '../src/terminal/index.ts';
import { fetchAllPages, printAnswer, printHead } from './api/shared/print-answer.ts';
import { readApiRequest } from './api/shared/request.ts';

export const command = defineCommand({
  name: 'api',
  summary: 'Call any endpoint of the service',
  description:
    'Sends the request with the key and account of the profile and prints the response unchanged: JSON is indented in a terminal and compact in a pipe; files are not printed in a terminal. Never prompts. Never retries POST or PATCH.',
  arguments: {
    method: argument('GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS, in upper or lower case'),
    path: argument('Path below the base URL, such as /v1/checks'),
  },
  options: {
    query: texts('Query parameter; repeatable', { placeholder: 'name=value' }),
    header: texts('Request header; repeatable', { placeholder: 'name: value' }),
    file: text('JSON or YAML file with the request body; - for stdin', { short: 'f', placeholder: 'file' }),
    field: texts('Body field; true, 5, null, […] and {…} are parsed as JSON', {
      placeholder: 'path=value',
    }),
    rawField: texts('Body field with a text value, never parsed as JSON', {
      placeholder: 'path=value',
    }),
    include: flag('Print the response status and headers as well', { short: 'i' }),
    all: flag('Fetch all pages of a list'),
    dryRun: flag('Print the request without sending it'),
  },
  examples: [
    { line: 'api get /v1/maintenance-windows --query limit=5', does: 'Get a list' },
    {
      line: "api get /v1/maintenance-windows --query 'startsAt[gte]=2026-11-21' --all --jq '.[].name'",
      does: 'Print one name per line from all pages',
    },
    {
      line: 'api patch /v1/error-groups/<id> --field archivedUntilNextEvent=true',
      does: 'Build a request body from fields',
    },
    { line: 'api post /v1/checks/dns -f check.json', does: 'Read the request body from a file' },
    { line: 'api get /v1/artifacts/<id> > trace.zip', does: 'Download the trace of a check run' },
  ],
  exits: [
    [EXIT.refused, 'the API rejected the request'],
    [EXIT.credentials, 'missing credentials or access denied'],
    [EXIT.notFound, 'not found'],
    [EXIT.unreachable, 'service unreachable or repeatedly failing'],
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
      const message = include ? 'cannot be combined with --include' : `requires GET, not ${method}`;
      throw new UsageError(`--all ${message}`, { details: [{ place: '--all', message }] });
    }
    if (dryRun) {
      const requests = await describeRequests(resolution, deps, terminal, (config) => [
        describeRaw(config, method, path, input),
      ]);
      return printDescribedRequests(terminal, output, requests);
    }
    const client = await deps.client();
    if (all) {
      const gathered = await fetchAllPages({ client, request, signal });
      if ('single' in gathered) return printAnswer(terminal, gathered.single, output);
      return render(terminal, {
        kind: 'list',
        data: gathered.rows,
        output: { ...output, format: output.format ?? 'json' },
      });
    }
    const answer = await client.raw(method, path, input, { signal, maxBytes: ARTIFACT_BYTES });
    if (include) await printHead(terminal, answer);
    // An empty body needs no note after the headers, or for HEAD.
    if ((include || method === 'HEAD') && answer.text === '') return;
    await printAnswer(terminal, answer, output);
  },
});
