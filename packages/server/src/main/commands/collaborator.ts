import { randomBytes } from 'node:crypto'
import { type CollaboratorRole, collaboratorRoles } from '@chorale/contract/apps'
import { Command, InvalidArgumentError, Option } from 'commander'
import type { InstallDb } from '../../database/app-db.ts'
import { writeAuditLog } from '../../database/audit-log.ts'
import {
  deletePerson,
  deleteSessions,
  findPerson,
  hashPassword,
  insertPerson,
  listPeople,
  setRoleInApp,
  setSecondFactor,
  updatePerson,
} from '../../domain/apps/collaborators/index.ts'
import { unknownApps } from '../../domain/apps/keys/index.ts'
import { openPasswords } from '../../vault/passwords.ts'
import { unixSeconds } from '../clock.ts'
import { CommandError, date, print, table, withTools } from './output.ts'

export function collaboratorCommand(): Command {
  return new Command('collaborator')
    .description('People who sign in to the console.')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(resetCommand())
    .addCommand(removeCommand())
}

interface CreateOptions {
  readonly email: string
  readonly name?: string
  readonly role: CollaboratorRole
  readonly app?: readonly string[]
  readonly password: boolean
  readonly json?: true
}

function createCommand(): Command {
  return new Command('create')
    .description('Make a person a collaborator, or give them another role.')
    .requiredOption('--email <address>', 'by which they sign in', readEmail)
    .option('--name <name>', 'how the audit log calls them (default: from the address)')
    .addOption(
      new Option('--role <role>', 'what they may do').choices(collaboratorRoles).default('owner'),
    )
    .option('--app <appId>', 'in this app; may be repeated (default: in the whole install)', add)
    .option('--no-password', 'make none: they sign in by OpenID Connect')
    .option('--json', 'print JSON')
    .action(async ({ json, ...wanted }: CreateOptions) => {
      const made = await create(wanted)
      print(json, made, () => lines(made))
    })
}

interface Made {
  readonly id: string
  readonly email: string
  /** Undefined: they have one already, or sign in another way. */
  readonly password?: string
}

async function create({ email, name, role, app, password: wanted }: CreateOptions): Promise<Made> {
  return withTools(async ({ database, config }) => {
    const passwords = openPasswords(config.PASSWORD_CONCURRENCY)
    const known = await findPerson(database, { email })
    const password = wanted && !known?.passwordHash ? newPassword() : undefined
    const passwordHash = password === undefined ? null : await hashPassword(passwords, password)
    return database.transaction(async (db) => {
      const unknown = app ? await unknownApps({ db }, app) : []
      if (unknown.length > 0) throw new CommandError(`There is no app ${unknown.join(', ')}.`)
      const createdAt = unixSeconds()
      const person = { email, name: name ?? email.split('@', 1)[0] ?? email, createdAt }
      const id = known?.id ?? (await insertPerson({ db }, person))
      if (id === undefined) throw new CommandError('Somebody has made this person: try again.')
      const changes = {
        ...(name !== undefined && { name }),
        ...(app ? {} : { role }),
        passwordHash,
      }
      await updatePerson({ db }, id, changes)
      for (const appId of app ?? []) await setRoleInApp({ db, appId }, id, role, createdAt)
      await audit({ db }, 'collaborator create', { email, role, ...(app && { apps: app }) })
      return { id: String(id), email, ...(password !== undefined && { password }) }
    })
  })
}

function lines({ email, password }: Made): string {
  if (password === undefined) return `${email} may sign in.`
  return `email:    ${email}\npassword: ${password}\nIt is shown this once. The console asks for a second factor at the first sign-in.`
}

function listCommand(): Command {
  return new Command('list')
    .description('List everybody, with their roles.')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const people = await withTools(({ database: { db } }) => listPeople({ db }))
      print(json, people, () =>
        table(
          ['E-mail', 'Name', 'In the install', 'In apps', 'Password', 'Second factor', 'Since'],
          people.map(({ email, name, role, apps, hasPassword, hasSecondFactor, createdAt }) => [
            ...[email, name, role ?? '', rolesIn(apps)],
            ...[hasPassword ? 'yes' : 'no', hasSecondFactor ? 'yes' : 'no', date(createdAt)],
          ]),
        ),
      )
    })
}

function rolesIn(apps: Readonly<Record<string, string>>): string {
  return Object.entries(apps)
    .map(([appId, role]) => `${appId}: ${role}`)
    .join(', ')
}

function resetCommand(): Command {
  return new Command('reset')
    .description('A new password, no second factor, and all sessions ended.')
    .argument('<address>', 'their e-mail address', readEmail)
    .option('--json', 'print JSON')
    .action(async (email: string, { json }: { json?: true }) => {
      const password = newPassword()
      await withTools(async ({ database, config }) => {
        const passwords = openPasswords(config.PASSWORD_CONCURRENCY)
        const passwordHash = await hashPassword(passwords, password)
        await database.transaction(async (db) => {
          const person = await findPerson({ db }, { email })
          if (!person) throw new CommandError(`There is nobody with the address ${email}.`)
          await updatePerson({ db }, person.id, { passwordHash })
          const none = { encrypted: null, confirmedAt: null, step: 0, recoveryHashes: [] }
          await setSecondFactor({ db }, person.id, none)
          await deleteSessions({ db }, person.id, 'all')
          await audit({ db }, 'collaborator reset', { email })
        })
      })
      print(json, { email, password }, () => lines({ id: '', email, password }))
    })
}

function removeCommand(): Command {
  return new Command('remove')
    .description('Remove a person from every app, and end their sessions.')
    .argument('<address>', 'their e-mail address', readEmail)
    .option('--json', 'print JSON')
    .action(async (email: string, { json }: { json?: true }) => {
      const removed = await withTools(({ database }) =>
        database.transaction(async (db) => {
          const done = await deletePerson({ db }, email)
          if (done) await audit({ db }, 'collaborator remove', { email })
          return done
        }),
      )
      if (!removed) throw new CommandError(`There is nobody with the address ${email}.`)
      print(json, { removed }, () => 'Removed.')
    })
}

async function audit({ db }: InstallDb, operation: string, input: object): Promise<void> {
  const entry = { appId: '', at: unixSeconds(), caller: 'cli', operation, input, requestId: '' }
  await writeAuditLog(db, entry)
}

/** 100 bits. */
export function newPassword(): string {
  return (
    randomBytes(15)
      .toString('base64url')
      .match(/.{1,5}/g) ?? []
  ).join('.')
}

function readEmail(text: string): string {
  if (/^[^\s@<>"]+@[^\s@<>"]+$/.test(text)) return text.toLowerCase()
  throw new InvalidArgumentError('Use an e-mail address.')
}

function add(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value.toLowerCase()]
}
