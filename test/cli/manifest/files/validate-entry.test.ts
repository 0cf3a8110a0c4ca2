/** The entries of a manifest against the contract, without a service. */
import { expect, it } from 'vitest';
import { comparePlaces } from '../../../../src/cli/manifest/files/problems.ts';
import { SECTIONS } from '../../../../src/cli/manifest/kinds.ts';
import { createPlan } from '../../../../src/cli/manifest/plan/create-plan.ts';
import type { RemoteState } from '../../../../src/cli/manifest/remote-state.ts';
import { placeholderId } from '../../../../src/cli/manifest/to-request.ts';
import { load } from './project-files.ts';

/** Returns the problems of a plan for a deployment that has only some resources with names. */
async function problemsOf(
  text: string,
  names: Readonly<Record<string, readonly string[]>> = {},
): Promise<readonly string[]> {
  const { manifest } = await load({ 'monitoring/a.yaml': text });
  const rows = SECTIONS.map((section) => [
    section,
    (names[section] ?? []).map((name, index) => ({ id: placeholderId(section, index), name })),
  ]);
  const remote = Object.fromEntries(rows) as RemoteState;
  const { problems } = createPlan(manifest, remote, [], { now: Date.parse('2026-11-21') });
  return [...problems]
    .sort(comparePlaces)
    .map(({ place, message, nearest }) =>
      [place, message, ...(nearest === undefined ? [] : [`(${nearest})`])].join(' '),
    );
}

it('finds nothing in valid entries, whose references are names', async () => {
  const text = `
groups:
  - name: Shop
    alertChannelSubscriptions: [{ alertChannel: ops@example.com, activated: true }]
alertChannels:
  - { type: EMAIL, config: { address: ops@example.com } }
variables:
  - { key: TOKEN, secret: true }
statusPages:
  - { name: Status, url: status, isPrivate: true, cards: [{ name: Web, services: [Web] }] }
checks:
  - name: Home
    checkType: URL
    group: Shop
    dependsOn: [Ping]
    request: { url: https://example.com/ }
  - name: Ping
    checkType: HEARTBEAT
    heartbeat: { period: 1, periodUnit: hours, grace: 1, graceUnit: minutes }
`;
  expect(await problemsOf(text, { services: ['Web'] })).toEqual([]);
});

it('names each problem with its place and the way out', async () => {
  const text = `
checks:
  - name: Home
    checkType: URL
    group: Shopp
    groupId: 7
    url: https://example.com/
    request: { url: ftp://example.com, metod: GET }
    frequency: 11
    prompt: Look
  - name: Login
    checkType: BROWSER
    codeBundleId: x
    setupSnippet: Sign in
    alertChannelSubscriptions: [{ alertChannel: { name: Ops }, activated: true }]
alertChannels:
  - { type: EMAIL, config: { address: a@example.com }, subscriptions: [] }
`;
  expect(
    await problemsOf(text, { groups: ['Shop', 'Twice', 'Twice'], snippets: ['Sign in', 'Sign in'] }),
  ).toMatchInlineSnapshot(`
    [
      "monitoring/a.yaml:5:5 check group "Shopp" not found in the files or on the deployment (Shop)",
      "monitoring/a.yaml:6:5 groupId is not a field of files: use group, with the name of the check group",
      "monitoring/a.yaml:7:5 url is not a known field (request.url)",
      "monitoring/a.yaml:8:16 request.url must begin with https:// or http://",
      "monitoring/a.yaml:8:40 request.metod is not a known field (method)",
      "monitoring/a.yaml:9:5 frequency must be one of 0, 1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440 (10)",
      "monitoring/a.yaml:10:5 prompt is not a known field",
      "monitoring/a.yaml:11:5 script is required",
      "monitoring/a.yaml:13:5 codeBundleId is not a known field",
      "monitoring/a.yaml:14:5 setupSnippet is not a known field",
      "monitoring/a.yaml:15:35 must be the name of one alert channel",
      "monitoring/a.yaml:17:56 subscriptions is not a field of files: list the channel in alertChannelSubscriptions of checks and groups",
    ]
  `);
});
