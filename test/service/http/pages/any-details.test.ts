/** The pages of results show any details that an agent may have recorded, and never fail on them. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  renderAgenticDetails,
  renderBrowserDetails,
} from '../../../../src/service/http/pages/browser-html.ts';
import { NETWORK_DETAILS } from '../../../../src/service/http/pages/network-html.ts';

// No text can be made of an object without these functions.
const NO_TEXT = { toString: null, valueOf: null };
const word = fc.oneof(fc.constantFrom('constructor', '__proto__', 'failed', 'page', NO_TEXT), fc.anything());
const objects = (...names: readonly string[]) =>
  fc.oneof(
    fc.array(fc.record(Object.fromEntries(names.map((name) => [name, word])), { requiredKeys: [] })),
    fc.anything(),
  );
const details = fc
  .record(
    {
      ...{ event: word, runtime: word, isolation: word, model: word, usage: word, exitCode: word },
      ...{ request: word, response: word, pingedAt: word, log: word, output: word, timings: word },
      tests: objects('title', 'status', 'isFlaky', 'durationMs', 'error'),
      console: objects('from', 'level', 'text', 'atMs'),
      artifacts: objects('id', 'kind', 'name', 'contentType', 'bytes'),
      steps: objects('name', 'status', 'text'),
    },
    { requiredKeys: [] },
  )
  .map((any) => JSON.parse(JSON.stringify(any)) as Record<string, unknown>);

it('any details of a result make a page', () => {
  fc.assert(
    fc.property(details, (recorded) => {
      for (const page of [
        renderBrowserDetails(recorded, (id) => id),
        renderAgenticDetails(recorded, (id) => id),
        ...Object.values(NETWORK_DETAILS).map((render) => render(recorded)),
      ])
        expect(String(page)).not.toContain('function Object');
    }),
    { numRuns: 500 },
  );
});
