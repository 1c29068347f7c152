import type { NatsConnection } from '@nats-io/transport-node'
import type { Logger } from 'pino'
import { connectNow } from '../../../bus/bus.ts'
import { type EventStream, openEventStream } from '../../../bus/event-stream.ts'
import { type Config, readConfig } from '../../../config.ts'
import type { Database } from '../../../database/pool.ts'
import { openConfiguredDatabase } from '../../configured-database.ts'
import { openLog } from '../../log.ts'
import { natsAccessOf, streamOptions } from '../../nats.ts'

/** The install that is examined: opens what checks need when the first of them asks for it. */
export class Subject implements AsyncDisposable {
  readonly environment: NodeJS.ProcessEnv
  readonly #statementTimeoutMs: number
  readonly log: Logger = openLog('silent')
  readonly #stack = new AsyncDisposableStack()
  #config: Config | undefined
  #database: Database | undefined
  #nats: NatsConnection | undefined

  /** `config`: it was read already. */
  constructor(environment: NodeJS.ProcessEnv, statementTimeoutMs: number, config?: Config) {
    this.environment = environment
    this.#config = config
    this.#statementTimeoutMs = statementTimeoutMs
  }

  get config(): Config {
    this.#config ??= readConfig(this.environment)
    return this.#config
  }

  get database(): Database {
    const small = { DATABASE_POOL_SIZE: 2, DATABASE_STATEMENT_POOL_SIZE: 1 }
    this.#database ??= this.#stack.use(
      openConfiguredDatabase(
        {
          ...this.config,
          ...small,
          DATABASE_STATEMENT_TIMEOUT_MS: this.#statementTimeoutMs,
        },
        this.log,
      ),
    )
    return this.#database
  }

  /** Rejects when NATS does not answer, or refuses the credentials. */
  async connectNats(): Promise<NatsConnection> {
    if (!this.#nats) {
      const bus = await connectNow(natsAccessOf(this.config, this.log))
      this.#stack.use(bus)
      this.#nats = bus.connection
    }
    return this.#nats
  }

  /** Throws unless NATS was connected to before. */
  get nats(): NatsConnection {
    if (!this.#nats) throw new Error('NATS was not connected to.')
    return this.#nats
  }

  /** Its names; nothing is made before it is opened. */
  get stream(): EventStream {
    return openEventStream({ connection: this.nats }, streamOptions(this.config))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync()
  }
}
