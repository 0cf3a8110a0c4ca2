/** Files of runs on their way in and out of the service: parts as they come, streams as they are read, limits to the byte. */
import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Insertable } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import type { Runner } from '../../../../src/runners/core/runner.ts';
import type { ArtifactRow } from '../../../../src/service/store/tables/engine.ts';
import { call } from '../../../support/call.ts';
import { eventually } from '../../../support/eventually.ts';
import { leave } from '../../../support/left-files.ts';
import { startTestService, type TestService } from '../../../support/service.ts';
import { createAgent, createCheckAt, createPlace, type Place, startSession } from '../../agents/support.ts';

const LIMIT = 150 * 1024 * 1024;
const CONTENTS = Buffer.alloc(200_000, 'picture ');

let service: TestService;
let place: Place;
/** A run that an agent of the place holds, as an upload names it. */
let held: string;
const DNS: Runner<unknown> = async (_, context) => ({
  ...{ hasFailures: false, hasErrors: false, isDegraded: false, overMaxResponseTime: false },
  ...{ isNetworkError: false, responseTime: 1, errors: [], details: {} },
  artifacts: await leave(context, [
    { kind: 'screenshot', name: 'cart.png', contentType: 'image/png', contents: CONTENTS },
    { kind: 'screenshot', name: 'none.png', contentType: 'text/html\nx', contents: Buffer.alloc(0) },
  ]),
});
beforeAll(async () => {
  service = await startTestService({ engine: { runners: { DNS } } });
  place = await createPlace(service, 'attic');
  held = (await claimed(place)).query;
});
afterAll(() => service.close());

/** A run that an agent of a place has just claimed. */
async function claimed(at: Place) {
  await startSession(service, await createCheckAt(service, [at.slug]));
  const agent = createAgent(at);
  const [run] = await agent.claim();
  if (run === undefined) throw new Error('nothing was claimed');
  return {
    ...{ agent, run },
    query: `agentId=${agent.agentId}&claimId=${run.claimId}&runId=${run.id}`,
  };
}

/** Sends a part as an agent does. */
async function put(
  id: string,
  offset: number,
  part: NonNullable<RequestInit['body']>,
  more: RequestInit & { readonly query?: string; readonly at?: Place } = {},
) {
  const { query = held, at = place } = more;
  const answer = await fetch(`${service.url}/v1/agents/artifacts/${id}?offset=${offset}&${query}`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${at.asAgent.apiKey}`,
      'content-type': 'application/octet-stream',
    },
    body: part,
    ...more,
  });
  const { bytes, message } = (await answer.json()) as { bytes?: number; message?: string };
  return { status: answer.status, bytes, message };
}

const inPieces = (...pieces: readonly Uint8Array[]) =>
  new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
const chunked = { duplex: 'half' } as RequestInit;

it('takes parts as they come, each once, whatever is sent again at the same time', async () => {
  const id = randomUUID();
  const one = Buffer.alloc(1_000_000, 'one');
  const answers = await Promise.all([put(id, 0, one), put(id, 0, one), put(id, 0, one)]);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const after = await put(id, 1_000_000, inPieces(Buffer.from('two'), Buffer.from('!')), chunked);
  expect(after).toMatchObject({ status: 200, bytes: 1_000_004 });
  // What does not begin at its end is not taken: the answer says where that is.
  expect(await put(id, 7, 'x')).toMatchObject({ status: 200, bytes: 1_000_004 });
  expect(await put(id, 2_000_000, 'x')).toMatchObject({ status: 200, bytes: 1_000_004 });
});

it('goes on where a part that was cut off ends', async () => {
  const id = randomUUID();
  const sending = request(`${service.url}/v1/agents/artifacts/${id}?offset=0&${held}`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${place.asAgent.apiKey}`,
      ...{ 'content-type': 'application/octet-stream', 'content-length': 1000 },
    },
  });
  sending.on('error', () => {});
  sending.write('half');
  await eventually(async () => expect((await put(id, 1000, 'x')).bytes).toBe(4));
  sending.destroy();
  expect(await put(id, 4, ' and half')).toMatchObject({ bytes: 13 });
});

