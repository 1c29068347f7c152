import { Type } from 'typebox'

/** The console, and how people sign in to it (docs/operate/collaborators.md). */
export const consoleSettings = {
  CONSOLE_URL: Type.String({
    default: '',
    pattern: '^(https?://[^/?#]+)?$',
    description:
      'Where browsers find the console: scheme, host and port, as in `https://chat.example.com`. ' +
      'It is at `/console` of the management API. Empty: there is no console, and nobody can sign in.',
  }),
  CONSOLE_IDLE_MINUTES: Type.Integer({
    default: 60,
    minimum: 2,
    maximum: 10_080,
    description: 'A session of the console that is not used for so long has ended.',
  }),
  CONSOLE_SESSION_HOURS: Type.Integer({
    default: 12,
    minimum: 1,
    maximum: 720,
    description: 'A session of the console has ended after so long, however much it is used.',
  }),
  CONSOLE_PASSWORDS: Type.Unsafe<'on' | 'off'>({
    type: 'string',
    enum: ['on', 'off'],
    default: 'on',
    description: 'Whether people may sign in with a password; `off` where a provider does that.',
  }),
  CONSOLE_SECOND_FACTOR: Type.Unsafe<'required' | 'optional'>({
    type: 'string',
    enum: ['required', 'optional'],
    default: 'required',
    description:
      'Whether people with a password need a second factor. Until it is set up, nothing else is ' +
      'open to them.',
  }),
  OIDC_ISSUER: Type.String({
    default: '',
    description:
      'The OpenID provider by which people sign in, as in `https://accounts.example.com`. Empty: ' +
      'none.',
  }),
  OIDC_NAME: Type.String({
    default: 'OpenID Connect',
    maxLength: 50,
    description: 'What the button is called.',
  }),
  OIDC_CLIENT_ID: Type.String({ default: '', description: 'Of this install, at the provider.' }),
  OIDC_CLIENT_SECRET: Type.String({
    default: '',
    description: 'The secret that belongs to it; empty for a public client.',
  }),
  OIDC_SCOPES: Type.String({
    default: 'openid email profile',
    description: 'What is asked of the provider; some want `groups` too.',
  }),
  OIDC_ROLES: Type.String({
    default: '',
    description:
      'Who gets a role in the whole install without an invitation: ' +
      '`group:chat-admins=owner,domain:example.com=viewer`. The first that fits counts. Empty: ' +
      'only who was invited may sign in.',
  }),
  OIDC_GROUPS_CLAIM: Type.String({
    default: 'groups',
    description: 'The claim that lists the groups of a person.',
  }),
}
