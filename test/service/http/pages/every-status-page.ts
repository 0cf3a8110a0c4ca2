/** Status pages in each of their states. */
import * as contract from '../../../../src/contract/index.ts';
import { call } from '../../../support/call.ts';
import { makeBoardCheck } from './dashboards-world.ts';
import { LONG } from './type-runs.ts';
import { makeIncident, makePage, makeServices, resolve, type World } from './world.ts';

export const NAMES = [
  'خدمة الدفع',
  'תשלומים',
  '🛒 Basket 👩‍👩‍👧‍👦',
  '支払いサービス',
  'Zahlung & Ausführung',
  LONG,
];

/** How a page is reached: by its path, and where it answers a form by what is typed there. */
export interface Way {
  readonly path: string;
  /** A field of its form by its id, and what is typed; none: its button alone is pressed. */
  readonly typed?: readonly (readonly [field: string, text: string])[];
}

/** Creates the pages. */
export async function statusPages(world: World): Promise<Record<string, Way>> {
  const ids = await makeServices(world, ['Web shop', LONG, 'Mail', 'Payments', 'Search']);
  const [shop = '', long = '', mail = '', pay = '', search = ''] = ids;
  for (const at of [shop, long]) {
    const over = await makeIncident(world, [at], { name: at === long ? LONG : 'Orders came late' });
    world.step(90 * 60_000);
    await resolve(world, over.id);
    world.step(26 * 60 * 60_000);
  }
  await makeIncident(world, [shop], {
    ...{ name: LONG, severity: 'CRITICAL' },
    incidentUpdates: [
      { description: 'We look for the cause.', status: 'INVESTIGATING' },
      { description: 'A disk of the database is full.', status: 'IDENTIFIED' },
      { description: 'The database is back. We watch it.\nOrders of today are safe.', status: 'MONITORING' },
    ],
  });
  await makeIncident(world, [long], { name: 'Search is slow', severity: 'MINOR' });
  const at = (hours: number) => new Date(world.now() + hours * 3_600_000).toISOString();
  for (const from of [-1, 30])
    await call(world, contract.createMaintenanceWindow, {
      body: {
        ...{ name: 'Upgrade', startsAt: at(from), endsAt: at(from + 2), repeatUnit: 'DAY' },
        ...{ repeatInterval: null, description: 'Mail comes late.' },
        statusPageVisibility: { enabled: true, serviceIds: [mail] },
      },
    });
  await makePage(world, 'full', ids, { description: 'How we are doing.\nCall us at +49 30 1234567.' });
  const triggered = (serviceId: string) => ({
    triggerIncident: { serviceId, severity: 'MAJOR', name: 'Down', description: 'We look.' } as const,
  });
  for (const [name, service, typicalMs] of [
    ['Pay by card', pay, 950],
    ['Search', search, 180],
    ['Search in stores', search, 4200],
  ] as const)
    await makeBoardCheck(world, {
      ...{ name, tags: ['times'], status: 'passing', days: 2, typicalMs, ...triggered(service) },
      failed: (hours) => (hours === 5 ? 4 : 0),
    });
  await makePage(world, 'times', [pay, search, mail], { showResponseTimes: true });
  await makePage(world, 'well', [pay, search]);
  await makePage(world, 'slow', [long, pay]);
  await makePage(world, 'upgrade', [mail, pay]);
  await makePage(world, 'empty', [], { name: LONG, cards: [] });
  const names = await makeServices(world, NAMES);
  await makePage(world, 'names', names, { name: 'מצב השירותים 🚦', description: 'كل الخدمات تعمل' });
  await makeIncident(world, names.slice(0, 2), { name: 'الدفع لا يعمل', severity: 'MAJOR' });
  const many = await makeServices(
    world,
    Array.from({ length: 24 }, (_, index) => `Service ${index + 1}`),
  );
  await makePage(world, 'many', [], {
    name: 'Many',
    cards: [0, 8, 16].map((from) => ({
      name: `Region ${from / 8 + 1}`,
      services: many.slice(from, from + 8).map((id) => ({ id })),
    })),
  });
  const brief = { showHistoricalData: false, description: 'Answers requests of our partners. Beta.' };
  const api = await call(world, contract.createService, { body: { name: 'Partner API', ...brief } });
  const secret = await call(world, contract.createService, { body: { name: 'Secret', hidden: true } });
  await makePage(world, 'groups', [], {
    allowIndexing: false,
    footerText: 'Example Shop Inc., Market Street 1, Springfield.\nWe answer the phone on workdays.',
    privacyPolicyLink: 'https://shop.example/privacy',
    termsOfServiceLink: 'https://shop.example/terms',
    supportLink: 'https://shop.example/help',
    cards: [
      { services: [{ id: pay }, { id: String(api.id) }, { id: String(secret.id) }] },
      {
        ...{ name: 'Europe', description: 'Data centres in Frankfurt and Dublin', expandedByDefault: false },
        services: many.slice(0, 4).map((id) => ({ id })),
      },
      {
        ...{ name: 'America', expandedByDefault: true, showHistoricalData: false },
        services: many.slice(4, 7).map((id) => ({ id })),
      },
      { name: LONG, description: LONG, expandedByDefault: false, services: [{ id: long }, { id: mail }] },
    ],
  });
  await makePage(world, 'colours', [pay, mail], {
    defaultTheme: 'DARK',
    themeColors: { dark: { bodyBackgroundColor: '#101828', cardBackgroundColor: '#1D2939' } },
  });
  const door = await makePage(world, 'door', ids);
  const params = { statusPageId: door.id };
  await call(world, contract.updateStatusPageAccess, { params, body: { isPrivate: true } });
  const shown = [
    'full',
    'times',
    'well',
    'slow',
    'upgrade',
    'empty',
    'names',
    'many',
    'groups',
    'colours',
    'door',
  ];
  return {
    ...Object.fromEntries(shown.map((name) => [name, { path: `/status/${name}` }])),
    zoned: { path: '/status/full?tz=Asia/Kolkata' },
    wrongKey: { path: '/status/door', typed: [['key', 'pk_wrong']] },
  };
}