it('refuses the first byte above the limit with its size, the limit and the way out, however it is sent', async () => {
  const id = randomUUID();
  // Nothing is there: the last byte that may be is judged, and not taken.
  expect(await put(id, LIMIT - 1, 'x')).toMatchObject({ status: 200, bytes: 0 });
  const words =
    'A screenshot or trace is 150.0 MB (157,286,401 bytes): the limit is 150.0 MB (157,286,400 bytes). Make it smaller (a screenshot of a part of the page, a trace without screenshots), or split the check';
  expect(await put(id, LIMIT - 1, 'xx')).toEqual({ status: 413, bytes: undefined, message: words });
  expect(await put(id, 0, Buffer.alloc(4 * 1024 * 1024 + 1))).toMatchObject({ status: 413 });
  expect(await put(randomUUID(), 0, inPieces(Buffer.alloc(5_000_000)), chunked)).toMatchObject({
    status: 413,
    message: 'The upload is too large: at most 4194304 bytes per request',
  });
  const nothing = await fetch(`${service.url}/v1/agents/artifacts/${id}?offset=0&${held}`, {
    ...{ method: 'PUT', headers: { authorization: `Bearer ${place.asAgent.apiKey}` } },
  });
  expect(nothing.status).toBe(400);
});

it('sends a file with its length, under a type that is known, and lets no agent change it', async () => {
  const check = await createCheckAt(service, [], { locations: ['eu-central-1'] });
  const params = { checkSessionId: await startSession(service, check) };
  await call(service, contract.awaitCheckSession, { params, query: { maxWaitSeconds: 20 } });
  const rows = await service.store.db.selectFrom('artifacts').selectAll().execute();
  const [picture, none] = ['cart.png', 'none.png'].map((name) => rows.find((row) => row.name === name));
  const read = async (id = '', method = 'GET') => {
    const answer = await fetch(`${service.url}/v1/artifacts/${id}`, {
      ...{ method, headers: { authorization: `Bearer ${service.apiKey}` } },
    });
    const { status, headers } = answer;
    const contents = Buffer.from(await answer.arrayBuffer());
    return { status, type: headers.get('content-type'), length: headers.get('content-length'), contents };
  };
  expect(await put(picture?.id ?? '', CONTENTS.length, 'more')).toMatchObject({ bytes: 0 });
  const whole = { status: 200, type: 'image/png', length: '200000', contents: CONTENTS };
  expect(await read(picture?.id)).toEqual(whole);
  expect(await read(picture?.id, 'HEAD')).toEqual({ ...whole, contents: Buffer.alloc(0) });
  expect(await read(none?.id)).toEqual({
    ...{ status: 200, type: 'application/octet-stream', length: '0', contents: Buffer.alloc(0) },
  });
  // A result has it, and the folder does not: services that share a database have folders of their own.
  const elsewhere = { ...picture, id: '00000000-0000-4000-8000-000000000000' } as Insertable<ArtifactRow>;
  await service.store.db.insertInto('artifacts').values(elsewhere).execute();
  const missing = await read(elsewhere.id);
  expect([missing.status, missing.contents.toString()]).toEqual([
    404,
    expect.stringContaining('is missing from the data folder'),
  ]);
  expect(picture?.place).toBe(`${hostname()}:${join(service.folder, 'artifacts')}`);
  // Another service that shares the database stored this one in a folder of its own.
  const far = { ...elsewhere, id: '00000000-0000-4000-8000-000000000001', place: 'eu-2:/data/artifacts' };
  await service.store.db.insertInto('artifacts').values(far).execute();
  const { contents } = await read(far.id);
  expect(contents.toString()).toContain('stores it in eu-2:/data/artifacts: request it there');
});

