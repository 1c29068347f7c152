// Who may import whom. The picture is in docs/house.md; tools/arrows.test.ts proves each rule bites.

const server = '^packages/server/src/'
const domain = `${server}domain/`
/** The floor: what the domain stands on. It knows nobody above. */
const floor = `${server}(?:database|outbox|vault|egress|push|limits|watchdog)/`

/** Left to right: a module may import only modules to its left. A new module takes a place here. */
const row = ['apps', 'roles', 'users', 'conversations', 'groups', 'moderation', 'messages']
/** These live on events: they know the row by its doors, and neither each other nor anybody of the row knows them. */
const listeners = ['notifications', 'webhooks', 'stats']

const oneOf = (names) => `(?:${names.join('|')})`

/** Tests and what only tests use may reach further than the code they test. */
const tests = ['\\.(?:test|long)\\.tsx?$', '^packages/[^/]+/src/testing/']
const workshop = '^(?:tools|bench|faults|examples)/'

/** Matches an npm package wherever npm put it, and also when it could not be resolved. */
const npm = (names) => `(?:(?:^|/)node_modules/|^)${oneOf(names)}(?:/|$)`

const forbid = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

const general = [
  forbid(
    'no-cycle',
    'Two files that need each other are one file, or hide a third.',
    {},
    {
      circular: true,
    },
  ),
  forbid('no-unresolvable', 'The import leads nowhere.', {}, { couldNotResolve: true }),
  forbid(
    'no-orphan',
    'Nobody imports it and it imports nobody: delete it, or wire it in.',
    {
      orphan: true,
      path: '^packages/[^/]+/src/',
      pathNot: [...tests, '\\.d\\.ts$', `${server}main/`],
    },
    {},
  ),
  forbid(
    'no-test-code-in-production',
    'What runs in production imports no test, no test tool and no development dependency.',
    { path: '^packages/[^/]+/src/', pathNot: tests },
    { path: [...tests, npm(['vitest', 'fast-check'])] },
  ),
  forbid(
    'no-undeclared-dependency',
    'Name the package in package.json.',
    { path: '^packages/[^/]+/src/' },
    { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
  ),
]

const packages = [
  forbid(
    'contract-stands-alone',
    'The contract imports the schema library and nothing else.',
    { path: '^packages/contract/src/', pathNot: tests },
    { pathNot: ['^packages/contract/src/', npm(['typebox'])] },
  ),
  forbid(
    'sdk-knows-only-the-contract',
    'console --> sdk --> contract <-- server, never the other way.',
    { path: '^packages/sdk/', pathNot: tests },
    { path: '^packages/(?:server|console)/' },
  ),
  forbid(
    'console-knows-only-the-sdk',
    'The console reaches the service only through the sdk.',
    { path: '^packages/console/', pathNot: tests },
    { path: '^packages/(?:server|contract)/' },
  ),
  forbid(
    'server-knows-only-the-contract',
    'console --> sdk --> contract <-- server, never the other way.',
    { path: server, pathNot: tests },
    { path: '^packages/(?:sdk|console)/' },
  ),
  forbid(
    'packages-never-know-the-workshop',
    'Tools and benches look at the packages, never the reverse.',
    { path: '^packages/', pathNot: tests },
    { path: workshop },
  ),
]

const floors = [
  forbid(
    'main-is-imported-by-nobody',
    'main/ wires everything together.',
    { pathNot: [`${server}main/`, '^packages/server/bin/', ...tests, workshop] },
    { path: `${server}main/` },
  ),
  forbid(
    'edges-never-know-the-domain',
    'http/, gateway/ and worker/ know the pipeline; main/ hands them the rest.',
    { path: `${server}(?:http|gateway|worker)/`, pathNot: tests },
    { path: [domain, `${server}(?:api|listeners)\\.ts$`] },
  ),
  forbid(
    'pipeline-knows-nothing-above',
    'The road does not know who travels on it.',
    { path: `${server}pipeline/`, pathNot: tests },
    { path: [domain, `${server}(?:http|gateway|worker)/`, `${server}(?:api|listeners)\\.ts$`] },
  ),
  forbid(
    'domain-knows-nothing-above',
    'The domain imports Ctx, Caller, Failure and Printed, the floor and the contract.',
    { path: domain, pathNot: tests },
    {
      path: server,
      pathNot: [domain, `${server}pipeline/(?:handler|failure|caller|paging|printed)\\.ts$`, floor],
    },
  ),
  forbid(
    'floor-knows-nothing-above',
    'database/, outbox/, vault/, egress/, push/, limits/ and watchdog/ carry the house.',
    { path: floor, pathNot: tests },
    { path: server, pathNot: floor },
  ),
  forbid(
    'domain-is-wired-in-three-places',
    'api.ts, listeners.ts and main/ wire the domain; everybody else is handed what it needs.',
    {
      path: server,
      pathNot: [
        domain,
        floor,
        `${server}(?:main|http|gateway|worker|pipeline)/`,
        `${server}(?:api|listeners)\\.ts$`,
        ...tests,
      ],
    },
    { path: domain },
  ),
]

const modules = [
  forbid(
    'domain-module-has-a-place',
    'A new module takes its place in the row, in .dependency-cruiser.mjs and docs/house.md.',
    { path: `${domain}(?!${oneOf([...row, ...listeners])}/)`, pathNot: tests },
    {},
  ),
  ...row.map((module, place) =>
    forbid(
      `domain-order-${module}`,
      `${row.join(' - ')}: to act on something to its right, a module records an event.`,
      { path: `${domain}${module}/`, pathNot: tests },
      { path: `${domain}${oneOf([...row.slice(place + 1), ...listeners])}/` },
    ),
  ),
  ...listeners.map((module) =>
    forbid(
      `domain-order-${module}`,
      `${module} lives on events: no other listener is its business.`,
      { path: `${domain}${module}/`, pathNot: tests },
      { path: `${domain}${oneOf(listeners.filter((other) => other !== module))}/` },
    ),
  ),
  forbid(
    'domain-through-the-door',
    "Another module is entered by its index.ts; a name that is not there is not anybody else's.",
    { path: `${domain}([^/]+)/`, pathNot: tests },
    { path: domain, pathNot: [`${domain}$1/`, `${domain}[^/]+/index\\.ts$`, '\\.sql\\.ts$'] },
  ),
  forbid(
    'sql-of-another-module',
    'Writes are owned: a statement is called only by its own module.',
    { path: `${domain}([^/]+)/`, pathNot: tests },
    { path: `${domain}.*\\.sql\\.ts$`, pathNot: `${domain}$1/` },
  ),
  forbid(
    'sql-outside-the-domain',
    'Writes are owned: a statement is called only by its own module.',
    { pathNot: [domain, ...tests] },
    { path: `${domain}.*\\.sql\\.ts$` },
  ),
]

const drivers = [
  forbid(
    'driver-stays-in-database',
    'Whoever holds the pool can leave the transaction and the app.',
    { pathNot: [`${server}database/`, ...tests, workshop] },
    { path: npm(['pg', 'pg-pool', 'pg-cursor', 'pg-query-stream', 'postgres']) },
  ),
  forbid(
    'statements-stay-in-sql',
    'SQL is written in *.sql.ts, database/ and outbox/; handlers call it by name.',
    { pathNot: ['\\.sql\\.ts$', `${server}(?:database|outbox)/`, ...tests, workshop] },
    { path: npm(['kysely']) },
  ),
]

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [...general, ...packages, ...floors, ...modules, ...drivers],
  options: {
    doNotFollow: { path: '(?:^|/)node_modules/' },
    // Our own only: many npm packages have their entry in dist/, and an import of what is excluded is not seen.
    exclude: { path: ['^(?:dist|coverage)/', '^packages/[^/]+/(?:dist|coverage)/'] },
    // An `import type` is an arrow too: whoever names a thing depends on it.
    tsPreCompilationDeps: true,
    // Development dependencies stand in the root package.json, the rest in each package.
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.d.ts', '.json'],
      mainFields: ['main', 'types'],
    },
  },
}
