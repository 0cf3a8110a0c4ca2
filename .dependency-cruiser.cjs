/** Who may know whom, as the table in CONTRIBUTING.md says; `npm run lint` keeps it. */

/** Part → what it may import besides itself and base. */
const MAY = {
  base: [],
  contract: [],
  client: ['contract'],
  runners: ['contract', 'sandbox'],
  calendar: ['contract'],
  sandbox: [],
  profiles: [],
  terminal: [],
  updates: ['client'],
  gate: ['contract', 'client', 'terminal'],
  worker: ['contract', 'runners'],
  service: ['contract', 'calendar', 'runners', 'sandbox', 'worker'],
  agent: ['contract', 'client', 'runners', 'sandbox', 'worker'],
  cli: [
    'agent',
    'calendar',
    'client',
    'contract',
    'gate',
    'profiles',
    'runners',
    'sandbox',
    'service',
    'terminal',
    'updates',
  ],
};

/** Room of the gate → what it may import of the gate besides itself and `text.ts`; reports are made from `snapshot.ts`. */
const IN_THE_GATE = {
  wait: [],
  format: ['wait/'],
  progress: ['wait/', 'format/'],
  summary: ['wait/', 'format/'],
  report: ['wait/', 'format/', 'snapshot\\.ts$'],
};

/** Room of the service → the rooms that it may import. Only the files beside the rooms put all of them together. */
const IN_THE_SERVICE = {
  store: [],
  maintenance: ['store'],
  engine: ['maintenance', 'store'],
  notify: ['engine', 'maintenance', 'store'],
  admin: ['engine', 'store'],
  http: ['admin', 'engine', 'maintenance', 'notify', 'store'],
};

/** Room of the command line → the rooms that it may import. */
const IN_THE_CLI = {
  framework: [],
  generated: ['framework'],
  edit: ['framework'],
  help: ['framework', 'generated'],
  'local-service': ['framework'],
  resources: ['edit', 'framework'],
  bulk: ['framework', 'resources'],
  'resource-commands': ['bulk', 'edit', 'framework', 'resources'],
  manifest: ['edit', 'framework', 'resource-commands', 'resources'],
  completion: ['framework', 'generated', 'help', 'local-service', 'resources'],
  profiles: ['completion', 'framework'],
  prompt: ['edit', 'framework', 'profiles', 'resources'],
  program: ['framework', 'generated', 'help', 'prompt', 'resources'],
};

const roomRules = (part, rooms) =>
  Object.entries(rooms).map(([room, others]) => ({
    name: `${part}-${room}-imports`,
    comment: `src/${part}/${room} may import of src/${part}: ${others.join(', ') || 'nothing'}`,
    severity: 'error',
    from: { path: `^src/${part}/${room}/` },
    to: { path: `^src/${part}/`, pathNot: `^src/${part}/(?:${[room, ...others].join('|')})/` },
  }));

const ourFolders = (part) => `^src/(?:${['base', part, ...MAY[part]].join('|')})/`;

module.exports = {
  forbidden: [
    ...Object.keys(MAY).map((part) => ({
      name: `${part}-knows-its-place`,
      comment: `src/${part} may import ${['base', ...MAY[part]].join(', ')} and nothing else of ours`,
      severity: 'error',
      from: { path: `^src/${part}/` },
      to: { path: '^(?:src|commands|bin|test|bench|scripts)/', pathNot: ourFolders(part) },
    })),
    ...Object.entries(IN_THE_GATE).map(([room, others]) => ({
      name: `gate-${room}-knows-its-place`,
      comment: `src/gate/${room} may import of the gate ${['text.ts', ...others].join(', ')} and nothing else`,
      severity: 'error',
      from: { path: `^src/gate/${room}/` },
      to: { path: '^src/gate/', pathNot: `^src/gate/(?:${[`${room}/`, 'text\\.ts$', ...others].join('|')})` },
    })),
    ...roomRules('service', IN_THE_SERVICE),
    ...roomRules('cli', IN_THE_CLI),
    {
      name: 'service-and-agent-load-on-demand',
      comment: 'a command loads the service or the agent by import() alone, as a bundle of its own',
      severity: 'error',
      from: { path: '^(?:commands|src/cli)/' },
      to: { path: '^src/(?:service|agent)/', dependencyTypesNot: ['type-only', 'dynamic-import'] },
    },
    {
      name: 'commands-are-leaves',
      comment: 'commands import src, never bin or tests',
      severity: 'error',
      from: { path: '^commands/' },
      to: { path: '^(?:bin|test|bench|scripts)/' },
    },
    {
      name: 'bin-knows-the-seam',
      comment: 'the entry loads nothing but how to find a command',
      severity: 'error',
      from: { path: '^bin/', pathNot: '^bin/(?:agentic|browser|judge|suite)\\.ts$' },
      to: {
        path: '^(?:src|commands)/|^node_modules/',
        pathNot:
          '^(?:src/cli/(?:generated/names|framework/resolve-command)|src/base/exits)\\.ts$|^node_modules/@napi-rs/keyring/|^src/updates/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'programs-of-cells-know-themselves',
      comment: 'what runs in a cell is a program of its own, which knows nothing of the service',
      severity: 'error',
      from: { path: '^bin/(?:agentic|browser|judge|suite)\\.ts$' },
      to: {
        path: '^(?:src|commands)/',
        pathNot: '^src/runners/(?:(?:agentic|browser|suite)/child/main|judge/program)\\.ts$',
      },
    },
    {
      name: 'no-circles',
      comment: 'modules that import each other cannot be understood one by one',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-dead-ends',
      comment: 'every import leads somewhere',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^(?:pg-native|@napi-rs/keyring)$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: 'specify',
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default'],
    },
  },
};
