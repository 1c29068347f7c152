import { type Static, Type } from 'typebox'
import { Data, Identifier, OneOf, Outcome, Page, pageQuery, Timestamp } from '../envelope.ts'
import { operations, withDefault } from '../operation.ts'
import { RoleId } from '../roles/roles.ts'

const IssuerId = Identifier('Unique id of a trusted issuer, as the app names it.')
const params = Type.Object({ issuerId: IssuerId })

const JwtAlgorithm = OneOf(
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
)

const UidForm = OneOf('exact', 'lowercase', 'sha256')

const Claim = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'The name of a claim. A dot leads into an object: `realm_access.roles`.',
})
const IssuerName = Type.String({
  minLength: 1,
  maxLength: 500,
  description: 'The claim `iss`, character by character.',
})
const JwksUrl = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'Where the issuer publishes its public keys, as a JSON Web Key Set.',
})
const Audiences = Type.Array(Type.String({ minLength: 1, maxLength: 500 }), {
  minItems: 1,
  maxItems: 10,
  description: 'The claim `aud` must name one of them.',
})
const Algorithms = Type.Array(JwtAlgorithm, {
  minItems: 1,
  maxItems: 10,
  description: 'A JWT that is signed with another one is refused.',
})
const UidFormOf = Type.Unsafe<Static<typeof UidForm>>({
  ...UidForm,
  description:
    '`exact`: the claim is the uid, and refused if it is no uid in lower case. `lowercase`: it ' +
    'is put into lower case first. `sha256`: the uid is the first 32 hexadecimal digits of the ' +
    'SHA-256 of the claim, for claims with other characters.',
})
const UidPrefix = Type.String({
  minLength: 1,
  maxLength: 40,
  pattern: '^[a-z0-9_-]+$',
  'x-objection': 'Use small letters, digits, - and _',
  description: 'Stands before each uid, so that issuers of one app cannot name the same user.',
})
const AllowedRoles = Type.Array(RoleId, {
  maxItems: 25,
  description: 'Roles that `roleClaim` may give. Any other value means the role `default`.',
})
const LifetimeSeconds = Type.Integer({
  minimum: 60,
  maximum: 2_592_000,
  description: 'A JWT is refused when it is older, by the claim `iat`, whatever `exp` says.',
})
const createUsers = Type.Boolean({
  description: 'Whether a user who is not there yet is created with the first JWT.',
})
const updateUsers = Type.Boolean({
  description: 'Whether each new JWT also sets the name, avatar and role of its user.',
})

export const Issuer = Type.Object({
  id: Type.String(),
  issuer: Type.String(),
  jwksUrl: Type.String(),
  audiences: Type.Array(Type.String()),
  algorithms: Type.Array(JwtAlgorithm),
  uidClaim: Type.String(),
  uidForm: UidForm,
  uidPrefix: Type.Optional(Type.String()),
  nameClaim: Type.String(),
  avatarClaim: Type.String(),
  roleClaim: Type.Optional(Type.String()),
  allowedRoles: Type.Array(Type.String()),
  createUsers: Type.Boolean(),
  updateUsers: Type.Boolean(),
  maxLifetimeSeconds: Type.Integer(),
  enabled: Type.Boolean(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Issuer = Static<typeof Issuer>

export const issuers = operations({
  createIssuer: {
    method: 'POST',
    path: '/issuers',
    summary: 'Trust an issuer of JWTs',
    description:
      'From now on a device may show a JWT of this issuer instead of an auth token. Refused ' +
      'when the id or the `iss` is taken, when the address of the keys may not be called, or ' +
      'when the app trusts 10 issuers already.',
    tag: 'Issuers',
    effect: 'write',
    requires: 'fullAccess',
    audit: true,
    body: Type.Object({
      id: IssuerId,
      issuer: IssuerName,
      jwksUrl: JwksUrl,
      audiences: Audiences,
      algorithms: withDefault(Algorithms, ['RS256']),
      uidClaim: withDefault(Claim, 'sub'),
      uidForm: withDefault(UidFormOf, 'exact'),
      uidPrefix: Type.Optional(UidPrefix),
      nameClaim: withDefault(Claim, 'name'),
      avatarClaim: withDefault(Claim, 'picture'),
      roleClaim: Type.Optional(Claim),
      allowedRoles: withDefault(AllowedRoles, []),
      createUsers: withDefault(createUsers, false),
      updateUsers: withDefault(updateUsers, false),
      maxLifetimeSeconds: withDefault(LifetimeSeconds, 86_400),
      enabled: withDefault(Type.Boolean(), true),
    }),
    response: Data(Issuer),
    errors: ['ERR_ISSUER_ALREADY_EXISTS', 'ERR_PLAN_QUOTA_RESTRICTION'],
  },
  listIssuers: {
    method: 'GET',
    path: '/issuers',
    summary: 'List trusted issuers',
    description: 'Lists the issuers whose JWTs devices of this app may show, by id.',
    tag: 'Issuers',
    effect: 'read',
    requires: 'fullAccess',
    query: Type.Object(pageQuery),
    response: Page(Issuer),
    errors: [],
  },
  getIssuer: {
    method: 'GET',
    path: '/issuers/:issuerId',
    summary: 'Get a trusted issuer',
    description: 'Answers one issuer that the app trusts, with all its settings.',
    tag: 'Issuers',
    effect: 'read',
    requires: 'fullAccess',
    params,
    response: Data(Issuer),
    errors: ['ERR_ISSUER_NOT_FOUND'],
  },
  updateIssuer: {
    method: 'PUT',
    path: '/issuers/:issuerId',
    summary: 'Update a trusted issuer',
    description:
      'Changes what is named and leaves the rest. Every device that signed in with a JWT of this ' +
      'issuer is checked again by the new settings: with its next call, and if it is connected, ' +
      'at once, which closes its connection.',
    tag: 'Issuers',
    effect: 'write',
    requires: 'fullAccess',
    audit: true,
    params,
    body: Type.Object({
      issuer: Type.Optional(IssuerName),
      jwksUrl: Type.Optional(JwksUrl),
      audiences: Type.Optional(Audiences),
      algorithms: Type.Optional(Algorithms),
      uidClaim: Type.Optional(Claim),
      uidForm: Type.Optional(UidFormOf),
      uidPrefix: Type.Optional(UidPrefix),
      nameClaim: Type.Optional(Claim),
      avatarClaim: Type.Optional(Claim),
      roleClaim: Type.Optional(Claim),
      allowedRoles: Type.Optional(AllowedRoles),
      createUsers: Type.Optional(createUsers),
      updateUsers: Type.Optional(updateUsers),
      maxLifetimeSeconds: Type.Optional(LifetimeSeconds),
      enabled: Type.Optional(Type.Boolean()),
      unset: Type.Optional(Type.Array(OneOf('uidPrefix', 'roleClaim'), { maxItems: 2 })),
    }),
    response: Data(Issuer),
    errors: ['ERR_ISSUER_NOT_FOUND', 'ERR_ISSUER_ALREADY_EXISTS'],
  },
  deleteIssuer: {
    method: 'DELETE',
    path: '/issuers/:issuerId',
    summary: 'Stop trusting an issuer',
    description:
      'From now on no JWT of this issuer is accepted. Devices that signed in with one are refused ' +
      'with their next call, and disconnected. Its users stay.',
    tag: 'Issuers',
    effect: 'write',
    requires: 'fullAccess',
    audit: true,
    params,
    response: Data(Outcome),
    errors: ['ERR_ISSUER_NOT_FOUND'],
  },
})
