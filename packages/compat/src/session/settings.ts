type Presence = { readonly of: 'none' | 'friends' | 'roles' | 'all'; readonly roles?: string[] }

export class AppSettings {
  readonly region: string
  /** Where Chorale is: `https://chat.example`, or a host name alone. */
  readonly clientHost: string
  readonly presence: Presence
  readonly autoEstablishSocketConnection: boolean
  readonly storageMode: string

  constructor(given: Omit<AppSettings, 'getRegion'>) {
    this.region = given.region
    this.clientHost = given.clientHost
    this.presence = given.presence
    this.autoEstablishSocketConnection = given.autoEstablishSocketConnection
    this.storageMode = given.storageMode
  }

  getRegion(): string {
    return this.region
  }
}

export class AppSettingsBuilder {
  #region = ''
  #clientHost = ''
  #presence: Presence = { of: 'none' }
  #autoConnect = true
  #storageMode = 'local'

  /** Chorale does not need it. */
  setRegion(region: string): this {
    this.#region = region
    return this
  }

  /** The address of Chorale. */
  overrideClientHost(host: string): this {
    this.#clientHost = host
    return this
  }

  /** The same address serves both. */
  overrideAdminHost(host: string): this {
    this.#clientHost ||= host
    return this
  }

  subscribePresenceForAllUsers(): this {
    this.#presence = { of: 'all' }
    return this
  }

  subscribePresenceForFriends(): this {
    this.#presence = { of: 'friends' }
    return this
  }

  subscribePresenceForRoles(roles: readonly string[]): this {
    this.#presence = { of: 'roles', roles: [...roles] }
    return this
  }

  autoEstablishSocketConnection(isOn: boolean): this {
    this.#autoConnect = isOn
    return this
  }

  /** Where the auth token is kept in a browser. */
  setStorageMode(mode: string): this {
    this.#storageMode = mode
    return this
  }

  build(): AppSettings {
    return new AppSettings({
      region: this.#region,
      clientHost: this.#clientHost,
      presence: this.#presence,
      autoEstablishSocketConnection: this.#autoConnect,
      storageMode: this.#storageMode,
    })
  }
}
