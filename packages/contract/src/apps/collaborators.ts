import { type Static, Type } from 'typebox'
import { Data, ItemOutcome, OneOf, Timestamp } from '../envelope.ts'
import { operations } from '../operation.ts'
import { AppId, Region } from './apps.ts'

/** What a person may do, from the least: `permissions.ts` says what each role has. */
export const collaboratorRoles = ['viewer', 'support', 'moderator', 'developer', 'owner'] as const
export const CollaboratorRole = OneOf(...collaboratorRoles)
export type CollaboratorRole = Static<typeof CollaboratorRole>

export const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: '^[^\\s@<>"]+@[^\\s@<>"]+$',
  'x-lowercase': true,
  'x-objection': 'Use an e-mail address',
})

export const NewPassword = Type.String({
  minLength: 12,
  maxLength: 200,
  description: 'At least 12 characters.',
})

export const Collaborator = Type.Object({
  id: Type.String({ description: 'Digits.' }),
  name: Type.String(),
  email: Type.String(),
  role: CollaboratorRole,
  createdAt: Timestamp,
})
export type Collaborator = Static<typeof Collaborator>

const Emails = Type.Optional(Type.Array(Email, { maxItems: 25 }))
const Outcomes = Type.Record(Type.String(), ItemOutcome)
const params = Type.Object({ appId: AppId })

export const collaborators = operations({
  updateCollaborators: {
    method: 'POST',
    path: '/apps/:appId/collaborators',
    summary: 'Add, change and remove collaborators',
    description:
      'Gives people a role in an app, by their e-mail addresses, and takes it from others. ' +
      '`admins` and `owners` both get the role `owner`. An address that is not known yet is ' +
      'invited: whoever shows it, verified by the OpenID provider, is that person. Nobody can ' +
      'change or remove themselves. The answer says for each address what came of it; an app has ' +
      'at most 25 collaborators.',
    tag: 'Collaborators',
    effect: 'write',
    requires: 'management',
    audit: true,
    params,
    body: Type.Object({
      owners: Emails,
      admins: Emails,
      developers: Emails,
      moderators: Emails,
      support: Emails,
      viewers: Emails,
      collaboratorsToRemove: Emails,
    }),
    response: Data(
      Type.Object({
        owners: Outcomes,
        admins: Outcomes,
        developers: Outcomes,
        moderators: Outcomes,
        support: Outcomes,
        viewers: Outcomes,
        collaboratorsToRemove: Outcomes,
      }),
    ),
    errors: ['ERR_APP_NOT_FOUND'],
  },
  listCollaborators: {
    method: 'GET',
    path: '/apps/:appId/collaborators',
    summary: 'List collaborators',
    description:
      'Lists the people who have a role in this app, by e-mail address. People of the whole ' +
      'install are not in it: `chorale collaborator list` shows them.',
    tag: 'Collaborators',
    effect: 'read',
    requires: 'management',
    params,
    response: Data(Type.Array(Collaborator)),
    errors: ['ERR_APP_NOT_FOUND'],
  },
})

const line = Type.Optional(Type.String({ maxLength: 100 }))

export const tenants = operations({
  createTenant: {
    method: 'POST',
    path: '/tenants',
    summary: 'Create an app with its owner',
    description:
      'Creates an app and the person who owns it, with a password for the console. The answer ' +
      'holds the two API keys of the app. An address that is known already is refused: its owner ' +
      'keeps their password. `role`, `industry` and `technology` are taken and not kept.',
    tag: 'Collaborators',
    effect: 'write',
    requires: 'management',
    audit: true,
    body: Type.Object({
      name: Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' }),
      email: Email,
      password: NewPassword,
      contactNumber: line,
      role: line,
      appName: Type.String({ minLength: 1, maxLength: 100 }),
      appRegion: Region,
      industry: line,
      technology: line,
    }),
    response: Data(
      Type.Object({
        name: Type.String(),
        email: Type.String(),
        createdAt: Timestamp,
        contactNumber: Type.String(),
        app: Type.Object({
          name: Type.String(),
          appId: Type.String(),
          region: Region,
          authKey: Type.String(),
          apiKey: Type.String(),
          createdAt: Timestamp,
          plan: Type.String(),
        }),
      }),
    ),
    errors: ['ERR_ALREADY_A_COLLABORATOR'],
  },
})