const UPLOADS = () => join(service.folder, 'artifacts', 'uploads', place.id);
const ofRun = (run: { readonly id: number; readonly claimId: string }) => `${run.id}.${run.claimId}`;
const trace = (id: string, bytes: number) => ({
  ...({ id, kind: 'trace', name: 't.zip', contentType: 'application/zip', bytes } as const),
});

it('takes files for runs that the agent holds alone, and leaves nothing of those that are over', async () => {
  const other = await createPlace(service, 'cellar');
  const [mine, theirs] = [await claimed(place), await claimed(other)];
  const notHeld = {
    ...{ status: 409, bytes: undefined },
    message:
      'The agent no longer holds the claim of this run: another agent has it, or the run has ended. The service accepts no more files',
  };
  const id = randomUUID();
  expect(await put(id, 0, 'x', { query: theirs.query })).toEqual(notHeld);
  expect(await put(id, 0, 'x', { query: mine.query, at: other })).toEqual(notHeld);
  const elsewhere = mine.query.replace(mine.run.claimId, randomUUID());
  expect(await put(id, 0, 'x', { query: elsewhere })).toEqual(notHeld);
  const [named, stray] = [randomUUID(), randomUUID()];
  for (const one of [named, stray]) await put(one, 0, 'trace', { query: mine.query });
  expect(await readdir(join(UPLOADS(), ofRun(mine.run)))).toHaveLength(2);
  // Of another run no file can be taken.
  expect(await theirs.agent.report(theirs.run, { artifacts: [trace(named, 5)] })).toEqual({
    ...{ outcome: 'ARTIFACTS_MISSING', missing: [named] },
  });
  expect(await mine.agent.report(mine.run, { artifacts: [trace(named, 5)] })).toMatchObject({
    outcome: 'RECORDED',
  });
  expect(await readdir(UPLOADS())).not.toContain(ofRun(mine.run));
  expect(await put(stray, 0, 'x', { query: mine.query })).toEqual(notHeld);
});

it('stores a file beside the file of another run, although the agent gave it the same ID', async () => {
  const read = async (id: string) =>
    (
      await fetch(`${service.url}/v1/artifacts/${id}`, {
        headers: { authorization: `Bearer ${service.apiKey}` },
      })
    ).text();
  const report = async (id: string, contents: string) => {
    const { agent, run, query } = await claimed(place);
    const resultId = randomUUID();
    await put(id, 0, contents, { query });
    const artifacts = [trace(id, contents.length)];
    expect(await agent.report(run, { artifacts, resultId })).toMatchObject({ outcome: 'RECORDED' });
    const rows = service.store.db.selectFrom('artifacts').selectAll();
    return (await rows.where('result_id', '=', resultId).executeTakeFirstOrThrow()).id;
  };
  const victim = await report(randomUUID(), 'victim');
  const other = await report(victim, 'other');
  expect(other).not.toBe(victim);
  expect([await read(victim), await read(other)]).toEqual(['victim', 'other']);
});

it('takes no more than the quota of a run, however many parts come at the same time', async () => {
  const { query, run } = await claimed(place);
  const part = Buffer.alloc(4 * 1024 * 1024);
  // Of a file that does not exist nothing is taken: its part counts for nothing.
  expect(await put(randomUUID(), 100, part, { query })).toMatchObject({ status: 200, bytes: 0 });
  const files = await Promise.all(Array.from({ length: 104 }, () => put(randomUUID(), 0, 'x', { query })));
  expect(files.filter(({ status }) => status === 200)).toHaveLength(100);
  const refused = files.filter(({ status }) => status === 413);
  expect(refused).toHaveLength(4);
  expect(refused[0]?.message).toBe(
    'Files of the run: the limit is 100 files. Report the existing files first',
  );
  expect(await readdir(join(UPLOADS(), ofRun(run)))).toHaveLength(100);
});

it('refuses a report that names a file twice', async () => {
  const { agent, run } = await claimed(place);
  const id = randomUUID();
  const refused = agent.report(run, { artifacts: [trace(id, 1), trace(id, 1)] });
  await expect(refused).rejects.toThrow('artifacts must not contain the same file twice');
});
