import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../tree.ts'

/** A workspace as it is published: `build.ts` writes one folder for each. */
export interface Published {
  readonly name: string
  /** Its folder in `packages/`, and that of the built package. */
  readonly workspace: string
  readonly folder: string
  /** What others import: by path, the source. */
  readonly exports: Readonly<Record<string, string>>
  /** Files that others import beside code: by path, the source. */
  readonly stylesheets?: Readonly<Record<string, string>>
  /** Sources that nothing imports. */
  readonly programs: readonly string[]
  readonly node: string
  /** What is in the package beside `dist`. */
  readonly files: readonly string[]
}

export const contract: Published = {
  name: '@chorale/contract',
  workspace: 'contract',
  folder: 'contract',
  exports: { '.': './src/index.ts' },
  programs: [],
  node: '>=22',
  files: [],
}

export const sdk: Published = {
  name: '@chorale/sdk',
  workspace: 'sdk',
  folder: 'sdk',
  exports: { '.': './src/index.ts' },
  programs: [],
  node: '>=22',
  files: [],
}

/** Its sources import the SDK, which is a dependency of the package. */
export const compat: Published = {
  name: '@chorale/compat',
  workspace: 'compat',
  folder: 'compat',
  exports: { '.': './src/index.ts' },
  programs: ['./src/scan/main.ts'],
  node: '>=22',
  files: ['bin'],
}

/** Its sources import the SDK, which is a dependency, and React, which the application has. */
export const react: Published = {
  name: '@chorale/react',
  workspace: 'react',
  folder: 'react',
  exports: { '.': './src/index.ts' },
  stylesheets: { './styles.css': './src/styles.css' },
  programs: [],
  node: '>=22',
  files: [],
}

/** It has the contract in it, so that both are always of the same version. */
export const server: Published = {
  name: 'chorale',
  workspace: 'server',
  folder: 'chorale',
  exports: {},
  programs: ['./src/main/chorale.ts'],
  node: '>=24.2.0',
  files: ['bin', 'contract', 'examples', 'functions', 'migrations', 'web'],
}

/** Its templates are copied as they are; `create-project.ts` fills in what differs. */
export const create: Published = {
  name: 'create-chorale',
  workspace: 'create-chorale',
  folder: 'create-chorale',
  exports: {},
  programs: ['./src/main.ts'],
  node: '>=24.2.0',
  files: ['bin', 'template'],
}

export const published = [contract, sdk, compat, react, server, create]

export interface Workspace {
  readonly version: string
  readonly description: string
  readonly license: string
  readonly sideEffects?: boolean | readonly string[]
  readonly bin?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

export function workspaceOf({ workspace }: Published): Workspace {
  return JSON.parse(readFileSync(join(root, 'packages', workspace, 'package.json'), 'utf8'))
}

/** Where a source of a workspace is in the package: `./src/index.ts`, `./dist/index.js`. */
export function builtPath(source: string, extension: '.js' | '.d.ts' | '.css'): string {
  return source.replace(/^\.\/src\//, './dist/').replace(/\.(?:tsx?|css)$/, extension)
}

export function manifestOf(one: Published, repository: string | undefined): object {
  const workspace = workspaceOf(one)
  const { [contract.name]: _, ...dependencies } = workspace.dependencies ?? {}
  const [main] = Object.values(one.exports)
  const entries = Object.entries(one.exports).map(([path, source]) => [
    path,
    { types: builtPath(source, '.d.ts'), default: builtPath(source, '.js') },
  ])
  const stylesheets = Object.entries(one.stylesheets ?? {}).map(([path, source]) => [
    path,
    builtPath(source, '.css'),
  ])
  return {
    name: one.name,
    version: workspace.version,
    description: workspace.description,
    license: workspace.license,
    repository: repository && {
      type: 'git',
      url: repository,
      directory: `packages/${one.workspace}`,
    },
    type: 'module',
    sideEffects: workspace.sideEffects,
    engines: { node: one.node },
    bin: workspace.bin,
    // For TypeScript that does not read `exports`: moduleResolution `node`.
    main: main && builtPath(main, '.js'),
    types: main && builtPath(main, '.d.ts'),
    exports: {
      ...Object.fromEntries([...entries, ...stylesheets]),
      './package.json': './package.json',
    },
    files: ['dist', 'NOTICE', ...one.files],
    dependencies,
    peerDependencies: workspace.peerDependencies,
    publishConfig: { access: 'public', provenance: true },
  }
}
