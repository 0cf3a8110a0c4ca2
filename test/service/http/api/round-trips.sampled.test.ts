/** `GET x | PUT x` changes nothing. */
import { afterAll, beforeAll, describe, it } from 'vitest';
import { startTestService, type TestService } from '../../../support/service.ts';
import { sendingBackWhatIsRead } from './round-trips.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

describe('every resource', () => {
  it('stays the same when its own answer is sent back', () => sendingBackWhatIsRead(service), 900_000);
});
