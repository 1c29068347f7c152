import { type Config, ConfigError } from '../config.ts'
import { openFileChecks, openFileStores, type UploadParts } from '../domain/files/index.ts'
import { type FileStep, fileSteps } from '../domain/files/steps/index.ts'
import type { Egress } from '../egress/egress.ts'
import { openClamd, type Scanner } from '../inspection/clamd.ts'
import { openInspectors } from '../inspection/inspectors.ts'
import { openMediaReader } from '../inspection/media.ts'
import { type FileAddresses, openFileAddresses } from '../storage/addresses.ts'
import { type FolderStorage, openFolder } from '../storage/folder.ts'
import type { Bucket } from '../storage/s3.ts'
import { openSignedPaths } from '../storage/signed-paths.ts'
import type { Storage } from '../storage/storage.ts'
import type { Vault } from '../vault/vault.ts'

/** Where files are, what may be stored, and how they are shown. */
export interface Files extends Disposable, Pick<UploadParts, 'stores' | 'limits' | 'checks'> {
  readonly addresses: FileAddresses
  /** Undefined: no part of this service hands out files. */
  readonly folder: FolderStorage | undefined
  /** Where browsers read files of the operator's store; undefined: there is none. */
  readonly origin: string | undefined
  /** Undefined: files are not scanned for viruses. */
  readonly scanner: Scanner | undefined
}

interface FileParts {
  readonly config: Config
  readonly vault: Vault
  readonly clock: () => number
  readonly egress: Pick<Egress, 'agents'>
}

export async function openConfiguredFiles(parts: FileParts): Promise<Files> {
  const { config, vault, clock, egress } = parts
  const stack = new DisposableStack()
  const openBucket = async (bucket: Bucket, agents?: Egress['agents']): Promise<Storage> => {
    // Its client has many modules: an install without a bucket does not load them.
    const { openS3 } = await import('../storage/s3.ts')
    const storage = openS3(bucket, { clock, agents })
    return agents ? storage : stack.use(storage)
  }
  const folder = folderOf(parts)
  const bucket = bucketOf(config)
  if (folder && bucket) {
    throw new ConfigError('FILES_FOLDER and FILES_S3_ENDPOINT are both set: name one of them.')
  }
  const install = bucket ? await openBucket(bucket) : folder
  const stores = openFileStores({
    install,
    vault,
    open: (named) => openBucket(named, egress.agents),
  })
  const scanner = config.FILES_CHECK === 'on' ? scannerOf(config) : undefined
  return {
    stores,
    folder,
    origin: install && originOf(install),
    scanner,
    limits: {
      maxBytes: config.FILES_MAX_BYTES,
      appBytes: config.FILES_APP_BYTES,
      userBytes: config.FILES_USER_BYTES,
      unusedSeconds: config.FILES_UNUSED_SECONDS,
    },
    checks: openFileChecks(config.FILES_CHECK === 'on' ? stepsOf(config, scanner, stack) : []),
    addresses: openFileAddresses({
      storeOf: stores.of,
      clock,
      seconds: config.FILES_ADDRESS_SECONDS,
    }),
    [Symbol.dispose]: () => stack.dispose(),
  }
}

function originOf(store: Storage): string {
  const shown = { name: 'file', type: 'image/png', signedAt: 0, expiresAt: 1 }
  return new URL(store.address('file', shown)).origin
}

const scannerTimeoutMs = 120_000

function scannerOf({ CLAMAV_SOCKET: address }: Config): Scanner | undefined {
  return address === '' ? undefined : openClamd({ address, timeoutMs: scannerTimeoutMs })
}

function stepsOf(
  config: Config,
  scanner: Scanner | undefined,
  stack: DisposableStack,
): readonly FileStep[] {
  const limits = {
    memoryMb: config.FILES_CHECK_MEMORY_MB,
    seconds: config.FILES_CHECK_SECONDS,
    // A picture that is written anew may grow.
    fileBytes: 4 * config.FILES_MAX_BYTES + smallFileBytes,
  }
  const { FILES_CHECK_PROCESSES: processes, FILES_FFMPEG: ffmpeg } = config
  const inspectors = stack.use(openInspectors({ processes, ...limits }))
  const media = ffmpeg === '' ? undefined : openMediaReader({ ffmpeg, limits })
  return fileSteps({ inspectors, scanner, media, maxPixels: config.FILES_MAX_PIXELS })
}

const smallFileBytes = 64 * 1024 * 1024

function folderOf({ config, vault, clock }: FileParts): FolderStorage | undefined {
  const { FILES_FOLDER: path, FILES_URL: url } = config
  if (path === '') return undefined
  if (!URL.canParse(url)) {
    throw new ConfigError('FILES_URL must be an address such as https://files.example.com.')
  }
  const place = { appId: '', table: 'files', field: 'address' }
  const keyOf = (day: number) => vault.hash(`files of day ${day}`, place)
  return openFolder({ path, url, paths: openSignedPaths({ keyOf, clock }) })
}

function bucketOf(config: Config): Bucket | undefined {
  const { FILES_S3_ENDPOINT: endpoint, FILES_S3_BUCKET: bucket } = config
  if (endpoint === '') return undefined
  if (!URL.canParse(endpoint) || bucket === '' || config.FILES_S3_ACCESS_KEY_ID === '') {
    throw new ConfigError(
      'FILES_S3_ENDPOINT must be an address, and needs FILES_S3_BUCKET and its keys.',
    )
  }
  return {
    endpoint,
    bucket,
    region: config.FILES_S3_REGION,
    prefix: config.FILES_S3_PREFIX,
    style: config.FILES_S3_STYLE,
    uploads: config.FILES_S3_UPLOADS,
    accessKeyId: config.FILES_S3_ACCESS_KEY_ID,
    secretAccessKey: config.FILES_S3_SECRET_ACCESS_KEY,
    ...(config.FILES_PUBLIC_URL !== '' && { publicUrl: config.FILES_PUBLIC_URL }),
  }
}
