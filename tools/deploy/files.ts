import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAllDocuments, parseDocument } from 'yaml'
import { root } from '../tree.ts'

export const text = (path: string) => readFileSync(join(root, 'deploy', path), 'utf8')

export type Environment = Readonly<Record<string, string>>

interface Named {
  readonly name: string
}

export interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
}

export interface Container {
  readonly image: string
  readonly args: readonly string[]
  readonly envFrom: readonly { readonly configMapRef?: Named; readonly secretRef?: Named }[]
  readonly env?: readonly (Named & { readonly value: string })[]
  readonly ports?: readonly (Named & { readonly containerPort: number })[]
  readonly startupProbe?: Probe
  readonly livenessProbe?: Probe
  readonly readinessProbe?: Probe
}

/** What these tests read of an object; its own schema is checked beside that. */
export interface KubernetesObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: Named
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly labels: Environment }
      readonly spec: { readonly containers: readonly [Container] }
    }
    readonly selector: Environment & { readonly matchLabels: Environment }
    readonly podSelector: { readonly matchLabels: Environment }
    readonly scaleTargetRef: Named
    readonly maxReplicas: number
    readonly ports: readonly { readonly targetPort: string }[]
    readonly ingress: readonly { readonly ports: readonly { readonly port: string }[] }[]
    readonly rules: readonly [{ readonly http: { readonly paths: readonly IngressPath[] } }]
  }
}

interface IngressPath {
  readonly path: string
  readonly pathType: 'Exact' | 'Prefix'
  readonly backend: { readonly service: Named }
}

interface Kustomization {
  readonly resources: readonly string[]
  readonly configMapGenerator: readonly [{ readonly literals: readonly string[] }]
}

export const kustomization: Kustomization = parsed('kubernetes/kustomization.yaml')

export const kubernetesFiles = readdirSync(join(root, 'deploy/kubernetes')).filter(
  (name) => name !== 'kustomization.yaml',
)

export const objects: readonly KubernetesObject[] = kubernetesFiles.flatMap((name) =>
  parseAllDocuments(text(`kubernetes/${name}`)).map((document) => {
    for (const error of document.errors) throw error
    return document.toJS()
  }),
)

interface ComposeService {
  readonly image: string
  readonly command: readonly string[]
  readonly environment: Environment
  readonly ports?: readonly string[]
  readonly healthcheck?: unknown
  readonly restart?: string
  readonly volumes?: readonly string[]
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
}

export const compose: {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly volumes: Readonly<Record<string, unknown>>
} = parsed('compose.yaml')

function parsed<T>(path: string): T {
  const document = parseDocument(text(path), { merge: true })
  for (const error of document.errors) throw error
  return document.toJS()
}

/** `NAME=value` lines of systemd, of its files with settings, and of a kustomization. */
export function assignments(lines: readonly string[]): Environment {
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? []
      return name === '' ? [] : [[name, value]]
    }),
  )
}

/** What `ENV` in the Dockerfile sets. */
export const imageEnvironment: Environment = assignments(
  [...text('Dockerfile').matchAll(/^ENV ((?:.*\\\n)*.*)$/gm)].flatMap(([, list = '']) =>
    list.split(/[\s\\]+/),
  ),
)
