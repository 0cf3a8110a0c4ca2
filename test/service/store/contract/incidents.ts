/** Compares the history of status pages with a simple model: what readers saw in each hour. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { zoneOf } from '../../../../src/calendar/zone.ts';
import { loadStatusView } from '../../../../src/service/http/pages/status/status-view.ts';
import {
  addIncidentUpdate,
  createIncidentUpdate,
  deleteIncidentUpdate,
} from '../../../../src/service/notify/incidents.ts';
import type { IncidentBody, StatusPageRecord, Store } from '../../../../src/service/store/index.ts';
import type { ManualClock } from '../../../support/clock.ts';
import type { StoreFixture } from '../contract.ts';

const HOUR_MS = 60 * 60 * 1000;
const SERVICES = [0, 1, 2] as const;
const SEVERITIES = ['MINOR', 'MEDIUM', 'MAJOR', 'CRITICAL'] as const;

const incident = fc.constantFrom(0, 1, 2);
const services = fc.subarray([...SERVICES], { minLength: 1 });
const severity = fc.constantFrom(...SEVERITIES);
const step = fc.oneof(
  fc.record({ type: fc.constant('open' as const), incident, services, severity }),
  fc.record({ type: fc.constant('severity' as const), incident, severity }),
  fc.record({ type: fc.constant('services' as const), incident, services }),
  fc.record({ type: fc.constant('resolve' as const), incident }),
  fc.record({ type: fc.constant('reopen' as const), incident }),
  fc.record({ type: fc.constant('delete' as const), incident }),
  fc.record({ type: fc.constant('delete-update' as const), incident, place: fc.nat(9) }),
  fc.record({ type: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 40 }) }),
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** What a page shows of an incident in an hour. */
interface Shown {
  readonly severity: string;
  readonly services: readonly number[];
}

/** What readers saw of each incident: nothing in the hours in which it was not open. */
function createModel() {
  /** `updates`: whether each leaves the incident open, newest first. */
  const states = new Map<number, Shown & { updates: boolean[]; readonly hours: (Shown | undefined)[] }>();
  const change = (id: number, fields: Partial<Shown>) => {
    const state = states.get(id);
    if (state !== undefined) Object.assign(state, fields);
  };
  const isBad = ({ severity: level }: Shown) => level === 'MAJOR' || level === 'CRITICAL';
  return {
    isKnown: (id: number) => states.has(id),
    apply(one: Step) {
      if (one.type === 'open') states.set(one.incident, { ...one, updates: [true], hours: [] });
      else if (one.type === 'delete') states.delete(one.incident);
      else if (one.type === 'resolve' || one.type === 'reopen')
        states.get(one.incident)?.updates.unshift(one.type === 'reopen');
      else if (one.type === 'delete-update') {
        const updates = states.get(one.incident)?.updates ?? [];
        if (updates.length > 1) updates.splice(one.place % updates.length, 1);
      } else if (one.type === 'severity') change(one.incident, { severity: one.severity });
      else if (one.type === 'services') change(one.incident, { services: one.services });
      else
        for (const {
          updates: [isOpen],
          severity: level,
          services: affected,
          hours,
        } of states.values())
          for (let hour = 0; hour < one.hours; hour += 1)
            hours.push(isOpen ? { severity: level, services: affected } : undefined);
    },
    /** Returns the hours of outage, and of degradation alone, of a service. */
    hoursOf(service: number) {
      // The last hour of all is the same, whenever the incident began.
      const hours = [...states.values()].flatMap((state) =>
        state.hours.toReversed().map((shown, ago) => ({ shown, ago })),
      );
      const seen = hours.filter(({ shown }) => shown?.services.includes(service));
      const outage = new Set(seen.filter(({ shown }) => shown && isBad(shown)).map(({ ago }) => ago));
      const degraded = new Set(seen.map(({ ago }) => ago).filter((ago) => !outage.has(ago)));
      return [outage.size, degraded.size];
    },
  };
}

/** Applies the steps to the store, as people do over the API. */
async function applySteps(
  store: Store,
  clock: ManualClock,
  accountId: string,
  ids: string[],
  steps: readonly Step[],
) {
  const model = createModel();
  const stored = new Map<number, string>();
  const update = (before: Omit<IncidentBody, 'lastUpdateStatus'>, status: 'INVESTIGATING' | 'RESOLVED') => {
    const fields = { description: 'An update', status, notifySubscribers: false };
    return addIncidentUpdate(before, createIncidentUpdate(store, clock.now(), fields));
  };
  const refs = (chosen: readonly number[]) => chosen.map((index) => ({ id: ids[index] ?? '' }));
  for (const one of steps) {
    const isKnown = one.type !== 'wait' && model.isKnown(one.incident);
    if (one.type === 'open' ? isKnown : one.type !== 'wait' && !isKnown) continue;
    model.apply(one);
    if (one.type === 'wait') {
      clock.step(one.hours * HOUR_MS);
      continue;
    }
    if (one.type === 'open') {
      const fields = { name: 'x', severity: one.severity, services: refs(one.services), incidentUpdates: [] };
      stored.set(one.incident, (await store.incidents.create(accountId, update(fields, 'INVESTIGATING'))).id);
      continue;
    }
    const id = stored.get(one.incident) ?? '';
    if (one.type === 'delete') {
      await store.incidents.delete(accountId, id);
      continue;
    }
    await store.incidents.change(accountId, id, (before) => {
      if (one.type === 'severity') return { ...before, severity: one.severity };
      if (one.type === 'services') return { ...before, services: refs(one.services) };
      if (one.type === 'delete-update') {
        const { length } = before.incidentUpdates;
        const update = before.incidentUpdates[one.place % length];
        return length > 1 && update ? deleteIncidentUpdate(before, update.id, clock.now()) : before;
      }
      return update(before, one.type === 'resolve' ? 'RESOLVED' : 'INVESTIGATING');
    });
  }
  return model;
}

export function incidentContract(fixture: () => StoreFixture): void {
  test('history is what readers saw, whatever changed afterwards', async () => {
    const { store, clock } = fixture();
    const zone = fc.constantFrom(undefined, 'Europe/Berlin', 'Pacific/Kiritimati', 'Pacific/Pago_Pago');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), zone, async (steps, inZone) => {
        const { id: accountId } = await store.accounts.create('run');
        const ids: string[] = [];
        for (const name of SERVICES)
          ids.push((await store.services.create(accountId, { name: String(name) } as never)).id);
        const cards = [{ id: 'card', services: ids.map((id) => ({ id })), createdAt: 1, updatedAt: null }];
        const body = { name: 'Page', url: accountId, cards } as unknown as StatusPageRecord['body'];
        const page = await store.statusPages.create(accountId, body);
        const model = await applySteps(store, clock, accountId, ids, steps);
        const access = { isPrivate: false, whiteLabel: false, keyHash: null };
        const view = await loadStatusView(store, page, access, clock.now());
        const seen = view.cards[0]?.services.map(({ history }) => history?.(zoneOf(inZone)).days ?? []) ?? [];
        const hours = (kind: 'outage' | 'degraded', days: (typeof seen)[number]) =>
          days.reduce((sum, day) => sum + (day[kind] ?? 0), 0) / HOUR_MS;
        expect(seen.map((days) => [hours('outage', days), hours('degraded', days)])).toEqual(
          SERVICES.map((service) => model.hoursOf(service)),
        );
      }),
      { numRuns: 40 },
    );
  });
}
