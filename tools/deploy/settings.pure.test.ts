import { randomBytes } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { generalErrors } from '../../packages/contract/src/errors/general.ts'
import {
  type Config,
  fromFile,
  readConfig,
  settingsSchema,
} from '../../packages/server/src/config.ts'
import { buildOperationsServer } from '../../packages/server/src/http/operations-server.ts'
import {
  assignments,
  type Container,
  compose,
  type Environment,
  imageEnvironment,
  kustomization,
  objects,
  type Probe,
  text,
} from './files.ts'

const known = new Set([
  ...Object.keys(settingsSchema.properties),
  ...fromFile.map((name) => `${name}_FILE`),
  'NODE_ENV',
])

/** What an operator fills in. */
const masterKey = randomBytes(32).toString('base64')
const given: Environment = {
  POSTGRES_PASSWORD: 'secret',
  NATS_PASSWORD: 'secret',
  CHORALE_MASTER_KEY: masterKey,
}
const secret: Environment = {
  DATABASE_URL: 'postgres://chorale:secret@db.example/chorale?sslmode=verify-full',
  NATS_URL: 'tls://chorale:secret@nats.example:4222',
  CHORALE_MASTER_KEY: masterKey,
}

function filled(environment: Environment): Environment {
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replaceAll(/\$\{(\w+):([?-])\}/g, (_, variable: string, otherwise: string) => {
        const found = given[variable] ?? (otherwise === '-' ? '' : undefined)
        if (found === undefined) throw new Error(`nobody sets ${variable}`)
        return found
      }),
    ]),
  )
}

const containers = objects
  .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
  .map(({ metadata, spec }) => ({
    name: metadata.name,
    container: spec.template.spec.containers[0],
  }))

function environmentOf({ envFrom, env = [] }: Container): Environment {
  const sources = envFrom.map(({ configMapRef }) =>
    configMapRef ? assignments(kustomization.configMapGenerator[0].literals) : secret,
  )
  const own = Object.fromEntries(env.map(({ name, value }) => [name, value]))
  return Object.assign({}, imageEnvironment, ...sources, own)
}

function systemdEnvironment(): Environment {
  const path = join(mkdtempSync(join(tmpdir(), 'chorale-')), 'master-key')
  writeFileSync(path, masterKey)
  const unit = text('systemd/chorale.service').matchAll(/^Environment=(.*)$/gm)
  const values = assignments([
    ...text('systemd/chorale.env').split('\n'),
    ...[...unit].map(([, line = '']) => line.replace('%d/master-key', path)),
  ])
  return values
}

const places: Readonly<Record<string, Environment>> = {
  image: { ...imageEnvironment, ...secret },
  systemd: systemdEnvironment(),
  ...Object.fromEntries(
    Object.entries(compose.services)
      .filter(([, { image }]) => image === 'chorale')
      .map(([name, { environment }]) => [
        `compose: ${name}`,
        { ...imageEnvironment, ...filled(environment) },
      ]),
  ),
  ...Object.fromEntries(
    containers.map(({ name, container }) => [`kubernetes: ${name}`, environmentOf(container)]),
  ),
}

describe.each(Object.entries(places))('%s', (_, environment) => {
  test('sets only what is a setting, to values that are valid, as in production', () => {
    expect(Object.keys(environment).filter((name) => !known.has(name))).toEqual([])
    expect(() => readConfig(environment)).not.toThrow()
    expect(environment.NODE_ENV).toBe('production')
  })
})

test('the example proxies name settings that exist', () => {
  const named = ['haproxy.cfg', 'nginx.conf', 'README.md', 'Dockerfile']
    .flatMap((path) => [...text(path).matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b/g)].map(([name]) => name))
    .filter((name) => !known.has(name) && !(name in given) && !name.startsWith('ERR_'))
  expect(named).toEqual([])
})

test('the example proxies say that nothing is ready in the words of the catalogue', () => {
  const { status, message, fix } = generalErrors.ERR_MISSION_FAILED
  const error = { code: 'ERR_MISSION_FAILED', message, devMessage: fix, source: 'chat-api' }
  const answers = ['haproxy.cfg', 'nginx.conf'].flatMap((path) => [
    ...text(path).matchAll(/(?:status|return) (\d+).* ?'(\{.*\})'/g),
  ])
  const said = answers.map(([, code, body = '']) => ({ status: Number(code), ...JSON.parse(body) }))
  expect(said).toEqual([
    { status, error },
    { status, error },
  ])
})

