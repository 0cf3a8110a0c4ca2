/** Rules of who may import whom, as the table in CONTRIBUTING.md says; `npm run lint` enforces them. */

/** Part of src → the parts that it may import besides itself and base. */
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

/** Room of the gate → the rooms and files of the gate that it may import. Reports are made from `snapshot.ts`. */
const IN_THE_GATE = {
  wait: ['words'],
  format: ['words', 'wait'],
  progress: ['format', 'words', 'wait'],
  summary: ['format', 'words', 'wait'],
  report: ['format', 'snapshot.ts', 'words', 'wait'],
};

/** Room of the service → the rooms that it may import. The files next to the rooms may import all of them. */
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
  ci: [],
  settings: ['framework'],
  help: ['ci', 'framework', 'generated', 'settings'],
  'local-service': ['framework'],
  resources: ['edit', 'framework'],
  bulk: ['framework', 'resources'],
  pack: ['framework'],
  web: ['framework', 'resources'],
  'resource-commands': ['bulk', 'edit', 'framework', 'resources', 'web'],
  manifest: ['edit', 'framework', 'pack', 'resource-commands', 'resources'],
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
    to: { path: `^src/${part}/`, pathNot: `^src/${part}/(?:${[room, ...others].join('|')})(?:/|$)` },
  }));

const ourFolders = (part) => `^src/(?:${['base', part, ...MAY[part]].join('|')})/`;

module.exports = {
  forbidden: [
    ...Object.keys(MAY).map((part) => ({
      name: `${part}-imports`,
      comment: `src/${part} may import ${['base', ...MAY[part]].join(', ')} and nothing else of ours`,
      severity: 'error',
      from: { path: `^src/${part}/` },
      to: { path: '^(?:src|commands|bin|test|bench|scripts)/', pathNot: ourFolders(part) },
    })),
    ...roomRules('gate', IN_THE_GATE),
    ...roomRules('service', IN_THE_SERVICE),
    ...roomRules('cli', IN_THE_CLI),
    {
      name: 'service-and-agent-load-on-demand',
      comment: 'a command loads the service or the agent with import(), as a separate bundle',
      severity: 'error',
      from: { path: '^(?:commands|src/cli)/' },
      to: { path: '^src/(?:service|agent)/', dependencyTypesNot: ['type-only', 'dynamic-import'] },
    },
    {
      name: 'commands-import',
      comment: 'commands import src, never bin or tests',
      severity: 'error',
      from: { path: '^commands/' },
      to: { path: '^(?:bin|test|bench|scripts)/' },
    },
    {
      name: 'bin-imports',
      comment: 'the entry imports only what resolves a command',
      severity: 'error',
      from: { path: '^bin/', pathNot: '^bin/(?:agentic|browser|evaluator|suite)\\.ts$' },
      to: {
        path: '^(?:src|commands)/|^node_modules/',
        pathNot:
          '^(?:src/cli/(?:generated/names|framework/resolve-command)|src/base/exits)\\.ts$|^node_modules/@napi-rs/keyring/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'cell-programs-import',
      comment: 'the programs that run in a cell import nothing of the service',
      severity: 'error',
      from: { path: '^bin/(?:agentic|browser|evaluator|suite)\\.ts$' },
      to: {
        path: '^(?:src|commands)/',
        pathNot: '^src/runners/(?:(?:agentic|browser|suite)/child/main|evaluation/program)\\.ts$',
      },
    },
    {
      name: 'no-cycles',
      comment: 'modules must not import each other in a cycle',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-unresolved-imports',
      comment: 'every import must resolve',
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
