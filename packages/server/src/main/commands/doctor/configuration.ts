import { ConfigError, settingNames } from '../../../config.ts'
import { doubtfulNames } from '../../../config-names.ts'
import { openConfiguredEgress } from '../../configured-egress.ts'
import { natsAccessOf } from '../../nats.ts'
import { type Check, failure, ok, warning } from './check.ts'

const settings: Check = {
  name: 'settings',
  looksAt: 'every setting has a valid value, and no name is mistyped',
  needs: [],
  async run({ config, environment }) {
    const given = settingNames.filter((name) => environment[name] !== undefined)
    return ok(`${given.length} given, LOG_LEVEL ${config.LOG_LEVEL}`)
  },
}

const names: Check = {
  name: 'setting-names',
  looksAt: 'variables of the environment that begin as a setting does, and are none',
  needs: ['settings'],
  async run({ environment }) {
    const found = doubtfulNames(environment, settingNames)
    if (found.length === 0) return ok('no doubtful names')
    const listed = found.map(({ name, nearest }) => `${name} (nearest: ${nearest})`).join(', ')
    return warning(
      `The environment has names that no setting has: ${listed}.`,
      'Correct them (docs/settings.md), or leave them if they belong to another program.',
    )
  },
}

/** The two that contradict each other, or name files, only when they are used. */
const contradictions: Check = {
  name: 'setting-values',
  looksAt: 'settings that contradict each other, and files that cannot be read',
  needs: ['settings'],
  async run({ config, log }) {
    try {
      natsAccessOf(config, log)
      await using _egress = openConfiguredEgress(config)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      return failure(error.message, 'Correct the setting (docs/settings.md).')
    }
    if (config.SMTP_URL !== '' && !config.SMTP_FROM.includes('@')) {
      return failure('SMTP_URL is set, and SMTP_FROM is no address.', 'Set SMTP_FROM.')
    }
    return ok('no contradictions')
  },
}

export const configurationChecks: readonly Check[] = [settings, names, contradictions]
