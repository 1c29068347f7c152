import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Deployment } from 'kubernetes-models/apps/v1/Deployment'
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler'
import { Job } from 'kubernetes-models/batch/v1/Job'
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import { Namespace } from 'kubernetes-models/v1/Namespace'
import { Service } from 'kubernetes-models/v1/Service'
import { describe, expect, test } from 'vitest'
import { allOperations } from '../../packages/contract/src/api.ts'
import { isRealtime } from '../../packages/server/src/gateway/address.ts'
import { root } from '../tree.ts'
import { type KubernetesObject, kubernetesFiles, kustomization, objects, text } from './files.ts'

const models = [
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  Job,
  Namespace,
  NetworkPolicy,
  PodDisruptionBudget,
  Service,
]

const ofKind = (kind: string) => objects.filter((object) => object.kind === kind)
const nameOf = ({ kind, metadata }: KubernetesObject) => `${kind} ${metadata.name}`

function modelOf({ apiVersion, kind }: KubernetesObject) {
  const found = models.find((model) => model.apiVersion === apiVersion && model.kind === kind)
  if (!found) throw new Error(`no schema for ${apiVersion} ${kind}`)
  return found
}

describe('Kubernetes', () => {
  test.each(objects.map((object) => ({ name: nameOf(object), object })))(
    '$name is valid by its schema',
    ({ object }) => {
      // Whether the object fits is the question.
      const Model = modelOf(object) as new (data: object) => { validate(): void }
      expect(() => new Model(object).validate()).not.toThrow()
    },
  )

  // The schemas allow fields that they do not know; the types made from them do not.
  test('no object has a field that Kubernetes does not know', () => {
    expect(complaintsOf(objects)).toBe('')
    const [first] = ofKind('Service')
    const wrong = { ...first, spec: { ...first?.spec, selectors: {} } }
    // A KubernetesObject with one field too many.
    expect(complaintsOf([wrong as unknown as KubernetesObject])).toContain('"selectors"')
  })

  test('the kustomization names every file', () => {
    expect([...kustomization.resources].sort()).toEqual([...kubernetesFiles].sort())
  })

  test('names and labels lead to a Deployment', () => {
    const pods = [...ofKind('Deployment'), ...ofKind('Job')]
    for (const { metadata, spec } of pods) {
      if (spec.selector) expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels)
      expect(spec.template.metadata.labels).toMatchObject({
        'app.kubernetes.io/component': metadata.name.replace('chorale-', ''),
      })
    }
    const selectors = [
      ...ofKind('Service').map(({ spec }) => spec.selector),
      ...ofKind('PodDisruptionBudget').map(({ spec }) => spec.selector.matchLabels),
      ...ofKind('NetworkPolicy').map(({ spec }) => spec.podSelector.matchLabels),
    ]
    for (const labels of selectors) {
      const found = pods.filter(({ spec }) =>
        Object.entries(labels).every(
          ([name, value]) => spec.template.metadata.labels[name] === value,
        ),
      )
      expect(found, JSON.stringify(labels)).not.toEqual([])
    }
    const deployments = ofKind('Deployment').map(({ metadata }) => metadata.name)
    expect(ofKind('HorizontalPodAutoscaler').map(({ spec }) => spec.scaleTargetRef.name)).toEqual(
      deployments,
    )
    expect(ofKind('PodDisruptionBudget').map(({ metadata }) => metadata.name)).toEqual(deployments)
  })

  test('ports have names that a container has', () => {
    const named = ofKind('Deployment').flatMap(
      ({ spec }) => spec.template.spec.containers[0].ports ?? [],
    )
    const known = named.map(({ name }) => name)
    const used = [
      ...ofKind('Service').flatMap(({ spec }) => spec.ports.map(({ targetPort }) => targetPort)),
      ...ofKind('NetworkPolicy').flatMap(({ spec }) =>
        spec.ingress.flatMap(({ ports }) => ports.map(({ port }) => port)),
      ),
    ]
    expect(used.filter((name) => !known.includes(name))).toEqual([])
  })
})

describe('the ingress', () => {
  const [{ http } = { http: { paths: [] } }] = ofKind('Ingress')[0]?.spec.rules ?? []
  const serviceFor = (url: string) => {
    const matches = http.paths.filter(({ path, pathType }) =>
      pathType === 'Exact' ? url === path : `${url}/`.startsWith(path.replace(/\/?$/, '/')),
    )
    return matches.toSorted((a, b) => b.path.length - a.path.length)[0]?.backend.service.name
  }

  test('leads devices to the gateway', () => {
    const sockets = ['/v3', '/v3/realtime', '/v3.0', '/v3.0/realtime']
    for (const url of sockets) {
      expect(isRealtime({ url } as Parameters<typeof isRealtime>[0])).toBe(true)
    }
    for (const url of [...sockets, '/v3/realtime/events', '/v3.0/realtime/events']) {
      expect(serviceFor(url), url).toBe('chorale-gateway')
    }
  })

  test('leads every call to the API', () => {
    const paths = [...allOperations.values()].map(({ path }) => path)
    for (const path of ['/docs', '/openapi.json', ...paths, ...paths.map((path) => `/v3${path}`)]) {
      expect(serviceFor(path), path).toBe('chorale-api')
    }
  })
})

test('with all replicas there are as many connections to PostgreSQL as the page says', () => {
  const connections = ofKind('Deployment').map(({ metadata, spec }) => {
    const { env = [] } = spec.template.spec.containers[0]
    const pools = env.filter(({ name }) => name.endsWith('_POOL_SIZE'))
    const scaler = ofKind('HorizontalPodAutoscaler').find(
      (one) => one.metadata.name === metadata.name,
    )
    // One more while they are replaced.
    const replicas = (scaler?.spec.maxReplicas ?? Number.NaN) + 1
    return replicas * pools.reduce((sum, { value }) => sum + Number(value), 0)
  })
  const all = connections.reduce((sum, count) => sum + count)
  expect(text('README.md')).toContain(`${all} connections`)
})

/** What the compiler says about these objects as literals of their types. */
function complaintsOf(literals: readonly KubernetesObject[]): string {
  // Inside node_modules, so that the types are found.
  const folder = mkdtempSync(join(root, 'node_modules/.chorale-'))
  const file = join(folder, 'objects.ts')
  const lines = literals.map((object, index) => {
    const { apiVersion, kind } = object
    const from = JSON.stringify(`kubernetes-models/${apiVersion}/${kind}`)
    return `export const object${index}: import(${from}).I${kind} = ${JSON.stringify(object)}`
  })
  writeFileSync(file, lines.join('\n'))
  const flags = ['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext']
  const compiler = join(root, 'node_modules/typescript7/bin/tsc')
  const { stdout } = spawnSync(process.execPath, [compiler, ...flags, '--types', '', file], {
    encoding: 'utf8',
  })
  rmSync(folder, { recursive: true })
  return stdout
}
