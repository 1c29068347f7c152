import { Type } from 'typebox'
import { Data, ItemOutcome, Outcome, Page, pageQuery, Timestamp } from '../envelope.ts'
import { operations } from '../operation.ts'
import { RoleId } from './roles.ts'

const params = Type.Object({ role: RoleId })
const Features = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
  minItems: 1,
  maxItems: 100,
})

export const RestrictedFeature = Type.Object({
  title: Type.String(),
  description: Type.String(),
  key: Type.String({ description: '`u.` and the name of the feature' }),
  path: Type.String(),
  createdAt: Timestamp,
})

export const restrictedFeatures = operations({
  restrictFeatures: {
    method: 'POST',
    path: '/roles/:role/restrictedfeatures',
    summary: 'Restrict features for a role',
    description:
      'Forbids users of a role certain calls, named by feature (`createGroup`, `listUsers` and ' +
      "so on; every operation says its feature here). Calls of the app's own server without " +
      '`onBehalfOf` are not concerned. The answer says for each feature whether it is known.',
    tag: 'Restrict Features',
    effect: 'write',
    requires: 'fullAccess',
    audit: true,
    params,
    body: Type.Object({ featuresToRestrict: Features }),
    response: Data(Type.Record(Type.String(), ItemOutcome)),
    errors: ['ERR_ROLE_NOT_FOUND'],
  },
  listRestrictedFeatures: {
    method: 'GET',
    path: '/roles/:role/restrictedfeatures',
    summary: 'List the features restricted for a role',
    description: 'Lists the features that users of a role may not use.',
    tag: 'Restrict Features',
    effect: 'read',
    requires: 'fullAccess',
    params,
    query: Type.Object(pageQuery),
    response: Page(RestrictedFeature),
    errors: ['ERR_ROLE_NOT_FOUND'],
  },
  allowFeatures: {
    method: 'DELETE',
    path: '/roles/:role/restrictedfeatures',
    summary: 'Allow restricted features again',
    description:
      'Allows features to users of a role again: those in `featuresToAllow`, or all with ' +
      '`allowAll`. One of the two is needed.',
    tag: 'Restrict Features',
    effect: 'write',
    requires: 'fullAccess',
    audit: true,
    params,
    body: Type.Object({
      featuresToAllow: Type.Optional(Features),
      allowAll: Type.Optional(Type.Boolean()),
    }),
    response: Data(Outcome),
    errors: ['ERR_ROLE_NOT_FOUND'],
  },
})
