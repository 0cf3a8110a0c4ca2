/** A wrong answer to a prompt for an argument is refused at once. */
import { expect, it } from 'vitest';
import { command } from '../../../commands/private-locations/delete-key.ts';
import { EXIT } from '../../../src/base/exits.ts';
import { serviceAt } from '../../support/command.ts';
import { askedLine } from '../../support/person.ts';

const LOCATION = '2f4e6d8c-0a1b-4c3d-9e5f-7a6b8c9d0e1f';
const KEY = '6a8b0c2d-3e4f-4a5b-8c7d-9e0f1a2b3c4d';

it('names the rule of an argument whose label differs from its key', async () => {
  const { code, stderr } = await askedLine(
    command,
    [LOCATION],
    { env: serviceAt('http://127.0.0.1:9') },
    ['ID of the key:', 'wrong\r'],
    ['The value must', `\u0015${KEY}\r`],
    [`Revoke the key ${KEY}?`, 'n\r'],
  );
  expect(stderr).toContain('The value must be a UUID');
  expect(code).toBe(EXIT.declined);
});