const portOf = (config: Config): Readonly<Record<string, number>> => ({
  http: config.PORT,
  management: config.MANAGEMENT_PORT,
  operations: config.OPERATIONS_PORT,
})

describe('ports', () => {
  test.each(containers)('of $name are those that its parts open', ({ container }) => {
    const config = readConfig(environmentOf(container))
    for (const { name, containerPort } of container.ports ?? []) {
      expect(containerPort, name).toBe(portOf(config)[name])
    }
    expect([config.HOST, config.OPERATIONS_HOST]).toEqual(['0.0.0.0', '0.0.0.0'])
    if (config.MANAGEMENT_PORT) expect(config.MANAGEMENT_HOST).toBe('0.0.0.0')
  })

  test('that compose publishes, on loopback only, and that the image exposes, are open', () => {
    const environment = filled(compose.services.chorale?.environment ?? {})
    const config = readConfig({ ...imageEnvironment, ...environment })
    const ports = Object.values(portOf(config))
    const published = compose.services.chorale?.ports ?? []
    expect(published).toEqual(ports.map((port) => `127.0.0.1:${port}:${port}`))
    const [, exposed = ''] = /^EXPOSE (.*)$/m.exec(text('Dockerfile')) ?? []
    expect(exposed.split(' ').map(Number)).toEqual([config.PORT, config.OPERATIONS_PORT])
  })

  test('to which the proxies connect are those of the defaults', () => {
    const { PORT, OPERATIONS_PORT } = readConfig(secret)
    const servers = ['haproxy.cfg', 'nginx.conf'].flatMap((path) => [
      ...text(path).matchAll(/^\s*server (?:\w+ )?[\d.]+:(\d+)/gm),
    ])
    expect(new Set(servers.map(([, port]) => Number(port)))).toEqual(new Set([PORT]))
    expect(text('haproxy.cfg')).toContain(`check port ${OPERATIONS_PORT} `)
  })
})

test('every probe asks for a page that the operations port has', async () => {
  await using server = buildOperationsServer({
    version: '0',
    metrics: { contentType: 'text/plain', read: async () => '' },
    health: { read: async () => ({ ready: true, degraded: false, checks: {} }) },
  })
  const probes = containers
    .flatMap(({ container }) => [
      container.startupProbe,
      container.livenessProbe,
      container.readinessProbe,
    ])
    .filter((probe): probe is Probe => probe !== undefined)
  expect(probes.length).toBe(9)
  expect(new Set(probes.map(({ httpGet }) => httpGet.port))).toEqual(new Set(['operations']))
  const checks = [text('haproxy.cfg'), text('Dockerfile')].flatMap((file) => [
    ...file.matchAll(/(?:httpchk GET |\})(\/\w+)/g),
  ])
  expect(checks.length).toBe(3)
  const paths = [...probes.map(({ httpGet }) => httpGet.path), ...checks.map(([, path]) => path)]
  for (const url of new Set(paths)) {
    expect((await server.inject({ url: url ?? '' })).statusCode, url).toBe(200)
  }
})

describe('compose', () => {
  const { services, volumes } = compose

  test('keeps the data of both engines in volumes, and starts again what ended', () => {
    const kept = Object.values(services).flatMap(({ volumes: mounts = [] }) => mounts)
    expect(kept.map((mount) => mount.split(':')[0])).toEqual(Object.keys(volumes))
    for (const [name, { restart }] of Object.entries(services)) expect(restart, name).toBeDefined()
  })

  test('waits for what it needs: healthy engines and a database that is migrated', () => {
    for (const { depends_on = {} } of Object.values(services)) {
      for (const [name, { condition }] of Object.entries(depends_on)) {
        expect(services[name]).toBeDefined()
        if (condition === 'service_healthy') expect(services[name]?.healthcheck).toBeDefined()
      }
    }
    expect(services.chorale?.depends_on).toEqual({
      migrate: { condition: 'service_completed_successfully' },
      nats: { condition: 'service_healthy' },
    })
  })

  test('gives NATS the password that Chorale shows', () => {
    const { NATS_USER, NATS_PASSWORD } = services.chorale?.environment ?? {}
    expect(services.nats?.command).toEqual(
      expect.arrayContaining([`--user=${NATS_USER}`, `--pass=${NATS_PASSWORD}`]),
    )
  })
})
