import { type Static, Type } from 'typebox'
import { Data, Identifier, Limited, limitQuery, OneOf, Outcome, Timestamp } from '../envelope.ts'
import { operations } from '../operation.ts'
import { Description, Name } from './rules.ts'

export const KeywordListId = Identifier('Unique id of a keyword list.')

export const ListCategory = OneOf('word', 'pattern', 'sentence-similarity', 'customApi', 'openai')
export type ListCategory = Static<typeof ListCategory>

const OnError = OneOf('allow', 'block')
const Url = Type.String({ minLength: 1, maxLength: 2048 })
const Username = Type.String({
  maxLength: 100,
  pattern: '^[^:]*$',
  'x-objection': 'Use a user name without a colon',
})
const Secret = Type.String({ minLength: 1, maxLength: 500, description: 'Never answered.' })

/** What only lists have that are classifiers. */
const classifier = {
  webhookURL: Type.Optional(
    Type.String({ description: 'Of a classifier with an API of its own.' }),
  ),
  username: Type.Optional(Type.String()),
  baseUrl: Type.Optional(Type.String({ description: 'Of one that speaks as OpenAI does.' })),
  model: Type.Optional(Type.String()),
  prompt: Type.Optional(Type.String()),
  onError: Type.Optional(OnError),
  contextWindow: Type.Optional(Type.Integer()),
}

export const KeywordList = Type.Object({
  id: Type.String(),
  name: Type.String(),
  description: Type.Optional(Type.String()),
  category: ListCategory,
  isCSV: Type.Boolean(),
  searchTerms: Type.Array(Type.String()),
  ...classifier,
  default: Type.Optional(Type.Boolean()),
  active: Type.Boolean(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  revisionId: Type.String({ description: '`<appId>_<id>_<n>`' }),
})
export type KeywordList = Static<typeof KeywordList>

const ListedKeywordList = Type.Object({
  ...KeywordList.properties,
  _id: Type.String({ description: 'The id of the revision.' }),
  appId: Type.String({ description: '`default` for lists that every app has.' }),
  __v: Type.Integer({ description: 'How often it was changed.' }),
})

const megabyte = 1_000_000

const form = Type.Object({
  file: Type.Optional(
    Type.String({
      format: 'binary',
      // As a handler has it, in base64.
      maxLength: Math.ceil(megabyte / 3) * 4,
      description: 'A CSV file of at most 1 MB: every cell is a term.',
    }),
  ),
  id: Type.Optional(KeywordListId),
  name: Type.Optional(Name),
  description: Type.Optional(Description),
  category: ListCategory,
  searchTerms: Type.Optional(
    Type.String({
      maxLength: megabyte,
      description: 'Terms with commas between them; one that has a comma stands in quotes.',
    }),
  ),
  disallowedSentences: Type.Optional(
    Type.Array(Type.String({ maxLength: 1000 }), { maxItems: 1000 }),
  ),
  webhookURL: Type.Optional({ ...Url, description: 'Where a classifier of `customApi` is asked.' }),
  username: Type.Optional({ ...Username, description: 'For Basic auth there; empty: without.' }),
  password: Type.Optional(Secret),
  baseUrl: Type.Optional({
    ...Url,
    description: 'Where a classifier of `openai` is: what stands before `/chat/completions`.',
  }),
  model: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  apiKey: Type.Optional(Secret),
  prompt: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 5000,
      description: 'What such a classifier looks for.',
    }),
  ),
  onError: Type.Optional({
    ...OnError,
    description:
      'What becomes of a message if the classifier gives no answer; `allow` if not said.',
  }),
  contextWindow: Type.Optional(
    Type.String({
      pattern: '^([0-9]|[1-4][0-9]|50)$',
      'x-objection': 'Use a whole number from 0 to 50',
      description: 'How many earlier messages the classifier is shown, up to 50; 0 if not said.',
    }),
  ),
})
export type KeywordListForm = Static<typeof form>

const params = Type.Object({ keywordId: KeywordListId })

export const keywordLists = operations({
  createKeywordList: {
    method: 'POST',
    path: '/moderation/keywords',
    summary: 'Create a keyword list',
    description:
      'Creates a list that rules refer to: words, patterns, or the address of a classifier ' +
      '(`customApi`, `openai`) that is asked about messages. The form takes terms as text, as a ' +
      'CSV file, or both. Passwords and keys are stored encrypted and never answered.',
    tag: 'Moderation',
    effect: 'write',
    requires: 'fullAccess',
    audit: true,
    form,
    response: Data(KeywordList),
    errors: ['ERR_KEYWORD_LIST_ALREADY_EXISTS', 'ERR_PLAN_QUOTA_RESTRICTION'],
  },
  listKeywordLists: {
    method: 'GET',
    path: '/moderation/keywords',
    summary: 'List keyword lists',
    description: 'Lists the keyword lists of the app, those that every app has included.',
    tag: 'Moderation',
    effect: 'read',
    requires: 'fullAccess',
    query: Type.Object(limitQuery(10)),
    response: Limited(ListedKeywordList),
    errors: [],
  },
  getKeywordList: {
    method: 'GET',
    path: '/moderation/keywords/:keywordId',
    summary: 'Get a keyword list',
    description: 'Answers the current revision of a keyword list, without its secrets.',
    tag: 'Moderation',
    effect: 'read',
    requires: 'fullAccess',
    params,
    response: Data(KeywordList),
    errors: ['ERR_KEYWORD_LIST_NOT_FOUND'],
  },
  updateKeywordList: {
    method: 'PUT',
    path: '/moderation/keywords/:keywordId',
    summary: 'Update a keyword list: makes its next revision',
    description:
      'Changes a keyword list and makes its next revision; rules that refer to it follow at ' +
      'once. The category of a list that a rule uses cannot be changed, nor can a list that ' +
      'every app has.',
    tag: 'Moderation',
    effect: 'write',
    requires: 'fullAccess',
    audit: true,
    params,
    form,
    response: Data(KeywordList),
    errors: [
      'ERR_KEYWORD_LIST_NOT_FOUND',
      'ERR_KEYWORD_LIST_IN_USE',
      'ERR_OPERATION_FAILED',
      'ERR_PLAN_QUOTA_RESTRICTION',
    ],
  },
  deleteKeywordList: {
    method: 'DELETE',
    path: '/moderation/keywords/:keywordId',
    summary: 'Delete a keyword list',
    description:
      'Deletes a keyword list. Refused while a rule refers to it, and for lists that every app ' +
      'has.',
    tag: 'Moderation',
    effect: 'write',
    requires: 'fullAccess',
    audit: true,
    params,
    response: Data(Outcome),
    errors: ['ERR_KEYWORD_LIST_NOT_FOUND', 'ERR_KEYWORD_LIST_IN_USE', 'ERR_OPERATION_FAILED'],
  },
})
