import type { ErrorText } from './text.ts'

export const moderationErrors = {
  ERR_RULE_NOT_FOUND: {
    status: 404,
    message: 'The rule {ruleId} does not exist.',
    fix: 'GET /moderation/rules lists the rules.',
  },
  ERR_RULE_ALREADY_EXISTS: {
    status: 409,
    message: 'The rule {ruleId} exists already.',
    fix: 'Choose another id, or change the rule with PUT /moderation/rules/{ruleId}.',
  },
  ERR_REVISION_NOT_FOUND: {
    status: 404,
    message: 'The revision {revisionId} does not exist.',
    fix: 'List the revisions of the rule; the oldest are forgotten.',
  },
  ERR_DRY_RUN_NOT_FOUND: {
    status: 404,
    message: 'The dry run {dryRunId} does not exist.',
    fix: 'Start a new one; results are kept for a limited time.',
  },
  ERR_KEYWORD_LIST_NOT_FOUND: {
    status: 404,
    message: 'The keyword list {keywordId} does not exist.',
    fix: 'GET /moderation/keywords lists them.',
  },
  ERR_KEYWORD_LIST_ALREADY_EXISTS: {
    status: 409,
    message: 'The keyword list {keywordId} exists already.',
    fix: 'Choose another id, or change this list with PUT.',
  },
  ERR_KEYWORD_LIST_IN_USE: {
    status: 409,
    message: 'The rule {ruleId} refers to the keyword list {keywordId}.',
    fix: 'Change or delete the rule first.',
  },
  ERR_CASE_CLAIMED: {
    status: 409,
    message: 'Another moderator looks at the message {id}, or has decided about it.',
    fix: 'POST /moderation/claims with its id claims it, once they do not hold it any more.',
  },
  ERR_REASON_NOT_FOUND: {
    status: 404,
    message: 'The reason {id} does not exist.',
    fix: 'GET /moderation/reasons lists the reasons.',
  },
  ERR_REASON_ALREADY_EXISTS: {
    status: 409,
    message: 'The reason {id} exists already.',
    fix: 'Choose another id, or change this reason with PUT.',
  },
  ERR_OPERATION_FAILED: {
    status: 403,
    message: 'A default of every app cannot be changed or deleted.',
    fix: '{what}',
  },
} as const satisfies Record<string, ErrorText>
