/** A folder with resources of every kind, and the same folder after a change of each. */

const CHECKS: Readonly<Record<string, string>> = {
  API: 'request: { url: "https://shop.example/api" }',
  BROWSER: 'script: "// nothing"',
  DNS: 'request: { query: shop.example }',
  HEARTBEAT: 'heartbeat: { period: 1, periodUnit: hours, grace: 5, graceUnit: minutes }',
  ICMP: 'request: { hostname: shop.example }',
  MULTI_STEP: 'script: "// nothing"',
  SSL: 'request: { sslConfig: { hostname: shop.example } }',
  TCP: 'request: { hostname: shop.example, port: 443 }',
  URL: 'request: { url: "https://shop.example/" }',
};

/** Returns the file. `more`: a field of each check; `title`: what is part of other names. */
function formatFolder(project: string, title: string, more: string): string {
  const checks = Object.entries(CHECKS).map(
    ([type, fields]) => `
  - { key: ${type}, name: "${project} ${type} ${title}", checkType: ${type}, group: shop, activated: false, ${more},
      alertChannelSubscriptions: [{ alertChannel: ${project}@shop.example, activated: true }], ${fields} }`,
  );
  return `
project: ${project}
snippets: [{ key: s, name: "${project} snippet ${title}", script: "// ${title}" }]
variables: [{ key: ${project.toUpperCase()}, value: "${title}" }]
alertChannels: [{ type: EMAIL, config: { address: ${project}@shop.example }, sendRecovery: ${title === 'one'} }]
services: [{ key: web, name: "${project} web ${title}" }]
groups: [{ key: shop, name: "${project} group ${title}", setupSnippet: s, ${more} }]
checks:${checks.join('')}
statusPages:
  - { name: "Status ${title}", url: ${project}-status, cards: [{ name: All, services: [web] }] }
maintenanceWindows:
  - { key: move, name: "Move ${title}", startsAt: 2099-01-01T10:00:00Z, endsAt: 2099-01-01T12:00:00Z }
dashboards: [{ customUrl: ${project}-wall, header: "Wall ${title}" }]
privateLocations: [{ name: "Cellar ${title}", slugName: ${project}-cellar }]
`;
}

/** Returns two versions of a folder of a project; every resource differs. */
export const wholeFolders = (project: string): readonly [before: string, after: string] => [
  formatFolder(project, 'one', 'tags: [one]'),
  formatFolder(project, 'two', 'tags: [two], muted: true'),
];
